/* A complete bot in one file, with only the C library.  Make it yours.
 *
 *     cc -O2 -o mybot mybot.c
 *
 * The arbiter starts this program, writes lines to its stdin and reads lines from its stdout.  Each line is
 * one JSON object.  The arbiter keeps everything that this program writes to stderr, so that you can read it.
 *
 * This bot attacks pieces that it knows it can beat, else unknown pieces; otherwise it moves forward.
 * To make it stronger, change `score`: it makes all decisions.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NAME "c"
/* What the arbiter adds to each question: all legal actions, and the board as far as we may know it. */
#define WANTS "[\"legal\",\"view\"]"

/* The text of a JSON value, or nothing.  A bot needs no JSON library: actions are sent back unchanged. */
typedef struct { char *at; int length; } Json;

/* Return the end of a value: a string, everything within brackets, a number or a word. */
static char *find_end(char *at) {
    if (!*at || !strchr("\"{[", *at)) return at + strcspn(at, ",:]} \t\r\n");
    int depth = 0;
    do {
        if (*at == '"')
            for (at++; *at && *at != '"'; at++) at += *at == '\\' && at[1]; /* an escaped quote does not end it */
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at += *at != '\0';
    } while (depth && *at);
    return at;
}

/* Go to the next item of an array, or to the next key or value of an object.  Begin with an empty item. */
static bool next(Json whole, Json *item) {
    if (!whole.length) return false;
    item->at = item->at ? item->at + item->length : whole.at + 1;
    item->at += strspn(item->at, ",: \t\r\n");
    item->length = (int)(find_end(item->at) - item->at);
    return item->length > 0;
}

/* Return true if a value is this string.  (No name in the protocol contains escaped characters.) */
static bool is(Json value, const char *word) {
    int length = (int)strlen(word);
    return value.length == length + 2 && *value.at == '"' && !memcmp(value.at + 1, word, (size_t)length);
}

/* Return a field of an object. */
static Json get(Json object, const char *name) {
    Json item = {0};
    while (object.length && *object.at == '{' && next(object, &item)) {
        bool is_it = is(item, name);
        if (next(object, &item) && is_it) return item;
    }
    return (Json){0};
}

/* Return the object in an array that has a value in a field. */
static Json find(Json objects, const char *name, Json value) {
    Json object = {0};
    while (next(objects, &object)) {
        Json field = get(object, name);
        if (value.length && field.length == value.length && !memcmp(field.at, value.at, (size_t)value.length)) break;
    }
    return object;
}

/* Return a copy of a value, in place of an earlier one. */
static Json replace(Json earlier, Json value) {
    free(earlier.at);
    return (Json){strndup(value.length ? value.at : "", (size_t)value.length), value.length};
}

/* Remove an item from its array. */
static void cut(Json item) { if (item.length) memset(item.at, ' ', (size_t)item.length); }
static int to_int(Json value) { return value.length ? atoi(value.at) : 0; } /* 0 for null */

/* This bot in one game.  A program may be asked to play several games, one after another. */
typedef struct {
    const char *seat, *enemy; /* "red" or "blue"; red sits at row 1, blue at row 10 */
    Json rules;
    uint64_t random; /* starts with the seed of the arbiter, so the same game can be played again */
    Json view;       /* in the last question */
} MyBot;

static MyBot new_bot(Json start) {
    bool is_red = is(get(start, "seat"), "red");
    uint64_t seed = get(start, "seed").length ? strtoull(get(start, "seed").at, NULL, 10) : 0;
    return (MyBot){is_red ? "red" : "blue", is_red ? "blue" : "red", get(start, "rules"), seed, {0}};
}

/* Return the number of a rank: 0 for bomb and flag. */
static int number(const MyBot *bot, Json rank) {
    return to_int(get(find(get(bot->rules, "ranks"), "id", rank), "rank"));
}

/* Return the rank of a side's piece or card: missing if it has none at the place, `null` if the rank is hidden. */
static Json rank_at(const MyBot *bot, const char *side, Json place) {
    Json piece = find(get(bot->view, "pieces"), "place", place);
    Json card = find(get(get(bot->view, "line"), side), "place", place);
    if (!card.length && side == bot->seat) card = find(get(bot->view, "hand"), "place", place);
    return get(is(get(piece, "seat"), side) ? piece : card, "rank");
}

/* Return the number of rows that a move goes towards the enemy.  The row follows the quote and a letter: "a4". */
static int rows_forward(const MyBot *bot, Json src, Json dst) {
    int rows = src.length > 2 && dst.length > 2 ? atoi(dst.at + 2) - atoi(src.at + 2) : 0;
    return *bot->seat == 'r' ? rows : -rows;
}

/* Return true if the attacker would win. */
static bool beats(const MyBot *bot, Json attacker, Json defender) {
    if (is(defender, "bomb")) return is(attacker, "miner");
    if (is(defender, "flag") || (is(attacker, "spy") && is(defender, "marshal"))) return true;
    return number(bot, attacker) > number(bot, defender);
}

/* Return how good an action is, or a place for a piece or card.  All decisions are made here. */
static double score(const MyBot *bot, Json item) {
    Json type = get(item, "type"), src = get(item, "src"), dst = get(item, "dst"), card = {0};
    if (is(get(item, "rank"), "flag")) return -1; /* the card game: keep the flag in the hand, where it is safe */
    while (next(get(item, "cards"), &card)) if (is(rank_at(bot, bot->seat, card), "flag")) return -1;
    if (!is(type, "move") && !is(type, "attack")) return 0; /* other actions of some rule sets are in `legal`, too */
    Json mine = rank_at(bot, bot->seat, src), target = rank_at(bot, bot->enemy, dst);
    if (!target.length) return rows_forward(bot, src, dst) / 10.0; /* a step to an empty square */
    if (*target.at == 'n') return 2 - number(bot, mine) / 10.0; /* unknown: a weak attacker risks little */
    return beats(bot, mine, target) ? 3 : -3;
}

/* Return the item of an array with the highest score, a random one (splitmix64) if several have it. */
static Json choose(MyBot *bot, Json items) {
    Json best = {0}, item = {0};
    double most = -10;
    for (uint64_t equals = 0; next(items, &item);) {
        double found = score(bot, item);
        uint64_t mixed = bot->random += 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        if (found > most) equals = 0, most = found;
        if (found == most && (mixed ^ (mixed >> 31)) % ++equals == 0) best = item;
    }
    return best;
}

/* Put the whole army on our own squares, one piece to a square; in the card game, lay cards of our hand in the line. */
static void deploy(MyBot *bot) {
    int slots = to_int(get(bot->rules, "line"));
    Json army = get(bot->rules, "army"), count = {0};
    Json places = replace((Json){0}, slots ? get(bot->view, "hand") : get(get(bot->rules, "deploy"), bot->seat));
    const char *comma = "";
    printf(slots ? "{\"type\":\"deploy\",\"line\":[" : "{\"type\":\"deploy\",\"pieces\":{");
    for (int slot = 0; slot < slots; slot++, comma = ",") {
        Json card = choose(bot, places), place = get(card, "place");
        printf("%s%.*s", comma, place.length, place.at);
        cut(card);
    }
    while (!slots && next(army, &count)) {
        Json rank = count; /* a key; its value is the number of pieces */
        next(army, &count);
        for (int left = to_int(count); left > 0; left--, comma = ",") {
            Json square = choose(bot, places);
            printf("%s%.*s:%.*s", comma, square.length, square.at, rank.length, rank.at);
            cut(square);
        }
    }
    printf(slots ? "]}" : "}}");
    free(places.at);
}

/* Read lines until `bye` or the end, and answer `hello`, `ask` and `refused`; never print anything else. */
int main(void) {
    static Json start, ask, action; /* the last question, and our answer to it */
    static char *line;
    MyBot bot = new_bot(start);
    for (size_t room = 0; getline(&line, &room, stdin) > 0;) {
        Json message = {line, (int)strlen(line)};
        Json type = get(message, "type"), why = get(message, "why");
        if (is(type, "bye")) break;
        if (is(type, "hello"))
            printf("{\"type\":\"ready\",\"protocol\":1,\"name\":\"%s\",\"wants\":%s}\n", NAME, WANTS);
        if (is(type, "start")) bot = new_bot(start = replace(start, message));
        if (is(type, "ask") || is(type, "refused")) {
            if (is(type, "refused")) cut(action); /* the last question is still open: choose another action */
            else ask = replace(ask, message);
            bot.view = get(ask, "view");
            action = choose(&bot, get(ask, "legal")); /* nothing in phase `setup` */
            printf("{\"type\":\"act\",\"ask\":%d,\"action\":", to_int(get(ask, "ask")));
            if (is(get(ask, "phase"), "setup")) deploy(&bot);
            else if (action.length) printf("%.*s", action.length, action.at);
            printf("}\n");
        } /* Other messages come from a later version of the arbiter: skip them.  Our log is stderr. */
        if (why.length) fprintf(stderr, "%.*s: %.*s\n", type.length, type.at, why.length, why.at);
        fflush(stdout); /* else the line stays in our buffer while the arbiter waits for it */
    }
}

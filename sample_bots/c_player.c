/* A complete bot in one file, with only the C library.  Make it yours.
 *
 *     cc -O2 -o mybot mybot.c
 *
 * The arbiter starts this program, writes lines to its stdin and reads lines from its stdout.  Each line is
 * one JSON object.  The arbiter keeps everything that this program writes to stderr, so that you can read it.
 *
 * This bot attacks pieces that it knows it can beat, else unknown pieces; otherwise it moves forward.
 * To make it stronger, change `score`: it makes all decisions.
 *
 * C has no JSON library, and a bot needs none: the arbiter lists all legal actions as JSON, so we read
 * them, choose one, and send its text back unchanged.
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

/* --- JSON: where the parts of a line begin and end ------------------------------------------------------- */

/* The text of a value in a line: `{"a":1}`, `"red"`, `null`.  Nothing is copied. */
typedef struct {
    const char *at;
    int length;
} Text;

static const Text NOTHING = {"", 0};

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Return the end of the string that begins with the quote at `at`. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++; /* an escaped character does not end the string */
    return *at ? at + 1 : at;
}

/* Return the end of a value: a string, a number or word, or everything within brackets. */
static const char *skip_value(const char *at)
{
    int depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else if (depth) {
            at++;
        } else {
            at += strcspn(at, ",}] \t\r\n");
        }
    } while (depth && *at);
    return at;
}

/* Go to the next item of an array or an object; for an object, also set `key`.  Begin with an empty item. */
static bool next(Text whole, Text *key, Text *item)
{
    const char *at = item->length ? item->at + item->length : whole.at + 1;
    if (!whole.length)
        return false;
    at = skip_spaces(at);
    if (*at == ',')
        at = skip_spaces(at + 1);
    if (!*at || *at == ']' || *at == '}')
        return false;
    if (*whole.at == '{') {
        key->at = at;
        at = skip_string(at);
        key->length = (int)(at - key->at);
        at = skip_spaces(at);
        at = skip_spaces(*at == ':' ? at + 1 : at);
    }
    item->at = at;
    item->length = (int)(skip_value(at) - at);
    return item->length > 0;
}

/* Return true if a value is this string.  (No name in the protocol contains escaped characters.) */
static bool is(Text value, const char *word)
{
    size_t length = strlen(word);
    return value.length == (int)length + 2 && *value.at == '"' && !strncmp(value.at + 1, word, length);
}

static bool same(Text one, Text other)
{
    return one.length == other.length && !strncmp(one.at, other.at, (size_t)one.length);
}

/* Return the value of a field of an object, or nothing. */
static Text get(Text object, const char *name)
{
    Text key = NOTHING, value = NOTHING;
    if (object.length && *object.at == '{')
        while (next(object, &key, &value))
            if (is(key, name))
                return value;
    return NOTHING;
}

static int to_int(Text value)
{
    return value.length ? atoi(value.at) : 0; /* null counts as 0 */
}

/* --- the game, from the message `start` ------------------------------------------------------------------ */

static Text rules;    /* points into `start_line` */
static bool is_red;   /* red sits at row 1, blue at row 10 */
static uint64_t rng_state; /* starts with the seed of the arbiter, so the same game can be played again */

/* Return a random number below `limit` (splitmix64). */
static int random_below(int limit)
{
    uint64_t mixed = rng_state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    return (int)(mixed % (uint64_t)limit);
}

static const char *own_seat(void)
{
    return is_red ? "red" : "blue";
}

static const char *enemy_seat(void)
{
    return is_red ? "blue" : "red";
}

static void start_game(Text start)
{
    Text seed = get(start, "seed");
    rules = get(start, "rules");
    is_red = is(get(start, "seat"), "red");
    rng_state = seed.length ? strtoull(seed.at, NULL, 10) : 0;
}

/* Return the number of a rank: 0 for bomb and flag. */
static int number(Text rank)
{
    Text ranks = get(rules, "ranks"), key = NOTHING, item = NOTHING;
    while (next(ranks, &key, &item))
        if (same(get(item, "id"), rank))
            return to_int(get(item, "rank"));
    return 0;
}

/* --- the board ------------------------------------------------------------------------------------------- */

/* Return the rank of a seat's piece at a place: nothing if the seat has no piece there, `null` if it is hidden. */
static Text rank_at(Text view, const char *seat, Text place)
{
    Text line = get(get(view, "line"), seat); /* the card game has lines and a hand */
    Text lists[] = {get(view, "pieces"), line, strcmp(seat, own_seat()) ? NOTHING : get(view, "hand")};
    for (int list = 0; list < 3; list++) {
        Text key = NOTHING, piece = NOTHING;
        while (next(lists[list], &key, &piece))
            if (same(get(piece, "place"), place) && (list || is(get(piece, "seat"), seat)))
                return get(piece, "rank");
    }
    return NOTHING;
}

static int row(Text place)
{
    return place.length > 2 ? atoi(place.at + 2) : 0; /* after the quote and the letter */
}

/* --- decisions ------------------------------------------------------------------------------------------- */

/* Return true if the attacker would win. */
static bool beats(Text attacker, Text defender)
{
    if (is(defender, "flag"))
        return true;
    if (is(defender, "bomb"))
        return is(attacker, "miner");
    if (is(attacker, "spy") && is(defender, "marshal"))
        return true;
    return number(attacker) > number(defender);
}

/* Return how good an action is.  All decisions are made here. */
static int score(Text action, Text view)
{
    Text type = get(action, "type"), src = get(action, "src"), dst = get(action, "dst");
    Text mine, target;
    if (is(type, "fill")) { /* the card game: keep the flag safe in the hand */
        Text cards = get(action, "cards"), slot = NOTHING, place = NOTHING;
        while (next(cards, &slot, &place))
            if (is(rank_at(view, own_seat(), place), "flag"))
                return -10;
        return 0;
    }
    if (!is(type, "move") && !is(type, "attack"))
        return 0; /* some rule sets have other actions; they are all in `legal` */
    mine = rank_at(view, own_seat(), src);
    target = rank_at(view, enemy_seat(), dst);
    if (!target.length) /* a step to an empty square: the further forward, the better */
        return is_red ? row(dst) - row(src) : row(src) - row(dst);
    if (*target.at == 'n') /* null: an unknown piece.  A weak attacker risks little, so it goes first. */
        return 20 - number(mine);
    return beats(mine, target) ? 30 : -30;
}

/* Return the legal action with the highest score, a random one if several have it. */
static Text choose(Text ask)
{
    Text legal = get(ask, "legal"), view = get(ask, "view");
    Text key = NOTHING, action = NOTHING, best = NOTHING;
    int most = 0, equals = 0;
    while (next(legal, &key, &action)) {
        int found = score(action, view);
        if (!best.length || found > most) {
            best = action;
            most = found;
            equals = 1;
        } else if (found == most && random_below(++equals) == 0) {
            best = action;
        }
    }
    return best;
}

/* --- the deployment -------------------------------------------------------------------------------------- */

enum { MAX_ITEMS = 128 }; /* more than the number of squares or cards to choose from */

/* List the items of an array in random order; return their number. */
static int shuffled(Text array, Text items[MAX_ITEMS])
{
    Text key = NOTHING, item = NOTHING;
    int count = 0;
    while (count < MAX_ITEMS && next(array, &key, &item)) {
        int other = random_below(count + 1);
        items[count++] = items[other];
        items[other] = item;
    }
    return count;
}

/* Put the whole army on our own squares, one piece to a square. */
static void deploy_pieces(void)
{
    Text army = get(rules, "army"), rank = NOTHING, count = NOTHING, squares[MAX_ITEMS] = {{0}};
    int many = shuffled(get(get(rules, "deploy"), own_seat()), squares), used = 0;
    printf("{\"type\":\"deploy\",\"pieces\":{");
    while (next(army, &rank, &count))
        for (int left = to_int(count); left > 0 && used < many; left--, used++)
            printf("%s%.*s:%.*s", used ? "," : "", squares[used].length, squares[used].at, rank.length, rank.at);
    printf("}}");
}

/* In the card game, lay cards of our hand in the line; a flag that stays in the hand is safe. */
static void deploy_line(Text hand)
{
    Text cards[MAX_ITEMS] = {{0}};
    int many = shuffled(hand, cards), slots = to_int(get(rules, "line")), laid = 0;
    printf("{\"type\":\"deploy\",\"line\":[");
    for (int flags = 0; flags < 2; flags++) /* first all other cards, then the flag if a slot is left */
        for (int card = 0; card < many && laid < slots; card++)
            if (is(get(cards[card], "rank"), "flag") == flags) {
                Text place = get(cards[card], "place");
                printf("%s%.*s", laid++ ? "," : "", place.length, place.at);
            }
    printf("]}");
}

/* --- the conversation ------------------------------------------------------------------------------------ */

/* Answer a question.  Without the flush, the line stays in our buffer while the arbiter waits for it. */
static void answer(Text ask)
{
    printf("{\"type\":\"act\",\"ask\":%d,\"action\":", to_int(get(ask, "ask")));
    if (!is(get(ask, "phase"), "setup")) {
        Text action = choose(ask);
        printf("%.*s", action.length, action.at);
    } else if (get(rules, "line").length) {
        deploy_line(get(get(ask, "view"), "hand"));
    } else {
        deploy_pieces();
    }
    printf("}\n");
    fflush(stdout);
}

/* Write to the log.  Never print to stdout: each line there is an answer. */
static void write_log(const char *what, Text why)
{
    fprintf(stderr, "%s: %.*s\n", what, why.length, why.at);
}

/* Read lines until `bye` or the end of the input, and answer `hello`, `ask` and `refused`. */
int main(void)
{
    char *line = NULL, *start_line = NULL;
    size_t room = 0, start_room = 0;
    while (getline(&line, &room, stdin) > 0) {
        Text message = {skip_spaces(line), 0};
        Text type;
        message.length = (int)(skip_value(message.at) - message.at);
        type = get(message, "type");
        if (is(type, "hello")) {
            printf("{\"type\":\"ready\",\"protocol\":1,\"name\":\"%s\",\"wants\":%s}\n", NAME, WANTS);
            fflush(stdout);
        } else if (is(type, "start")) {
            char *kept = start_line; /* keep this line and read the next ones into the other buffer */
            size_t kept_room = start_room;
            start_line = line;
            start_room = room;
            line = kept;
            room = kept_room;
            start_game(message);
        } else if (is(type, "ask")) {
            answer(message);
        } else if (is(type, "refused")) { /* our action was not legal: resign, and log the reason */
            write_log("refused", get(message, "why"));
            printf("{\"type\":\"act\",\"ask\":%d,\"action\":{\"type\":\"resign\"}}\n", to_int(get(message, "ask")));
            fflush(stdout);
        } else if (is(type, "over")) {
            write_log("over", get(message, "why"));
        } else if (is(type, "bye")) {
            break;
        }
        /* Other messages come from a later version of the arbiter: skip them. */
    }
    free(line);
    free(start_line);
    return 0;
}

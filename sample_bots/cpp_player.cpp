/* A complete bot in one file, with only the C++ library (C++17).  Make it yours.
 *
 *     c++ -std=c++17 -O2 -o mybot mybot.cpp
 *
 * The arbiter starts this program, writes lines to its stdin and reads lines from its stdout.  Each line is
 * one JSON object.  The arbiter keeps everything that this program writes to stderr, so that you can read it.
 *
 * This bot attacks pieces that it knows it can beat, else unknown pieces; otherwise it moves forward.
 * To make it stronger, change `score`: it makes all decisions.
 */
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

const std::string NAME = "cpp";
// What the arbiter adds to each question: all legal actions, and the board as far as we may know it.
const std::string WANTS = R"(["legal","view"])";

// A JSON value.  C++ has no JSON library, and a bot needs little of one: actions are sent back unchanged.
struct Json {
    std::string text;                                 // as it was received
    std::vector<std::pair<std::string, Json>> fields; // of an object
    std::vector<Json> items;                          // of an array

    Json() = default; // a field that is missing

    // Read the value that begins at a place of a line, and go to its end.
    Json(const std::string &line, size_t &at)
    {
        size_t start = at = line.find_first_not_of(",: \t", at);
        char first = line[at++];
        if (first == '"') {
            while (at < line.size() && line[at] != '"') at += line[at] == '\\' ? 2 : 1;
            at++;
        } else if (first == '{' || first == '[') {
            while ((at = line.find_first_not_of(", \t", at)) < line.size() && line[at] != '}' && line[at] != ']') {
                std::string key = first == '{' ? Json(line, at).string() : "";
                (first == '{' ? fields.emplace_back(key, Json()).second : items.emplace_back()) = Json(line, at);
            }
            at++;
        } else { // a number, true, false or null
            at = std::min(line.find_first_of(",:]} \t\r", at), line.size());
        }
        text = line.substr(start, at - start);
    }

    const Json &operator[](const std::string &name) const
    {
        static const Json missing;
        auto is_it = [&](const auto &field) { return field.first == name; };
        auto found = std::find_if(fields.begin(), fields.end(), is_it);
        return found == fields.end() ? missing : found->second;
    }

    explicit operator bool() const { return !text.empty() && text != "null"; }
    bool operator==(const std::string &word) const { return string() == word; }
    int number() const { return *this ? std::stoi(text) : 0; } // 0 for null
    // Return a string, "" for null.  (No name in the protocol contains escaped characters.)
    std::string string() const { return *this && text[0] == '"' ? text.substr(1, text.size() - 2) : ""; }
};

using Ranks = std::map<std::string, std::string>; // place to rank, "" if the rank is hidden

// This bot in one game.  A program may be asked to play several games, one after another.
struct MyBot {
    std::string seat; // "red" or "blue"; red sits at row 1, blue at row 10
    Json rules;
    std::map<std::string, int> number; // of a rank: 0 for bomb and flag
    std::mt19937_64 random;            // uses the seed of the arbiter, so the same game can be played again

    explicit MyBot(const Json &start)
        : seat(start["seat"].string()), rules(start["rules"]), random(std::stoull(start["seed"].text))
    {
        for (const Json &rank : rules["ranks"].items) number[rank["id"].string()] = rank["rank"].number();
    }

    // Put the whole army on our own squares, one piece to a square.
    std::string deploy(const Json &ask)
    {
        if (rules["line"]) return deploy_line(ask["view"]["hand"].items);
        std::vector<Json> squares = rules["deploy"][seat].items;
        std::shuffle(squares.begin(), squares.end(), random);
        std::string pieces;
        for (const auto &[rank, count] : rules["army"].fields)
            for (int left = count.number(); left > 0; left--, squares.pop_back())
                pieces += (pieces.empty() ? "" : ",") + squares.back().text + ":\"" + rank + "\"";
        return "{\"type\":\"deploy\",\"pieces\":{" + pieces + "}}";
    }

    // In the card game, lay cards of our hand in the line; a flag that stays in the hand is safe.
    std::string deploy_line(std::vector<Json> hand)
    {
        std::shuffle(hand.begin(), hand.end(), random);
        std::partition(hand.begin(), hand.end(), [](const Json &card) { return !(card["rank"] == "flag"); });
        std::string places;
        for (int slot = 0; slot < rules["line"].number(); slot++)
            places += (slot ? "," : "") + hand[slot]["place"].text;
        return "{\"type\":\"deploy\",\"line\":[" + places + "]}";
    }

    // Return the legal action with the highest score, a random one if several have it.
    std::string choose(const Json &ask, std::vector<Json> legal)
    {
        Ranks own = ranks(ask["view"], seat), enemies = ranks(ask["view"], seat == "red" ? "blue" : "red");
        std::shuffle(legal.begin(), legal.end(), random);
        auto is_worse = [&](const Json &one, const Json &other) {
            return score(one, own, enemies) < score(other, own, enemies);
        };
        return std::max_element(legal.begin(), legal.end(), is_worse)->text;
    }

    // Return what we know of one side.
    Ranks ranks(const Json &view, const std::string &side) const
    {
        std::vector<Json> pieces = rules["line"] ? view["line"][side].items : view["pieces"].items;
        const std::vector<Json> &hand = view["hand"].items;
        if (side == seat) pieces.insert(pieces.end(), hand.begin(), hand.end());
        Ranks ranks;
        for (const Json &piece : pieces)
            if (rules["line"] || piece["seat"] == side) ranks[piece["place"].string()] = piece["rank"].string();
        return ranks;
    }

    // Return how good an action is.  All decisions are made here.
    double score(const Json &action, const Ranks &own, const Ranks &enemies) const
    {
        for (const auto &[slot, place] : action["cards"].fields) // the card game again: keep the flag in the hand
            if (own.at(place.string()) == "flag") return -1;
        // Some rule sets have other actions; they are all in `legal`.
        if (!(action["type"] == "move") && !(action["type"] == "attack")) return 0;
        const std::string &mine = own.at(action["src"].string());
        auto target = enemies.find(action["dst"].string());
        if (target == enemies.end()) return rows_forward(action) / 10.0; // a step to an empty square
        // An unknown piece.  A weak attacker risks little, so it goes first.
        if (target->second.empty()) return 2 - number.at(mine) / 10.0;
        return beats(mine, target->second) ? 3 : -3;
    }

    // Return the number of rows that a move goes towards the enemy.
    int rows_forward(const Json &action) const
    {
        int rows = std::stoi(action["dst"].string().substr(1)) - std::stoi(action["src"].string().substr(1));
        return seat == "red" ? rows : -rows;
    }

    // Return true if the attacker would win.
    bool beats(const std::string &attacker, const std::string &defender) const
    {
        if (defender == "flag") return true;
        if (defender == "bomb") return attacker == "miner";
        if (attacker == "spy" && defender == "marshal") return true;
        return number.at(attacker) > number.at(defender);
    }
};

// Send one line.  Without the flush (std::endl), the line stays in our buffer while the arbiter waits for it.
void send(const std::string &line) { std::cout << line << std::endl; }

// Write to the log.  Never print to stdout: each line there is an answer.
void log(const std::string &words) { std::cerr << words << std::endl; }

// Read lines until `bye` or the end of the input, and answer `hello`, `ask` and `refused`.
int main()
{
    std::unique_ptr<MyBot> bot;
    Json ask;                // the last question
    std::vector<Json> legal; // what we can still answer
    std::string action;      // our answer to it
    for (std::string line; std::getline(std::cin, line);) {
        size_t at = 0;
        Json message(line, at);
        const std::string type = message["type"].string();
        if (type == "hello") {
            send("{\"type\":\"ready\",\"protocol\":1,\"name\":\"" + NAME + "\",\"wants\":" + WANTS + "}");
        } else if (type == "start") {
            bot = std::make_unique<MyBot>(message);
        } else if (type == "ask" || type == "refused") {
            if (type == "ask") {
                ask = message;
                legal = ask["legal"].items;
            } else { // the last question is still open, if the organiser allows another try
                log("refused: " + message["why"].text);
                auto is_refused = [&](const Json &other) { return other.text == action; };
                legal.erase(std::remove_if(legal.begin(), legal.end(), is_refused), legal.end());
            }
            action = ask["phase"] == "setup" ? bot->deploy(ask) : bot->choose(ask, legal);
            send("{\"type\":\"act\",\"ask\":" + ask["ask"].text + ",\"action\":" + action + "}");
        } else if (type == "over") {
            log(message["result"].text + " by " + message["ending"].text + ": " + message["why"].text);
        } else if (type == "bye") {
            break;
        }
        // Other messages come from a later version of the arbiter: skip them.
    }
}

/* A complete bot in one file, with only the Java library.  Make it yours.
 *
 *     javac -d mybot mybot.java
 *     java -cp mybot Bot
 *
 * The arbiter starts this program, writes lines to its stdin and reads lines from its stdout.  Each line is one
 * JSON object.  The arbiter keeps everything that this program writes to stderr, so that you can read it.
 *
 * This bot attacks pieces that it knows it can beat, else unknown pieces; otherwise it moves forward.
 * To make it stronger, change `score`: it makes all decisions.
 */
import java.io.*;
import java.util.*;

/** This bot in one game.  A program may be asked to play several games, one after another. */
class Bot {
    static final String NAME = "java";
    // What the arbiter adds to each question: all legal actions, and the board as far as we may know it.
    static final String WANTS = "[\"legal\",\"view\"]";

    final String seat; // "red" or "blue"; red sits at row 1, blue at row 10
    final Json rules;
    final Random random; // uses the seed of the arbiter, so the same game can be played again
    final Map<String, Integer> number = new HashMap<>(); // of a rank: 0 for bomb and flag

    Bot(Json start) {
        seat = start.get("seat").string();
        rules = start.get("rules");
        random = new Random(Long.parseLong(start.get("seed").text));
        for (Json rank : rules.get("ranks").items) number.put(rank.get("id").string(), rank.get("rank").number());
    }

    /** Put the whole army on our own squares, one piece to a square. */
    String deploy(Json ask) {
        if (rules.has("line")) return deployLine(ask.get("view").get("hand").items);
        List<Json> squares = shuffled(rules.get("deploy").get(seat).items);
        List<String> pieces = new ArrayList<>();
        rules.get("army").fields.forEach((rank, count) -> {
            for (int left = count.number(); left > 0; left--)
                pieces.add(squares.get(pieces.size()).text + ":\"" + rank + "\"");
        });
        return "{\"type\":\"deploy\",\"pieces\":{" + String.join(",", pieces) + "}}";
    }

    /** In the card game, lay cards of our hand in the line; a flag that stays in the hand is safe. */
    String deployLine(List<Json> hand) {
        List<Json> cards = shuffled(hand);
        cards.sort((one, other) -> Boolean.compare(one.get("rank").is("flag"), other.get("rank").is("flag")));
        cards = cards.subList(0, rules.get("line").number());
        List<String> places = cards.stream().map(card -> card.get("place").text).toList();
        return "{\"type\":\"deploy\",\"line\":[" + String.join(",", places) + "]}";
    }

    /** Return the legal action with the highest score, a random one if several have it. */
    String choose(Json ask, List<Json> legal) {
        Map<String, String> own = ranks(ask.get("view"), seat);
        Map<String, String> enemies = ranks(ask.get("view"), seat.equals("red") ? "blue" : "red");
        return Collections.max(shuffled(legal), Comparator.comparingDouble(one -> score(one, own, enemies))).text;
    }

    /** Return what we know of one side: a map from place to rank, null if the rank is hidden. */
    Map<String, String> ranks(Json view, String side) {
        Map<String, String> ranks = new HashMap<>();
        boolean isCards = rules.has("line");
        List<Json> pieces = new ArrayList<>(isCards ? view.get("line").get(side).items : view.get("pieces").items);
        if (isCards && side.equals(seat)) pieces.addAll(view.get("hand").items);
        if (!isCards) pieces.removeIf(piece -> !piece.get("seat").is(side));
        for (Json piece : pieces) ranks.put(piece.get("place").string(), piece.get("rank").string());
        return ranks;
    }

    /** Return how good an action is.  All decisions are made here. */
    double score(Json action, Map<String, String> own, Map<String, String> enemies) {
        if (action.get("type").is("fill")) { // the card game again: keep the flag in the hand
            Collection<Json> places = action.get("cards").fields.values();
            return places.stream().anyMatch(place -> own.get(place.string()).equals("flag")) ? -1 : 0;
        }
        // Some rule sets have other actions; they are all in `legal`.
        if (!action.get("type").is("move") && !action.get("type").is("attack")) return 0;
        String mine = own.get(action.get("src").string());
        String target = action.get("dst").string();
        if (!enemies.containsKey(target)) return rowsForward(action) / 10.0; // a step to an empty square
        // An unknown piece.  A weak attacker risks little, so it goes first.
        if (enemies.get(target) == null) return 2 - number.get(mine) / 10.0;
        return beats(mine, enemies.get(target)) ? 3 : -3;
    }

    /** Return the number of rows that a move goes towards the enemy. */
    int rowsForward(Json action) {
        int to = Integer.parseInt(action.get("dst").string().substring(1));
        int from = Integer.parseInt(action.get("src").string().substring(1));
        return seat.equals("red") ? to - from : from - to;
    }

    /** Return true if the attacker would win. */
    boolean beats(String attacker, String defender) {
        if (defender.equals("flag")) return true;
        if (defender.equals("bomb")) return attacker.equals("miner");
        if (attacker.equals("spy") && defender.equals("marshal")) return true;
        return number.get(attacker) > number.get(defender);
    }

    <T> List<T> shuffled(List<T> list) {
        List<T> copy = new ArrayList<>(list);
        Collections.shuffle(copy, random);
        return copy;
    }

    /** Send one line.  Without the flush, the line stays in our buffer while the arbiter waits for it. */
    static void send(String line) {
        System.out.print(line + "\n");
        System.out.flush();
    }

    /** Write to the log.  Never print to stdout: each line there is an answer. */
    static void log(String words) {
        System.err.println(words);
    }

    /** Read lines until `bye` or the end of the input, and answer `hello`, `ask` and `refused`. */
    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        Bot bot = null;
        Json ask = null; // the last question
        List<Json> legal = new ArrayList<>(); // what we can still answer
        String action = ""; // our answer to it
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Json message = new Json(line, 0);
            String type = message.get("type").string();
            if (type.equals("hello")) {
                send("{\"type\":\"ready\",\"protocol\":1,\"name\":\"" + NAME + "\",\"wants\":" + WANTS + "}");
            } else if (type.equals("start")) {
                bot = new Bot(message);
            } else if (type.equals("ask") || type.equals("refused")) {
                if (type.equals("ask")) {
                    ask = message;
                    legal = ask.has("legal") ? ask.get("legal").items : new ArrayList<>();
                } else { // the last question is still open, if the organiser allows another try
                    log("refused: " + message.get("why").text);
                    String refused = action;
                    legal.removeIf(other -> other.text.equals(refused));
                }
                action = ask.get("phase").is("setup") ? bot.deploy(ask) : bot.choose(ask, legal);
                send("{\"type\":\"act\",\"ask\":" + ask.get("ask").text + ",\"action\":" + action + "}");
            } else if (type.equals("over")) {
                log(message.get("result").text + " by " + message.get("ending").text);
            } else if (type.equals("bye")) {
                break;
            }
            // Other messages come from a later version of the arbiter: skip them.
        }
    }
}

/** A JSON value.  Java has no JSON library, and a bot needs little of one: actions are sent back unchanged. */
class Json {
    final Map<String, Json> fields = new LinkedHashMap<>(); // of an object
    final List<Json> items = new ArrayList<>(); // of an array
    final String text; // as it was received
    private int end; // its place in the line

    /** Read the value that begins at a place of a line. */
    Json(String line, int start) {
        char first = line.charAt(start);
        end = start + 1;
        if (first == '"') {
            while (line.charAt(end) != '"') end += line.charAt(end) == '\\' ? 2 : 1;
            end++;
        } else if (first == '{' || first == '[') {
            while (next(line) != '}' && next(line) != ']')
                if (first == '[') items.add(read(line));
                else fields.put(read(line).string(), read(line));
            end++;
        } else { // a number, true, false or null
            while (end < line.length() && ",:]} \t".indexOf(line.charAt(end)) < 0) end++;
        }
        text = line.substring(start, end);
    }

    private char next(String line) {
        while (",: \t".indexOf(line.charAt(end)) >= 0) end++;
        return line.charAt(end);
    }
    private Json read(String line) {
        next(line);
        Json value = new Json(line, end);
        end = value.end;
        return value;
    }
    Json get(String name) { return fields.get(name); }
    boolean has(String name) { return fields.containsKey(name); }
    boolean is(String word) { return word.equals(string()); }

    /** Return a string, null for null.  (No name in the protocol contains escaped characters.) */
    String string() { return text.startsWith("\"") ? text.substring(1, text.length() - 1) : null; }

    /** Return a number, 0 for null. */
    int number() { return text.equals("null") ? 0 : Integer.parseInt(text); }
}

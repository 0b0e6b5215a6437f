/* A complete bot in one file, with only the .NET library.  Make it yours.
 *
 *     mcs -out:mybot.exe mybot.cs     (Mono; then: mono mybot.exe)
 *     dotnet run mybot.cs             (.NET 10 or later)
 *
 * The arbiter starts this program, writes lines to its stdin and reads lines from its stdout.  Each line is
 * one JSON object.  The arbiter keeps everything that this program writes to stderr, so that you can read it.
 *
 * This bot attacks pieces that it knows it can beat, else unknown pieces; otherwise it moves forward.
 * To make it stronger, change `Score`: it makes all decisions.
 */
using System;
using System.Collections.Generic;
using System.Linq;

/// <summary>This bot in one game.  A program may be asked to play several games, one after another.</summary>
class MyBot
{
    const string Name = "csharp";
    // What the arbiter adds to each question: all legal actions, and the board as far as we may know it.
    const string Wants = "[\"legal\",\"view\"]";

    readonly string seat; // "red" or "blue"; red sits at row 1, blue at row 10
    readonly Json rules;
    readonly Dictionary<string, int> number; // of a rank: 0 for bomb and flag
    readonly Random random; // uses the seed of the arbiter, so the same game can be played again

    MyBot(Json start)
    {
        seat = start["seat"].String;
        rules = start["rules"];
        number = rules["ranks"].Items.ToDictionary(rank => rank["id"].String, rank => rank["rank"].Number);
        random = new Random((int)(long.Parse(start["seed"].Text) % int.MaxValue));
    }

    // Put the whole army on our own squares, one piece to a square.
    string Deploy(Json ask)
    {
        if (rules.Has("line")) return DeployLine(ask["view"]["hand"].Items);
        var army = rules["army"].Fields.SelectMany(rank => Enumerable.Repeat(rank.Key, rank.Value.Number));
        var squares = Shuffled(rules["deploy"][seat].Items);
        var pieces = squares.Zip(army, (square, rank) => square.Text + ":\"" + rank + "\"");
        return "{\"type\":\"deploy\",\"pieces\":{" + string.Join(",", pieces) + "}}";
    }

    // In the card game, lay cards of our hand in the line; a flag that stays in the hand is safe.
    string DeployLine(List<Json> hand)
    {
        var cards = Shuffled(hand).OrderBy(card => card["rank"].Is("flag")).Take(rules["line"].Number);
        return "{\"type\":\"deploy\",\"line\":[" + string.Join(",", cards.Select(card => card["place"].Text)) + "]}";
    }

    // Return the legal action with the highest score, a random one if several have it.
    string Choose(Json ask, List<Json> legal)
    {
        var own = Ranks(ask["view"], seat);
        var enemies = Ranks(ask["view"], seat == "red" ? "blue" : "red");
        return Shuffled(legal).OrderByDescending(action => Score(action, own, enemies)).First().Text;
    }

    // Return what we know of one side: a map from place to rank, null if the rank is hidden.
    Dictionary<string, string> Ranks(Json view, string side)
    {
        IEnumerable<Json> pieces = view["pieces"].Items.Where(piece => piece["seat"].Is(side));
        if (rules.Has("line")) pieces = view["line"][side].Items;
        if (rules.Has("line") && side == seat) pieces = pieces.Concat(view["hand"].Items);
        return pieces.ToDictionary(piece => piece["place"].String, piece => piece["rank"].String);
    }

    // Return how good an action is.  All decisions are made here.
    double Score(Json action, Dictionary<string, string> own, Dictionary<string, string> enemies)
    {
        if (action["type"].Is("fill")) // the card game again: keep the flag in the hand
            return action["cards"].Fields.Values.Any(place => own[place.String] == "flag") ? -1 : 0;
        // Some rule sets have other actions; they are all in `legal`.
        if (!action["type"].Is("move") && !action["type"].Is("attack")) return 0;
        string mine = own[action["src"].String];
        string target;
        bool isAttack = enemies.TryGetValue(action["dst"].String, out target);
        if (!isAttack) return RowsForward(action) / 10.0; // a step to an empty square
        // An unknown piece.  A weak attacker risks little, so it goes first.
        if (target == null) return 2 - number[mine] / 10.0;
        return Beats(mine, target) ? 3 : -3;
    }

    // Return the number of rows that a move goes towards the enemy.
    int RowsForward(Json action)
    {
        int rows = int.Parse(action["dst"].String.Substring(1)) - int.Parse(action["src"].String.Substring(1));
        return seat == "red" ? rows : -rows;
    }

    // Return true if the attacker would win.
    bool Beats(string attacker, string defender)
    {
        if (defender == "flag") return true;
        if (defender == "bomb") return attacker == "miner";
        if (attacker == "spy" && defender == "marshal") return true;
        return number[attacker] > number[defender];
    }

    List<Json> Shuffled(List<Json> list) => list.OrderBy(item => random.Next()).ToList();

    // Send one line.  Without the flush, the line may stay in our buffer while the arbiter waits for it.
    static void Send(string line)
    {
        Console.Out.Write(line + "\n");
        Console.Out.Flush();
    }

    // Write to the log.  Never write to Console.Out: each line there is an answer.
    static void Log(string words) => Console.Error.WriteLine(words);

    // Read lines until `bye` or the end of the input, and answer `hello`, `ask` and `refused`.
    static void Main()
    {
        MyBot bot = null;
        Json ask = null; // the last question
        var legal = new List<Json>(); // what we can still answer
        string action = ""; // our answer to it
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            int at = 0;
            var message = new Json(line, ref at);
            string type = message["type"].String;
            if (type == "hello")
                Send("{\"type\":\"ready\",\"protocol\":1,\"name\":\"" + Name + "\",\"wants\":" + Wants + "}");
            else if (type == "start")
                bot = new MyBot(message);
            else if (type == "ask" || type == "refused")
            {
                if (type == "ask")
                {
                    ask = message;
                    legal = ask["legal"].Items;
                }
                else // the last question is still open, if the organiser allows another try
                {
                    Log("refused: " + message["why"].Text);
                    legal.RemoveAll(other => other.Text == action);
                }
                action = ask["phase"].Is("setup") ? bot.Deploy(ask) : bot.Choose(ask, legal);
                Send("{\"type\":\"act\",\"ask\":" + ask["ask"].Text + ",\"action\":" + action + "}");
            }
            else if (type == "over")
                Log(message["result"].Text + " by " + message["ending"].Text + ": " + message["why"].Text);
            else if (type == "bye")
                break;
            // Other messages come from a later version of the arbiter: skip them.
        }
    }
}

/// <summary>A JSON value.  Actions are sent back unchanged, so a bot needs little of JSON.</summary>
class Json
{
    public readonly Dictionary<string, Json> Fields = new Dictionary<string, Json>(); // of an object
    public readonly List<Json> Items = new List<Json>(); // of an array
    public readonly string Text = ""; // as it was received, "" for a field that is missing

    Json() { }

    // Read the value that begins at a place of a line, and go to its end.
    public Json(string line, ref int at)
    {
        int start = Skip(line, ref at, ",: \t");
        char first = line[at++];
        if (first == '"')
        {
            while (line[at] != '"') at += line[at] == '\\' ? 2 : 1;
            at++;
        }
        else if (first == '{' || first == '[')
        {
            while ("]}".IndexOf(line[Skip(line, ref at, ", \t")]) < 0)
                if (first == '[') Items.Add(new Json(line, ref at));
                else Fields[new Json(line, ref at).String] = new Json(line, ref at);
            at++;
        }
        else // a number, true, false or null
            while (at < line.Length && ",:]} \t".IndexOf(line[at]) < 0) at++;
        Text = line.Substring(start, at - start);
    }

    static int Skip(string line, ref int at, string skipped)
    {
        while (skipped.IndexOf(line[at]) >= 0) at++;
        return at;
    }

    public Json this[string name] => Has(name) ? Fields[name] : new Json();
    public bool Has(string name) => Fields.ContainsKey(name);
    public bool Is(string word) => String == word;
    public int Number => Text == "null" ? 0 : int.Parse(Text);
    /// <summary>A string, null for null.  (No name in the protocol contains escaped characters.)</summary>
    public string String => Text.StartsWith("\"") ? Text.Substring(1, Text.Length - 2) : null;
}

//! A complete bot in one file, with only the Rust library.  Make it yours.
//!
//!     rustc -O -o mybot mybot.rs
//!
//! The arbiter starts this program, writes lines to its stdin and reads lines from its stdout.  Each line is
//! one JSON object.  The arbiter keeps everything that this program writes to stderr, so that you can read it.
//!
//! This bot attacks pieces that it knows it can beat, else unknown pieces; otherwise it moves forward.
//! To make it stronger, change `score`: it makes all decisions.

use std::collections::HashMap;
use std::io::{self, BufRead};

const NAME: &str = "rust";
// What the arbiter adds to each question: all legal actions, and the board as far as we may know it.
const WANTS: &str = r#"["legal","view"]"#;

/// A map from place to rank, "" if the rank is hidden.
type Ranks = HashMap<String, String>;

/// This bot in one game.  A program may be asked to play several games, one after another.
struct MyBot {
    seat: String, // "red" or "blue"; red sits at row 1, blue at row 10
    rules: Json,
    number: HashMap<String, i64>, // of a rank: 0 for bomb and flag
    random: u64,                  // starts with the seed of the arbiter, so the same game can be played again
}

impl MyBot {
    fn new(start: &Json) -> MyBot {
        let rules = start.get("rules").clone();
        let number = rules.get("ranks").items.iter().map(|rank| (rank.get("id").string(), rank.get("rank").number()));
        let random = start.get("seed").number() as u64;
        MyBot { seat: start.get("seat").string(), number: number.collect(), random, rules }
    }

    /// Put the whole army on our own squares, one piece to a square.
    fn deploy(&mut self, ask: &Json) -> String {
        if self.rules.has("line") {
            return self.deploy_line(&ask.get("view").get("hand").items);
        }
        let mut squares = self.shuffled(&self.rules.get("deploy").get(&self.seat).items.clone());
        let mut pieces = Vec::new();
        for (rank, count) in &self.rules.get("army").fields {
            for square in squares.drain(..count.number() as usize) {
                pieces.push(format!("{}:\"{rank}\"", square.text));
            }
        }
        format!(r#"{{"type":"deploy","pieces":{{{}}}}}"#, pieces.join(","))
    }

    /// In the card game, lay cards of our hand in the line; a flag that stays in the hand is safe.
    fn deploy_line(&mut self, hand: &[Json]) -> String {
        let mut cards = self.shuffled(hand);
        cards.sort_by_key(|card| card.get("rank").is("flag"));
        let line = cards.iter().take(self.rules.get("line").number() as usize);
        let places: Vec<String> = line.map(|card| card.get("place").text.clone()).collect();
        format!(r#"{{"type":"deploy","line":[{}]}}"#, places.join(","))
    }

    /// Return the legal action with the highest score, a random one if several have it.
    fn choose(&mut self, ask: &Json, legal: &[Json]) -> String {
        let own = self.ranks(ask.get("view"), &self.seat);
        let enemies = self.ranks(ask.get("view"), if self.seat == "red" { "blue" } else { "red" });
        let legal = self.shuffled(legal);
        let score = |action| self.score(action, &own, &enemies);
        legal.iter().max_by(|one, other| score(one).total_cmp(&score(other))).expect("legal actions").text.clone()
    }

    /// Return what we know of one side.
    fn ranks(&self, view: &Json, side: &str) -> Ranks {
        let is_cards = self.rules.has("line");
        let pieces = if is_cards { view.get("line").get(side) } else { view.get("pieces") };
        let hand = view.get("hand").items.iter().filter(|_| side == self.seat);
        let ours = pieces.items.iter().filter(|piece| is_cards || piece.get("seat").is(side)).chain(hand);
        ours.map(|piece| (piece.get("place").string(), piece.get("rank").string())).collect()
    }

    /// Return how good an action is.  All decisions are made here.
    fn score(&self, action: &Json, own: &Ranks, enemies: &Ranks) -> f64 {
        if action.get("type").is("fill") { // the card game again: keep the flag in the hand
            let cards = &action.get("cards").fields;
            return if cards.iter().any(|(_, place)| own[&place.string()] == "flag") { -1.0 } else { 0.0 };
        }
        if !action.get("type").is("move") && !action.get("type").is("attack") {
            return 0.0; // some rule sets have other actions; they are all in `legal`
        }
        let mine = &own[&action.get("src").string()];
        match enemies.get(&action.get("dst").string()) {
            None => self.rows_forward(action) as f64 / 10.0, // a step to an empty square
            // An unknown piece.  A weak attacker risks little, so it goes first.
            Some(target) if target.is_empty() => 2.0 - self.number[mine] as f64 / 10.0,
            Some(target) => if self.beats(mine, target) { 3.0 } else { -3.0 },
        }
    }

    /// Return the number of rows that a move goes towards the enemy.
    fn rows_forward(&self, action: &Json) -> i64 {
        let row = |field| action.get(field).string()[1..].parse::<i64>().unwrap_or(0);
        (row("dst") - row("src")) * if self.seat == "red" { 1 } else { -1 }
    }

    /// Return true if the attacker would win.
    fn beats(&self, attacker: &str, defender: &str) -> bool {
        match (attacker, defender) {
            (_, "flag") | ("spy", "marshal") => true,
            (_, "bomb") => attacker == "miner",
            _ => self.number[attacker] > self.number[defender],
        }
    }

    fn shuffled(&mut self, list: &[Json]) -> Vec<Json> {
        let mut keyed: Vec<(u64, Json)> = list.iter().map(|item| (self.next_random(), item.clone())).collect();
        keyed.sort_by_key(|(key, _)| *key);
        keyed.into_iter().map(|(_, item)| item).collect()
    }

    /// Return a random number (splitmix64): the Rust library has no generator.
    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e3779b97f4a7c15);
        let mut mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d049bb133111eb);
        mixed ^ (mixed >> 31)
    }
}

/// A JSON value.  Rust has no JSON library, and a bot needs little of one: actions are sent back unchanged.
#[derive(Clone, Default)]
struct Json {
    text: String,                // as it was received
    fields: Vec<(String, Json)>, // of an object
    items: Vec<Json>,            // of an array
}

static MISSING: Json = Json { text: String::new(), fields: Vec::new(), items: Vec::new() };
impl Json {
    /// Read the value that begins at a place of a line, and go to its end.
    fn read(line: &str, at: &mut usize) -> Json {
        let mut value = Json::default();
        let byte = |at: usize| *line.as_bytes().get(at).unwrap_or(&b'}');
        let skip_spaces = |at: &mut usize| while b",: \t".contains(&byte(*at)) { *at += 1 };
        skip_spaces(at);
        let start = *at;
        *at += 1;
        match byte(start) {
            b'"' => {
                while byte(*at) != b'"' && *at < line.len() { *at += if byte(*at) == b'\\' { 2 } else { 1 } }
                *at += 1;
            }
            first @ (b'{' | b'[') => {
                while { skip_spaces(at); !b"}]".contains(&byte(*at)) } {
                    let key = if first == b'{' { Json::read(line, at).string() } else { String::new() };
                    let item = Json::read(line, at);
                    if first == b'{' { value.fields.push((key, item)) } else { value.items.push(item) }
                }
                *at += 1;
            }
            _ => while !b",:]} \t".contains(&byte(*at)) { *at += 1 }, // a number, true, false or null
        }
        value.text = line.get(start..*at).unwrap_or("").to_string();
        value
    }

    fn get(&self, name: &str) -> &Json { self.fields.iter().find(|one| one.0 == name).map_or(&MISSING, |one| &one.1) }
    fn has(&self, name: &str) -> bool { !self.get(name).text.is_empty() }
    fn is(&self, word: &str) -> bool { self.string() == word }
    fn number(&self) -> i64 { self.text.parse().unwrap_or(0) } // 0 for null
    /// Return a string, "" for null.  (No name in the protocol contains escaped characters.)
    fn string(&self) -> String {
        if self.text.starts_with('"') { self.text[1..self.text.len() - 1].to_string() } else { String::new() }
    }
}

/// Read lines until `bye` or the end of the input, and answer `hello`, `ask` and `refused`.
fn main() {
    let (mut bot, mut ask, mut legal, mut action) = (None, Json::default(), Vec::new(), String::new());
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let message = Json::read(&line, &mut 0);
        match message.get("type").string().as_str() {
            "hello" => println!(r#"{{"type":"ready","protocol":1,"name":"{NAME}","wants":{WANTS}}}"#),
            "start" => bot = Some(MyBot::new(&message)),
            kind @ ("ask" | "refused") => {
                if kind == "ask" {
                    legal = message.get("legal").items.clone();
                    ask = message;
                } else { // the last question is still open, if the organiser allows another try
                    eprintln!("refused: {}", message.get("why").text); // the log; each line on stdout is an answer
                    legal.retain(|other: &Json| other.text != action);
                }
                let bot = bot.as_mut().expect("the arbiter starts a game before it asks");
                action = if ask.get("phase").is("setup") { bot.deploy(&ask) } else { bot.choose(&ask, &legal) };
                println!(r#"{{"type":"act","ask":{},"action":{action}}}"#, ask.get("ask").text);
            }
            "over" => eprintln!("{}: {}", message.get("ending").text, message.get("why").text),
            "bye" => break,
            _ => {} // a message from a later version of the arbiter: skip it
        }
    }
}

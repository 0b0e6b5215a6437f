#!/usr/bin/env node
// A whole bot in one file, with nothing but Node.js.  Make it yours.
//
// The arbiter starts this program, writes lines to its stdin and reads lines from its stdout.  Each line is
// one JSON object.  Whatever this program writes to stderr is kept for you to read.
//
// What this bot does: it attacks what it knows it can beat, else what it does not know, else it walks on.
// Change `score` to make it stronger: that is where it thinks.
"use strict";

const readline = require("node:readline");

const NAME = "javascript";

// What the arbiter adds to each question for us: all legal actions, and the board as we may know it.
// A bot that keeps its own board and knows the rules needs neither.
const WANTS = ["legal", "view"];

// One game: what `start` told us.  A program may be asked to play several, one after another.
class Game {
  constructor(start) {
    this.seat = start.seat; // "red" or "blue"; red sits at row 1, blue at row 10
    this.enemy = this.seat === "red" ? "blue" : "red";
    this.rules = start.rules;
    this.number = Object.fromEntries(this.rules.ranks.map(({ id, rank }) => [id, rank])); // null for bomb and flag
    // All our luck comes from the seed we were given: so the same game can be played again.
    this.luck = lucky(start.seed);
  }

  // Stand the whole army on our own squares, one piece a square.
  deploy(ask) {
    if ("line" in this.rules) return this.deployLine(ask.view.hand);
    const army = Object.entries(this.rules.army).flatMap(([rank, count]) => Array(count).fill(rank));
    const squares = this.shuffled(this.rules.deploy[this.seat]);
    return { type: "deploy", pieces: Object.fromEntries(army.map((rank, at) => [squares[at], rank])) };
  }

  // In the card game, lay cards of our hand in the line; a flag that stays in the hand is safe.
  deployLine(hand) {
    const cards = this.shuffled(hand).sort((one, other) => (one.rank === "flag") - (other.rank === "flag"));
    return { type: "deploy", line: cards.slice(0, this.rules.line).map((card) => card.place) };
  }

  // Choose the legal action with the highest score; luck decides between equals.
  choose(ask) {
    const own = this.ranks(ask.view, this.seat);
    const enemies = this.ranks(ask.view, this.enemy);
    let best = null;
    for (const action of this.shuffled(ask.legal)) {
      const score = this.score(action, own, enemies);
      if (best === null || score > best.score) best = { action, score };
    }
    return best.action;
  }

  // What we know of one side: a map from place to rank; null is a rank that we do not know.
  ranks(view, seat) {
    let pieces;
    if ("line" in this.rules) pieces = [...view.line[seat], ...(seat === this.seat ? view.hand : [])];
    else pieces = view.pieces.filter((piece) => piece.seat === seat);
    return new Map(pieces.map((piece) => [piece.place, piece.rank]));
  }

  // Say how good an action is.  All thinking is here.
  score(action, own, enemies) {
    if (action.type === "fill") {
      // The card game again: keep the flag in the hand.
      return Object.values(action.cards).some((place) => own.get(place) === "flag") ? -1 : 0;
    }
    // Some rule sets know other actions; they are all in ask.legal.
    if (action.type !== "move" && action.type !== "attack") return 0;
    const mine = own.get(action.src);
    if (!enemies.has(action.dst)) return this.wayForward(action) / 10; // a step onto an empty square
    const target = enemies.get(action.dst);
    // Where we do not know it, a weak attacker risks little, so it goes first.
    if (target === null) return 2 - this.number[mine] / 10;
    return this.beats(mine, target) ? 3 : -3;
  }

  // Count the rows that a move leads towards the enemy.
  wayForward(action) {
    const rows = Number(action.dst.slice(1)) - Number(action.src.slice(1));
    return this.seat === "red" ? rows : -rows;
  }

  // Say whether an attack would be won.
  beats(attacker, defender) {
    if (defender === "flag") return true;
    if (defender === "bomb") return attacker === "miner";
    if (attacker === "spy" && defender === "marshal") return true;
    return this.number[attacker] > this.number[defender]; // null counts as 0 here
  }

  shuffled(list) {
    const keyed = list.map((item) => [this.luck(), item]);
    return keyed.sort(([one], [other]) => one - other).map(([, item]) => item);
  }
}

// Return a generator of numbers from 0 to 1 (mulberry32): Math.random takes no seed.
function lucky(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Send one line.
function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// Write for ourselves.  Never use console.log: each line on stdout is an answer.
function log(...words) {
  console.error(...words);
}

// Read lines until `bye` or the end, and answer those that want an answer: `hello`, `ask` and `refused`.
async function main() {
  let game = null;
  let ask = null; // the last question
  let action = null; // and what we answered
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const said = JSON.parse(line);
    if (said.type === "hello") {
      say({ type: "ready", protocol: 1, name: NAME, wants: WANTS });
    } else if (said.type === "start") {
      game = new Game(said);
    } else if (said.type === "ask" || said.type === "refused") {
      if (said.type === "ask") {
        ask = said;
      } else {
        log("refused:", said.why); // the same question again, where the organiser allows it
        if (ask.legal) ask.legal = ask.legal.filter((other) => JSON.stringify(other) !== JSON.stringify(action));
      }
      action = ask.phase === "setup" ? game.deploy(ask) : game.choose(ask);
      say({ type: "act", ask: ask.ask, action });
    } else if (said.type === "over") {
      log(`${said.result} by ${said.ending}: ${said.why}`);
    } else if (said.type === "bye") {
      process.exit(0);
    }
    // Anything else is news of a later version: skip it.
  }
}

main();

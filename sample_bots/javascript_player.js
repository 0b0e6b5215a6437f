#!/usr/bin/env node
// A complete bot in one file, with only Node.js.  Make it yours.
//
// The arbiter starts this program, writes lines to its stdin and reads lines from its stdout.  Each line is
// one JSON object.  The arbiter keeps everything that this program writes to stderr, so that you can read it.
//
// This bot attacks pieces that it knows it can beat, else unknown pieces; otherwise it moves forward.
// To make it stronger, change `score`: it makes all decisions.
"use strict";

const readline = require("node:readline");

const NAME = "javascript";

// What the arbiter adds to each question: all legal actions, and the board as far as we may know it.
// A bot that keeps its own board and knows the rules needs neither.
const WANTS = ["legal", "view"];

// This bot in one game.  A program may be asked to play several games, one after another.
class MyBot {
  constructor(start) {
    this.seat = start.seat; // "red" or "blue"; red sits at row 1, blue at row 10
    this.enemy = this.seat === "red" ? "blue" : "red";
    this.rules = start.rules;
    this.number = Object.fromEntries(this.rules.ranks.map(({ id, rank }) => [id, rank])); // null for bomb and flag
    // All random choices use the seed of the arbiter, so the same game can be played again.
    this.random = seededRandom(start.seed);
  }

  // Put the whole army on our own squares, one piece to a square.
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

  // Return the legal action with the highest score, a random one if several have it.
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

  // Return what we know of one side: a map from place to rank, null if the rank is hidden.
  ranks(view, seat) {
    let pieces;
    if ("line" in this.rules) pieces = [...view.line[seat], ...(seat === this.seat ? view.hand : [])];
    else pieces = view.pieces.filter((piece) => piece.seat === seat);
    return new Map(pieces.map((piece) => [piece.place, piece.rank]));
  }

  // Return how good an action is.  All decisions are made here.
  score(action, own, enemies) {
    if (action.type === "fill") {
      // The card game again: keep the flag in the hand.
      return Object.values(action.cards).some((place) => own.get(place) === "flag") ? -1 : 0;
    }
    // Some rule sets have other actions; they are all in ask.legal.
    if (action.type !== "move" && action.type !== "attack") return 0;
    const mine = own.get(action.src);
    if (!enemies.has(action.dst)) return this.rowsForward(action) / 10; // a step to an empty square
    const target = enemies.get(action.dst);
    // An unknown piece.  A weak attacker risks little, so it goes first.
    if (target === null) return 2 - this.number[mine] / 10;
    return this.beats(mine, target) ? 3 : -3;
  }

  // Return the number of rows that a move goes towards the enemy.
  rowsForward(action) {
    const rows = Number(action.dst.slice(1)) - Number(action.src.slice(1));
    return this.seat === "red" ? rows : -rows;
  }

  // Return true if the attacker would win.
  beats(attacker, defender) {
    if (defender === "flag") return true;
    if (defender === "bomb") return attacker === "miner";
    if (attacker === "spy" && defender === "marshal") return true;
    return this.number[attacker] > this.number[defender]; // null counts as 0 here
  }

  shuffled(list) {
    const keyed = list.map((item) => [this.random(), item]);
    return keyed.sort(([one], [other]) => one - other).map(([, item]) => item);
  }
}

// Return a generator of numbers from 0 to 1 (mulberry32), because Math.random takes no seed.
function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Send one line.
function send(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// Write to the log.  Never use console.log: each line on stdout is an answer.
function log(...words) {
  console.error(...words);
}

// Read lines until `bye` or the end of the input, and answer `hello`, `ask` and `refused`.
async function main() {
  let bot = null;
  let ask = null; // the last question
  let action = null; // our answer to it
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    if (message.type === "hello") {
      send({ type: "ready", protocol: 1, name: NAME, wants: WANTS });
    } else if (message.type === "start") {
      bot = new MyBot(message);
    } else if (message.type === "ask" || message.type === "refused") {
      if (message.type === "ask") {
        ask = message;
      } else {
        // The last question is still open, if the organiser allows another try.
        log("refused:", message.why);
        if (ask.legal) ask.legal = ask.legal.filter((other) => JSON.stringify(other) !== JSON.stringify(action));
      }
      action = ask.phase === "setup" ? bot.deploy(ask) : bot.choose(ask);
      send({ type: "act", ask: ask.ask, action });
    } else if (message.type === "over") {
      log(`${message.result} by ${message.ending}: ${message.why}`);
    } else if (message.type === "bye") {
      process.exit(0);
    }
    // Other messages come from a later version of the arbiter: skip them.
  }
}

main();

#!/usr/bin/env python3
"""A complete bot in one file, with only the standard library.  Make it yours.

The arbiter starts this program, writes lines to its stdin and reads lines from its stdout.  Each line is
one JSON object.  The arbiter keeps everything that this program writes to stderr, so that you can read it.

This bot attacks pieces that it knows it can beat, else unknown pieces; otherwise it moves forward.
To make it stronger, change `score`: it makes all decisions.
"""

import json
import random
import sys
from typing import Any

Message = dict[str, Any]

NAME = "stdlib"

# What the arbiter adds to each question: all legal actions, and the board as far as we may know it.
# A bot that keeps its own board and knows the rules needs neither.
WANTS = ["legal", "view"]


class MyBot:
    """This bot in one game.  A program may be asked to play several games, one after another."""

    def __init__(self, start: Message) -> None:
        self.seat = start["seat"]  # "red" or "blue"; red sits at row 1, blue at row 10
        self.enemy = "blue" if self.seat == "red" else "red"
        self.rules = start["rules"]
        self.number = {rank["id"]: rank["rank"] for rank in self.rules["ranks"]}  # None for bomb and flag
        # All random choices use the seed of the arbiter, so the same game can be played again.
        self.rng = random.Random(start["seed"])

    def deploy(self, ask: Message) -> Message:
        """Put the whole army on our own squares, one piece to a square."""
        if "line" in self.rules:
            return self.deploy_line(ask["view"]["hand"])
        army = [rank for rank, count in self.rules["army"].items() for _ in range(count)]
        squares = self.rng.sample(self.rules["deploy"][self.seat], len(army))
        return {"type": "deploy", "pieces": dict(zip(squares, army, strict=True))}

    def deploy_line(self, hand: list[Message]) -> Message:
        """In the card game, lay cards of our hand in the line; a flag that stays in the hand is safe."""
        cards = sorted(hand, key=lambda card: (card["rank"] == "flag", self.rng.random()))
        return {"type": "deploy", "line": [card["place"] for card in cards[: self.rules["line"]]]}

    def choose(self, ask: Message) -> Message:
        """Return the legal action with the highest score, a random one if several have it."""
        own = self.ranks(ask["view"], self.seat)
        enemies = self.ranks(ask["view"], self.enemy)
        return max(ask["legal"], key=lambda action: (self.score(action, own, enemies), self.rng.random()))

    def ranks(self, view: Message, seat: str) -> dict[str, Any]:
        """Return what we know of one side: place to rank, None if the rank is hidden."""
        if "line" in self.rules:
            hand = view["hand"] if seat == self.seat else []
            return {card["place"]: card["rank"] for card in view["line"][seat] + hand}
        return {piece["place"]: piece["rank"] for piece in view["pieces"] if piece["seat"] == seat}

    def score(self, action: Message, own: dict[str, Any], enemies: dict[str, Any]) -> float:
        """Return how good an action is.  All decisions are made here."""
        if action["type"] == "fill":  # the card game again: keep the flag in the hand
            return -sum(1 for place in action["cards"].values() if own[place] == "flag")
        if action["type"] not in ("move", "attack"):
            return 0  # some rule sets have other actions; they are all in ask["legal"]
        mine = own[action["src"]]
        if action["dst"] not in enemies:
            return self.rows_forward(action) / 10  # a step to an empty square
        target = enemies[action["dst"]]
        if target is None:
            # An unknown piece.  A weak attacker risks little, so it goes first.
            return 2 - (self.number[mine] or 0) / 10
        return 3 if self.beats(mine, target) else -3

    def rows_forward(self, action: Message) -> int:
        """Return the number of rows that a move goes towards the enemy."""
        rows = int(action["dst"][1:]) - int(action["src"][1:])
        return rows if self.seat == "red" else -rows

    def beats(self, attacker: str, defender: str) -> bool:
        """Return True if the attacker would win."""
        if defender == "flag":
            return True
        if defender == "bomb":
            return attacker == "miner"
        if (attacker, defender) == ("spy", "marshal"):
            return True
        return (self.number[attacker] or 0) > (self.number[defender] or 0)


def send(message: Message) -> None:
    """Send one line.  Without the flush, the line stays in our buffer while the arbiter waits for it."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def log(*words: object) -> None:
    """Write to the log.  Never print to stdout: each line there is an answer."""
    print(*words, file=sys.stderr, flush=True)


def main() -> None:
    """Read lines until `bye` or the end of the input, and answer `hello`, `ask` and `refused`."""
    bot: MyBot  # made by each `start`
    ask: Message = {}
    action: Message = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            send({"type": "ready", "protocol": 1, "name": NAME, "wants": WANTS})
        elif message["type"] == "start":
            bot = MyBot(message)
        elif message["type"] in ("ask", "refused"):
            if message["type"] == "ask":
                ask = message
            else:  # the last question is still open, if the organiser allows another try
                log("refused:", message["why"])
                ask["legal"] = [other for other in ask.get("legal", []) if other != action]
            action = bot.deploy(ask) if ask["phase"] == "setup" else bot.choose(ask)
            send({"type": "act", "ask": ask["ask"], "action": action})
        elif message["type"] == "over":
            log(f"{message['result']} by {message['ending']}: {message['why']}")
        elif message["type"] == "bye":
            break
        # Other messages come from a later version of the arbiter: skip them.


if __name__ == "__main__":
    main()

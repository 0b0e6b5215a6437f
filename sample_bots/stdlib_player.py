#!/usr/bin/env python3
"""A whole bot in one file, with nothing but the standard library.  Make it yours.

The arbiter starts this program, writes lines to its stdin and reads lines from its stdout.  Each line is
one JSON object.  Whatever this program writes to stderr is kept for you to read.

What this bot does: it attacks what it knows it can beat, else what it does not know, else it walks on.
Change `score` to make it stronger: that is where it thinks.
"""

import json
import random
import sys

NAME = "stdlib"

# What the arbiter adds to each question for us: all legal actions, and the board as we may know it.
# A bot that keeps its own board and knows the rules needs neither.
WANTS = ["legal", "view"]


class Game:
    """One game: what `start` told us.  A program may be asked to play several, one after another."""

    def __init__(self, start: dict) -> None:
        self.seat = start["seat"]  # "red" or "blue"; red sits at row 1, blue at row 10
        self.enemy = "blue" if self.seat == "red" else "red"
        self.rules = start["rules"]
        self.number = {rank["id"]: rank["rank"] for rank in self.rules["ranks"]}  # null for bomb and flag
        # All our luck comes from the seed we were given: so the same game can be played again.
        self.luck = random.Random(start["seed"])

    def deploy(self, ask: dict) -> dict:
        """Stand the whole army on our own squares, one piece a square."""
        if "line" in self.rules:
            return self.deploy_line(ask["view"]["hand"])
        army = [rank for rank, count in self.rules["army"].items() for _ in range(count)]
        squares = self.luck.sample(self.rules["deploy"][self.seat], len(army))
        return {"type": "deploy", "pieces": dict(zip(squares, army, strict=True))}

    def deploy_line(self, hand: list) -> dict:
        """In the card game, lay cards of our hand in the line; a flag that stays in the hand is safe."""
        cards = sorted(hand, key=lambda card: (card["rank"] == "flag", self.luck.random()))
        return {"type": "deploy", "line": [card["place"] for card in cards[: self.rules["line"]]]}

    def choose(self, ask: dict) -> dict:
        """Choose the legal action with the highest score; luck decides between equals."""
        own, enemies = self.ranks(ask["view"], self.seat), self.ranks(ask["view"], self.enemy)
        return max(ask["legal"], key=lambda action: (self.score(action, own, enemies), self.luck.random()))

    def ranks(self, view: dict, seat: str) -> dict:
        """Return what we know of one side, by place; None is a rank that we do not know."""
        if "line" in self.rules:
            hand = view["hand"] if seat == self.seat else []
            return {card["place"]: card["rank"] for card in view["line"][seat] + hand}
        return {piece["place"]: piece["rank"] for piece in view["pieces"] if piece["seat"] == seat}

    def score(self, action: dict, own: dict, enemies: dict) -> float:
        """Say how good an action is.  All thinking is here."""
        if action["type"] == "fill":  # the card game again: keep the flag in the hand
            return -sum(own[place] == "flag" for place in action["cards"].values())
        if action["type"] not in ("move", "attack"):
            return 0  # some rule sets know other actions; they are all in ask["legal"]
        mine = own[action["src"]]
        if action["dst"] not in enemies:
            return self.way_forward(action) / 10  # a step onto an empty square
        target = enemies[action["dst"]]
        if target is None:
            # We do not know it.  A weak attacker risks little, so it goes first.
            return 2 - (self.number[mine] or 0) / 10
        return 3 if self.beats(mine, target) else -3

    def way_forward(self, action: dict) -> int:
        """Count the rows that a move leads towards the enemy."""
        rows = int(action["dst"][1:]) - int(action["src"][1:])
        return rows if self.seat == "red" else -rows

    def beats(self, attacker: str, defender: str) -> bool:
        """Say whether an attack would be won."""
        if defender == "flag":
            return True
        if defender == "bomb":
            return attacker == "miner"
        if (attacker, defender) == ("spy", "marshal"):
            return True
        return (self.number[attacker] or 0) > (self.number[defender] or 0)


def say(message: dict) -> None:
    """Send one line.  Flush, or the arbiter waits for a line that lies in our buffer."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def log(*words: object) -> None:
    """Write for ourselves.  Never print to stdout: each line there is an answer."""
    print(*words, file=sys.stderr, flush=True)


def main() -> None:
    """Read lines until `bye` or the end, and answer those that want an answer: `hello`, `ask` and `refused`."""
    game = ask = action = None
    for line in sys.stdin:
        said = json.loads(line)
        if said["type"] == "hello":
            say({"type": "ready", "protocol": 1, "name": NAME, "wants": WANTS})
        elif said["type"] == "start":
            game = Game(said)
        elif said["type"] in ("ask", "refused"):
            if said["type"] == "ask":
                ask = said
            else:
                log("refused:", said["why"])  # the same question again, where the organiser allows it
                ask["legal"] = [other for other in ask.get("legal", []) if other != action]
            action = game.deploy(ask) if ask["phase"] == "setup" else game.choose(ask)
            say({"type": "act", "ask": ask["ask"], "action": action})
        elif said["type"] == "over":
            log(f"{said['result']} by {said['ending']}: {said['why']}")
        elif said["type"] == "bye":
            break
        # Anything else is news of a later version: skip it.


if __name__ == "__main__":
    main()

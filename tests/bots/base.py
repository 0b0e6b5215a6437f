"""A bot that plays by the rules: it walks two pieces out and back for ever.

Every other program of this folder is this bot with one thing changed for the worse.
"""

import json
import sys

ARMY = {
    "flag": 1,
    "bomb": 6,
    "spy": 1,
    "marshal": 1,
    "general": 1,
    "colonel": 2,
    "major": 3,
    "captain": 4,
    "lieutenant": 4,
    "sergeant": 4,
    "miner": 5,
    "scout": 8,
}
WALKS = {
    "red": [("a4", "a5"), ("b4", "b5"), ("a5", "a4"), ("b5", "b4")],
    "blue": [("j7", "j6"), ("i7", "i6"), ("j6", "j7"), ("i6", "i7")],
}


def army_on_rows(rows):
    """Set the army up from the first of the rows on, flag and bombs first."""
    squares = [f"{file}{row}" for row in rows for file in "abcdefghij"]
    ranks = [rank for rank, count in ARMY.items() for _ in range(count)]
    return dict(zip(squares, ranks, strict=True))


def move(src, dst):
    """Write a move."""
    return {"type": "move", "src": src, "dst": dst}


class Bot:
    """Answers what it is asked; `turns` counts the turns it was asked for."""

    name = "walker"
    wants = ()

    def __init__(self):
        self.seat = "red"
        self.turns = 0

    def ready(self):
        """Introduce the bot."""
        return {"type": "ready", "protocol": 1, "name": self.name, "wants": list(self.wants)}

    def deployment(self):
        """Say which piece stands where."""
        return army_on_rows((1, 2, 3, 4) if self.seat == "red" else (10, 9, 8, 7))

    def action(self, ask):
        """Choose the action of a turn."""
        self.turns += 1
        return move(*WALKS[self.seat][(self.turns - 1) % 4])

    def act(self, ask):
        """Make the answer to a question."""
        setup = ask["phase"] == "setup"
        action = {"type": "deploy", "pieces": self.deployment()} if setup else self.action(ask)
        return {"type": "act", "ask": ask["ask"], "action": action}

    def answer(self, ask):
        """Answer a question."""
        self.say(self.act(ask))

    def say(self, message):
        """Write a message."""
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data):
        """Write bytes."""
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def greet(self):
        """Answer the greeting."""
        self.say(self.ready())

    def begin(self, start):
        """Hear that a game begins."""
        self.seat, self.turns = start["seat"], 0

    def refused(self, said):
        """Hear that an action was refused: give up."""
        self.say({"type": "act", "ask": said["ask"], "action": {"type": "resign"}})

    def over(self, said):
        """Hear how the game ended."""

    def bye(self):
        """Leave."""
        sys.exit()

    def hear(self, said):
        """Take one message."""
        match said["type"]:
            case "hello":
                self.greet()
            case "start":
                self.begin(said)
            case "ask":
                self.answer(said)
            case "refused":
                self.refused(said)
            case "over":
                self.over(said)
            case "bye":
                self.bye()

    def run(self):
        """Take messages until the end."""
        for line in sys.stdin.buffer:
            self.hear(json.loads(line))


if __name__ == "__main__":
    Bot().run()

"""A correct bot: it moves two pieces forward and back forever.

Most other programs in this folder are this bot with one fault.
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
MOVES = {
    "red": [("a4", "a5"), ("b4", "b5"), ("a5", "a4"), ("b5", "b4")],
    "blue": [("j7", "j6"), ("i7", "i6"), ("j6", "j7"), ("i6", "i7")],
}


def army_on_rows(rows):
    """Deploy the army on rows, flag and bombs on the first."""
    squares = [f"{file}{row}" for row in rows for file in "abcdefghij"]
    ranks = [rank for rank, count in ARMY.items() for _ in range(count)]
    return dict(zip(squares, ranks, strict=True))


def move(src, dst):
    return {"type": "move", "src": src, "dst": dst}


class Bot:
    """Answers every question; `turns` counts its turns."""

    name = "walker"
    wants = ()

    def __init__(self):
        self.seat = "red"
        self.turns = 0

    def build_ready(self):
        return {"type": "ready", "protocol": 1, "name": self.name, "wants": list(self.wants)}

    def choose_deployment(self):
        return army_on_rows((1, 2, 3, 4) if self.seat == "red" else (10, 9, 8, 7))

    def choose_action(self, ask):
        self.turns += 1
        return move(*MOVES[self.seat][(self.turns - 1) % 4])

    def build_act(self, ask):
        setup = ask["phase"] == "setup"
        action = {"type": "deploy", "pieces": self.choose_deployment()} if setup else self.choose_action(ask)
        return {"type": "act", "ask": ask["ask"], "action": action}

    def answer_ask(self, ask):
        self.send(self.build_act(ask))

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def answer_hello(self):
        self.send(self.build_ready())

    def start_game(self, start):
        self.seat = start["seat"]
        self.turns = 0

    def answer_refused(self, message):
        """Resign after a refusal."""
        self.send({"type": "act", "ask": message["ask"], "action": {"type": "resign"}})

    def end_game(self, message):
        pass

    def exit(self):
        sys.exit()

    def receive(self, message):
        match message["type"]:
            case "hello":
                self.answer_hello()
            case "start":
                self.start_game(message)
            case "ask":
                self.answer_ask(message)
            case "refused":
                self.answer_refused(message)
            case "over":
                self.end_game(message)
            case "bye":
                self.exit()

    def run(self):
        for line in sys.stdin.buffer:
            self.receive(json.loads(line))


if __name__ == "__main__":
    Bot().run()

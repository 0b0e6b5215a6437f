"""Plays its arguments, one in each turn: `a4-a5`, `resign`, `accept`, `offer:a4-a5`; then the moves of the base bot.

`wants=legal,view` before them sets its `wants`.  It copies all messages that it receives to stderr.
"""

import json
import sys

from base import MOVES, Bot, move


class Scripted(Bot):
    name = "scripted"

    def __init__(self, words):
        super().__init__()
        self.wants = tuple(words.pop(0)[6:].split(",")) if words and words[0].startswith("wants=") else ()
        self.words = words

    def build_act(self, ask):
        if ask["phase"] == "setup" or not self.words:
            return super().build_act(ask)
        _, offer, word = self.words.pop(0).rpartition("offer:")
        extra = {"offer_draw": True} if offer else {}
        return {"type": "act", "ask": ask["ask"], "action": self.read(word), "note": f"note on {word}"} | extra

    def read(self, word):
        if word == "-".join(MOVES[self.seat][self.turns % 4]):
            self.turns += 1
        plain = {"resign": {"type": "resign"}, "accept": {"type": "accept_draw"}}
        return plain.get(word) or move(*word.split("-"))

    def answer_refused(self, message):
        self.answer_ask({"phase": "turn", "ask": message["ask"]})

    def receive(self, message):
        print(json.dumps(message), file=sys.stderr, flush=True)
        super().receive(message)


Scripted(sys.argv[1:]).run()

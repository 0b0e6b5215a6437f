"""Acts as its arguments say, one a turn: `a4-a5`, `resign`, `accept`, `offer:a4-a5`; then it walks.

`wants=legal,view` before them says what it wants.  All that it was sent is written on stderr.
"""

import json
import sys

from base import WALKS, Bot, move


class Scripted(Bot):
    name = "scripted"

    def __init__(self, words):
        super().__init__()
        self.wants = tuple(words.pop(0)[6:].split(",")) if words and words[0].startswith("wants=") else ()
        self.words = words

    def act(self, ask):
        if ask["phase"] == "setup" or not self.words:
            return super().act(ask)
        _, offer, word = self.words.pop(0).rpartition("offer:")
        extra = {"offer_draw": True} if offer else {}
        return {"type": "act", "ask": ask["ask"], "action": self.read(word), "note": f"note on {word}"} | extra

    def read(self, word):
        if word == "-".join(WALKS[self.seat][self.turns % 4]):
            self.turns += 1
        plain = {"resign": {"type": "resign"}, "accept": {"type": "accept_draw"}}
        return plain.get(word) or move(*word.split("-"))

    def refused(self, said):
        self.answer({"phase": "turn", "ask": said["ask"]})

    def hear(self, said):
        print(json.dumps(said), file=sys.stderr, flush=True)
        super().hear(said)


Scripted(sys.argv[1:]).run()

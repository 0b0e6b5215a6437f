"""Answers the question for a setup with something else than a deployment of a board game; the argument says what."""

import sys

from base import Bot, move

ACTS = {
    "cards": {"type": "deploy", "line": ["hand:0", "hand:1", "hand:2", "hand:3", "hand:4"]},
    "empty": {"type": "deploy"},
    "move": move("a4", "a5"),
    "resign": {"type": "resign"},
}


class Builder(Bot):
    def answer(self, ask):
        self.say({"type": "act", "ask": ask["ask"], "action": ACTS[sys.argv[1]]})


Builder().run()

"""Answers the question for its deployment with another action; the argument selects it."""

import sys

from base import Bot, move

ACTS = {
    "cards": {"type": "deploy", "line": ["hand:0", "hand:1", "hand:2", "hand:3", "hand:4"]},
    "empty": {"type": "deploy"},
    "move": move("a4", "a5"),
    "resign": {"type": "resign"},
}


class WrongSetupAct(Bot):
    def answer_ask(self, ask):
        self.send({"type": "act", "ask": ask["ask"], "action": ACTS[sys.argv[1]]})


WrongSetupAct().run()

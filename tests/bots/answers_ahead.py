"""Sends the answers to its first two moves at once."""

import json

from base import Bot


class AnswersAhead(Bot):
    def answer_ask(self, ask):
        acts = [self.build_act(ask | {"ask": ask["ask"] + ahead}) for ahead in range(1 + (ask["phase"] == "turn"))]
        self.write(b"".join(json.dumps(act).encode() + b"\n" for act in acts))


AnswersAhead().run()

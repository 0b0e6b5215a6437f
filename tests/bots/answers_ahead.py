"""Answers its first two moves at once."""

import json

from base import Bot


class Ahead(Bot):
    def answer(self, ask):
        acts = [self.act(ask | {"ask": ask["ask"] + ahead}) for ahead in range(1 + (ask["phase"] == "turn"))]
        self.write(b"".join(json.dumps(act).encode() + b"\n" for act in acts))


Ahead().run()

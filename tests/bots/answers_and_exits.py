"""Answers its first move and exits at once."""

import sys

from base import Bot


class Hasty(Bot):
    def answer(self, ask):
        super().answer(ask)
        if ask["phase"] == "turn":
            sys.exit(0)


Hasty().run()

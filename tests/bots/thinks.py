"""Sleeps for so many seconds before each answer of a turn."""

import sys
import time

from base import Bot


class Thinker(Bot):
    def answer(self, ask):
        if ask["phase"] == "turn":
            time.sleep(float(sys.argv[1]))
        super().answer(ask)


Thinker().run()

"""Sleeps for a number of seconds before the answer of each turn."""

import sys
import time

from base import Bot


class Thinks(Bot):
    def answer_ask(self, ask):
        if ask["phase"] == "turn":
            time.sleep(float(sys.argv[1]))
        super().answer_ask(ask)


Thinks().run()

"""Thinks forever about its first move, or with an argument about its deployment."""

import sys
import time

from base import Bot


class SleepsForever(Bot):
    def answer_ask(self, ask):
        if ask["phase"] == "turn" or sys.argv[1:] == ["setup"]:
            time.sleep(3600)
        super().answer_ask(ask)


SleepsForever().run()

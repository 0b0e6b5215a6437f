"""Carries a number from one game of a pair to the other by the time of day at which the first one ends.

It resigns when the clock shows the number.  Its note is the number of this game, and the one that it read from the
clock when this game began, in steps of STEP_S.
"""

import random
import sys
import time

from base import Bot

STEP_S = float(sys.argv[1])
STEPS = int(sys.argv[2])


def read_clock():
    return int(time.time() / STEP_S) % STEPS


class EndsOnTime(Bot):
    def start_game(self, start):
        super().start_game(start)
        self.read = read_clock()
        self.number = random.randrange(STEPS)

    def build_act(self, ask):
        if ask["phase"] == "setup":
            return super().build_act(ask)
        while read_clock() != self.number:
            time.sleep(STEP_S / 10)
        note = f"{self.number} {self.read}"
        return {"type": "act", "ask": ask["ask"], "action": {"type": "resign"}, "note": note}


if __name__ == "__main__":
    EndsOnTime().run()

"""Plays three turns, creates the file `asleep.log` next to it, and continues when the file `awake.log` exists.

With an argument it waits in each game.
"""

import sys
import time
from pathlib import Path

from base import Bot

HERE = Path(__file__).parent


class Waits(Bot):
    name = "waiter"

    def choose_action(self, ask):
        if self.turns == 3:
            (HERE / "asleep.log").touch()
            deadline = time.monotonic() + 3600
            while not (HERE / "awake.log").exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            if sys.argv[1:]:
                (HERE / "asleep.log").unlink()
                (HERE / "awake.log").unlink()
        return super().choose_action(ask)


if __name__ == "__main__":
    Waits().run()

"""Plays three turns, says that it waits, and plays on once it is woken by a file beside it.

With an argument it is to be woken in each game.
"""

import sys
import time
from pathlib import Path

from base import Bot

HERE = Path(__file__).parent


class Waiter(Bot):
    name = "waiter"

    def action(self, ask):
        if self.turns == 3:
            (HERE / "asleep").touch()
            while not (HERE / "awake").exists():
                time.sleep(0.02)
            if sys.argv[1:]:
                (HERE / "asleep").unlink()
                (HERE / "awake").unlink()
        return super().action(ask)


if __name__ == "__main__":
    Waiter().run()

"""Tournaments that stop in the middle of their first game, in which a bot waits until a test wakes it."""

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

from cli.command_line import StartedArbiter, write_tournament
from cli.sleeping_bot import wait_until_asleep, wake

BOTS = Path(__file__).parents[1] / "bots"
FIRST = "waiter~walker~1"


def waiting_tournament(folder, *each, **settings):
    """Write a tournament in which a bot waits after three turns of its first game; with an argument, of each game."""
    for name in ("waits.py", "base.py"):
        shutil.copy(BOTS / name, folder)
    bots = [
        {"name": name, "command": [sys.executable, "-ES", *words]}
        for name, words in (("waiter", ["./waits.py", *each]), ("walker", ["./base.py"]))
    ]
    terms = {"rules": "original", "draws": {"no_attack_plies": 12}, "jobs": 1, "time": {"bank_s": 3600}} | settings
    return write_tournament(folder, bots=bots, **terms)


@contextmanager
def run_until_waiting(file, *words):
    """Run a tournament until its bot waits in the first game; `wake` lets it continue."""
    with StartedArbiter("run", file, *words) as running:
        wait_until_asleep(file.parent)
        try:
            yield running
        finally:
            wake(file.parent)  # otherwise the bot of a killed arbiter waits forever

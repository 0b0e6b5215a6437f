"""A tournament of one game at a time, in which a bot waits in the middle of its first game until it is woken."""

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

from cli.desk import Started, write_tournament
from cli.sleepers import wait_for_sleepers, wake

BOTS = Path(__file__).parents[1] / "bots"
FIRST = "waiter~walker~1"


def waiting_tournament(folder, *each, **settings):
    """Write a tournament in which a bot waits after three turns, of the first game or of `each`; the other walks."""
    for name in ("waits.py", "base.py"):
        shutil.copy(BOTS / name, folder)
    bots = [
        {"name": name, "command": [sys.executable, "-ES", *words]}
        for name, words in (("waiter", ["./waits.py", *each]), ("walker", ["./base.py"]))
    ]
    terms = {"rules": "original", "draws": {"no_attack_plies": 12}, "jobs": 1} | settings
    return write_tournament(folder, bots=bots, **terms)


@contextmanager
def under_way(file, *words):
    """Play it, and hold it in the middle of its first game; `wake` lets it go on."""
    with Started("run", file, *words) as running:
        wait_for_sleepers(file.parent)
        try:
            yield running
        finally:
            wake(file.parent)  # else a bot waits for ever whose arbiter was killed

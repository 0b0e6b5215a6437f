"""Run first in the workers of several machines: the others wait until the attic has played, as the test wants.

So no test depends on how soon a machine gets a core.
"""

import os
import re
import threading
import time
from pathlib import Path

from msgspec.structs import replace  # noqa: F401 - for what tests patch

from arbiter.cluster import games, messages, worker
from arbiter.tournament.execution import arrival  # noqa: F401 - the same

PATIENCE_S = 60
POLL_S = 0.02
IS_ATTIC = os.environ.get("CLUSTER_MACHINE") == "attic"
PLACE = Path(os.environ["CLUSTER_PLACE"])
FIRST = PLACE / "first"
"""So many tasks of a run end in the attic, with lines that match a pattern, before others begin."""
PATCH = PLACE / "patch.py"
"""Changes the games that the attic plays; it uses the names of this module."""
TURN = threading.Lock()
usual = {module: dict(vars(module)) for module in (games, worker)}
play = getattr(worker.ArbiterPlugin.play, "usual", worker.ArbiterPlugin.play)  # a preload runs twice


def play_in_turn(plugin, key, *task):
    ended = PLACE / key[0].removesuffix("-bots")
    if IS_ATTIC:
        with TURN:
            for module, names in usual.items():
                vars(module).update(names)
            exec(PATCH.read_text(), dict(globals()))
    else:
        limit = time.monotonic() + PATIENCE_S
        while not has_begun(ended) and time.monotonic() < limit:
            time.sleep(POLL_S)
    report = play(plugin, key, *task)
    if IS_ATTIC:
        with ended.open("a") as file:
            file.write(f"{'lacks bots of' if lacks_bots(report) else 'ends'} {key}\n")
    return report


def lacks_bots(report):
    """Return True if the task is sent again, with the bots."""
    try:
        return bool(messages.decode_report(report).missing)
    except ValueError:  # the test has damaged it
        return False


def has_begun(ended):
    """Return True if the attic has ended as many tasks of a run as the test wants."""
    count, _, pattern = FIRST.read_text().partition(" ")
    return len(re.findall(pattern, ended.read_text() if ended.exists() else "")) >= int(count)


play_in_turn.usual = play
worker.ArbiterPlugin.play = play_in_turn

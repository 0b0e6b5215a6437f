"""Run first in the workers of several machines: the others wait until the attic has played, as the test wants.

So no test depends on how soon a machine gets a core.
"""

import os
import socket
import threading
import time
from pathlib import Path

from arbiter.cluster import games, worker

PATIENCE_S = 60
POLL_S = 0.02
ATTIC = "attic"
PLACE = Path(os.environ["CLUSTER_PLACE"])
FIRST = PLACE / "first"
"""So many tasks of a run that contain a word end in the attic before others begin."""
PATCH = PLACE / "patch.py"
"""Changes the games that the attic plays."""
TURN = threading.Lock()
usual = {module: dict(vars(module)) for module in (games, worker)}
play = getattr(worker.ArbiterPlugin.play, "usual", worker.ArbiterPlugin.play)  # a preload runs twice


def play_in_turn(plugin, key, *task):
    ended = PLACE / key[0].removesuffix("-bots")
    if is_attic():
        with TURN:
            for module, names in usual.items():
                vars(module).update(names)
            exec(PATCH.read_text(), {})
    else:
        limit = time.monotonic() + PATIENCE_S
        while not has_begun(ended) and time.monotonic() < limit:
            time.sleep(POLL_S)
    try:
        return play(plugin, key, *task)
    finally:
        if is_attic():
            with ended.open("a") as file:
                file.write(f"{key}\n")


def is_attic():
    return ATTIC in (socket.gethostname(), os.environ.get("CLUSTER_MACHINE"))


def has_begun(ended):
    """Return True if the attic has ended as many tasks of a run as the test wants."""
    count, _, word = FIRST.read_text().partition(" ")
    lines = ended.read_text().splitlines() if ended.exists() else []
    return len([line for line in lines if word in line]) >= int(count)


play_in_turn.usual = play
worker.ArbiterPlugin.play = play_in_turn

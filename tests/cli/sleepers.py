"""A tournament with a bot that sleeps until it is woken, so that a run can be stopped in the middle of its games."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from cli.desk import well, write_tournament

import sample_bots

SAMPLE = Path(sample_bots.__path__[0]) / "stdlib_player.py"
# Plays like its neighbour, once it is woken; until then it never comes to the point.
SLEEPER = """
import runpy, sys, time
from pathlib import Path
here = Path(__file__).parent
while not (here / "awake").exists():
    (here / "asleep").touch()
    time.sleep(0.02)
runpy.run_path(str(here / "player.py"), run_name="__main__")
"""

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="allowed: needs /proc")


def furnish(folder):
    """Put two quick bots into a folder that are found by their working folder, and one that sleeps."""
    shutil.copy(SAMPLE, folder / "player.py")
    (folder / "sleeper.py").write_text(SLEEPER)
    return folder


def quick(name):
    return {"name": name, "command": ["./player.py"]}


def tournament(folder, *, games, sleeping=False):
    sleeper = [{"name": "sleeper", "command": ["./sleeper.py"]}] if sleeping else []
    time = {"start_s": 60}
    return write_tournament(folder, bots=(*sleeper, quick("one"), quick("two")), games=games, jobs=2, time=time)


def stored(file):
    return [json.loads(line) for line in well("games", file, "--json").splitlines()]


def wait_for_sleepers(folder):
    while not (folder / "asleep").exists():
        os.sched_yield()


def wake(folder):
    (folder / "awake").touch()

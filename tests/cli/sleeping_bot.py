"""Tournaments with a bot that sleeps until a test wakes it: the run can be stopped during its games."""

import json
import shutil
import sys
import time
from pathlib import Path

import pytest
from cli.command_line import PATIENCE_S, call_ok, write_tournament

import sample_bots

SAMPLE = Path(sample_bots.__path__[0]) / "stdlib_player.py"
# Plays like player.py after it is woken; until then it does not even start up.  Its .log files are not part of the program.
SLEEPER = """
import runpy, sys, time
from pathlib import Path
here = Path(__file__).parent
while not (here / "awake.log").exists():
    (here / "asleep.log").touch()
    time.sleep(0.02)
runpy.run_path(str(here / "player.py"), run_name="__main__")
"""

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="allowed: needs /proc")


def add_bots(folder):
    """Write player.py and sleeper.py into a folder.  The tests find the processes by this folder."""
    shutil.copy(SAMPLE, folder / "player.py")
    (folder / "sleeper.py").write_text(SLEEPER)
    return folder


def quick_bot(name):
    return {"name": name, "command": ["./player.py"]}


def tournament(folder, *, games, sleeping=False):
    sleeper = [{"name": "sleeper", "command": ["./sleeper.py"]}] if sleeping else []
    bots = (*sleeper, quick_bot("one"), quick_bot("two"))
    return write_tournament(folder, bots=bots, games=games, jobs=2, time={"start_s": 3600})


def list_games(file):
    return [json.loads(line) for line in call_ok("games", file, "--json").splitlines()]


def wait_until_asleep(folder):
    """Wait until the bot sleeps.  Raises TimeoutError."""
    limit = time.monotonic() + PATIENCE_S
    while not (folder / "asleep.log").exists():
        if time.monotonic() > limit:
            raise TimeoutError(f"no bot sleeps in {folder}")
        time.sleep(0.01)


def wake(folder):
    (folder / "awake.log").touch()

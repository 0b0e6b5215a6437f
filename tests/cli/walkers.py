"""Tournaments whose games take a few milliseconds: bots that answer at once, until a limit of plies."""

import shutil
import subprocess
import sys
from pathlib import Path

from cli.desk import write_tournament

TESTS = Path(__file__).parent.parent
SHUFFLER = TESTS.parent / "benchmarks" / "shuffler.c"
PLIES = 6


def walker_in(folder):
    """Return the command of a bot that walks out and back: native where there is a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return [sys.executable, "-ES", str(TESTS / "bots" / "base.py")]
    subprocess.run([compiler, "-O2", "-o", folder / "shuffler", SHUFFLER], check=True)
    return [str(folder / "shuffler")]


def walkers(folder, walker, games):
    """Write a tournament of two such bots."""
    bots = [{"name": name, "command": walker} for name in ("one", "two")]
    limits = {"max_plies": PLIES}
    return write_tournament(
        folder, rules="original", bots=bots, games=games, draws=limits, time={"start_s": 60}, jobs=2
    )

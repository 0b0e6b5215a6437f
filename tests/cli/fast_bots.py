"""Tournaments with games of a few milliseconds: bots that answer at once, and a low ply limit."""

import shutil
import subprocess
import sys
from pathlib import Path

from cli.command_line import write_tournament

TESTS = Path(__file__).parent.parent
SHUFFLER = TESTS.parent / "benchmarks" / "shuffler.c"
PLIES = 6


def build_fast_bot(folder):
    """Return the command of a bot that moves out and back; compiled if there is a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return [sys.executable, "-ES", str(TESTS / "bots" / "base.py")]
    subprocess.run([compiler, "-O2", "-o", folder / "shuffler", SHUFFLER], check=True)
    return [str(folder / "shuffler")]


def fast_tournament(folder, fast_bot, games, jobs=2, **settings):
    """Write a tournament of two fast bots."""
    bots = [{"name": name, "command": fast_bot} for name in ("one", "two")]
    limits = {"max_plies": PLIES}
    return write_tournament(
        folder, rules="original", bots=bots, games=games, draws=limits, time={"start_s": 60}, jobs=jobs, **settings
    )

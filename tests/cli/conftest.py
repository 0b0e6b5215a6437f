"""Fixtures of the tests of the command line.

Playing a game costs 0.1 s and more, so a test that only needs results uses those that are played once:

- `played`: the file of a tournament of 12 duels between three sample bots;
- `logged`: that of two duels between `hunter` and `random`, with all messages;
- `ladder`: that of a ladder of 6 duels;
- `forfeited`: that of short games in which one of three bots breaks the protocol; `read_told` returns what the run printed;
- `club`: a copy of `played` that a test may change; `copy_event` copies any of them;
- `play_once`: plays another tournament once; use it in a fixture with the scope of a session or a module.

Where any bot will do, use one that answers at once and starts in a few milliseconds; a bot in Python needs 0.06 s:
`quick` plays whole games of every rule set, `fast_bot` only moves out and back in short games of `original`.
"""

import fcntl
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli.command_line import FOLDER, TOLD, bot, call_ok, write_tournament
from cli.fast_bots import build_fast_bot
from cli.sleeping_bot import add_bots

from arbiter.sandbox.select import NoSandbox, open_sandbox
from sample_bots import stdlib_player


@pytest.fixture(scope="module", autouse=True)
def scratch(tmp_path_factory):
    """Put the temporary files of started arbiters, which may be killed, into the temporary folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("scratch")))
        yield


@pytest.fixture(scope="session")
def sandboxes():
    """Skip if this machine cannot build sandboxes."""
    try:
        open_sandbox()
    except NoSandbox as lack:
        pytest.skip(f"no sandbox: {lack}")


# --- results that are played once -----------------------------------------------------------------


@pytest.fixture(scope="session")
def make_once(tmp_path_factory):
    """Return a function that fills a folder in one process of pytest-xdist, and gives each process a copy of it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def make_once(name, fill):
        first = shared / f"first-{name}"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not first.exists():
                folder = tmp_path_factory.mktemp(name)
                fill(folder)
                folder.rename(first)
        return shutil.copytree(first, base / f"once-{name}")

    return make_once


@pytest.fixture(scope="session")
def play_once(make_once):
    """Return a function that plays a tournament of some settings; it returns the file, and the name must be unique."""

    def play_once(name, *words, **settings):
        def play(folder):
            told = call_ok("run", write_tournament(folder, **settings), *words)
            (folder / TOLD).write_text(told.replace(str(folder), FOLDER), encoding="utf-8")

        return make_once(name, play) / "club.toml"

    return play_once


@pytest.fixture(scope="session")
def played(play_once):
    return play_once("played", bots=("hunter", "random", "stdlib"), games=4, seed=2026)


@pytest.fixture(scope="session")
def logged(play_once):
    return play_once("logged", games=2, keep_logs=True)


@pytest.fixture(scope="session")
def ladder(play_once):
    return play_once("ladder", format="ladder", max_games=6)


@pytest.fixture(scope="session")
def forfeited(play_once):
    bots = [bot(name) for name in ("base", "logs_at_the_end", "prints_debug")]
    return play_once("forfeited", rules="original", bots=bots, draws={"max_plies": 6})


@pytest.fixture
def copy_event(tmp_path):
    """Return a function that copies a played tournament, so that a test may change it."""

    def copy_event(file, name="club"):
        return shutil.copytree(file.parent, tmp_path / name) / file.name

    return copy_event


@pytest.fixture
def club(played, copy_event):
    return copy_event(played)


# --- bots -----------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def fast_bot(tmp_path_factory):
    """Return the command of a bot that answers at once."""
    return build_fast_bot(tmp_path_factory.mktemp("fast_bot"))


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the programs of two quick bots and one that sleeps."""
    return add_bots(tmp_path)


# --- bots that play whole games and answer at once ------------------------------------------------


@pytest.fixture(scope="session")
def quick(tmp_path_factory):
    """Return the entries of three bots that are named like sample bots: the starter in C, or in Python without cc."""
    command = [sys.executable, "-ES", stdlib_player.__file__]
    if shutil.which("cc"):
        command = [str(tmp_path_factory.mktemp("quick") / "player")]
        subprocess.run(["cc", "-o", *command, Path(stdlib_player.__file__).with_name("c_player.c")], check=True)
    return [{"name": name, "command": command} for name in ("hunter", "random", "stdlib")]


@pytest.fixture(scope="session")
def quick_words(quick):
    """Return the same bots as words for `match`."""
    return [f"{bot['name']}={shlex.join(bot['command'])}" for bot in quick]

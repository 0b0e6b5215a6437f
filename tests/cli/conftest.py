"""Fixtures: a played tournament, fast bots, temporary folders."""

import fcntl
import os
import shutil

import pytest
from cli.command_line import call_ok, write_tournament
from cli.fast_bots import build_fast_bot
from cli.sleeping_bot import add_bots

from arbiter.sandbox.select import NoSandbox, open_sandbox


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


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """Play one small tournament for all read-only tests, in one process of pytest-xdist; return its file."""
    base = tmp_path_factory.getbasetemp()
    first = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "first"
    with (first.parent / "first.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not first.exists():
            folder = tmp_path_factory.mktemp("first")
            call_ok("run", write_tournament(folder, bots=("hunter", "random", "stdlib"), games=4, seed=2026))
            folder.rename(first)
    shutil.copytree(first, base / "played")
    return base / "played" / "club.toml"


@pytest.fixture
def club(played, tmp_path):
    """Return a copy of the tournament that a test may damage."""
    shutil.copytree(played.parent, tmp_path / "club")
    return tmp_path / "club" / played.name


@pytest.fixture(scope="session")
def fast_bot(tmp_path_factory):
    """Return the command of a bot that answers at once."""
    return build_fast_bot(tmp_path_factory.mktemp("fast_bot"))


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the programs of two quick bots and one that sleeps."""
    return add_bots(tmp_path)

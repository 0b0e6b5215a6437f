"""A tournament that was played, and the bot for those that are played fast."""

import shutil

import pytest
from cli.desk import well, write_tournament
from cli.sleepers import furnish
from cli.walkers import walker_in


@pytest.fixture(scope="module", autouse=True)
def scratch(tmp_path_factory):
    """Give arbiters that are started, and may be killed, a place for what they leave that goes with the tests'."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("scratch")))
        yield


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """Play one small tournament for all tests that only look at it; return its file."""
    folder = tmp_path_factory.mktemp("played")
    file = write_tournament(folder, bots=("hunter", "random", "stdlib"), games=4, seed=2026)
    well("run", file)
    return file


@pytest.fixture
def club(played, tmp_path):
    """Return a copy of the tournament that may be broken."""
    shutil.copytree(played.parent, tmp_path / "club")
    return tmp_path / "club" / played.name


@pytest.fixture(scope="session")
def walker(tmp_path_factory):
    """Return the command of a bot that answers at once."""
    return walker_in(tmp_path_factory.mktemp("walker"))


@pytest.fixture
def folder(tmp_path):
    """Return a folder with two quick bots and one that sleeps."""
    return furnish(tmp_path)

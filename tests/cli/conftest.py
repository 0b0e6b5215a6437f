"""A tournament that was played."""

import shutil

import pytest
from cli.desk import well, write_tournament


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

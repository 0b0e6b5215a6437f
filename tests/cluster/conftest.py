"""Fixtures: folders with bots, and for the processes of clusters."""

import pytest
from cli.fast_bots import build_fast_bot
from cli.sleeping_bot import add_bots


@pytest.fixture(scope="module", autouse=True)
def scratch(tmp_path_factory):
    """Put temporary files of processes that may be killed into the temporary folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASK_ARBITER__IDLE_S", "0")  # the machine is never idle during the tests
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("scratch")))
        yield


@pytest.fixture(scope="session")
def fast_bot(tmp_path_factory):
    """Return the command of a bot that answers at once."""
    return build_fast_bot(tmp_path_factory.mktemp("fast_bot"))


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the programs of two quick bots and one that sleeps."""
    (tmp_path / "event").mkdir()
    return add_bots(tmp_path / "event")

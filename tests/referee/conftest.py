"""What several tests of the referee need."""

import ctypes

import pytest

from arbiter.referee.orphans import adopt_orphans
from arbiter.referee.probe import NoSandbox, open_sandbox

SET_CHILD_SUBREAPER = 36


@pytest.fixture
def adopting():
    """Let this process adopt what bots leave behind, for one test."""
    if not adopt_orphans():
        pytest.skip("allowed: only Linux lets a process adopt orphans")
    yield
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@pytest.fixture(scope="session")
def sandbox():
    """Return the tier `full`, where this machine can build sandboxes."""
    try:
        return open_sandbox()
    except NoSandbox as lack:
        pytest.skip(f"no sandbox: {lack}")

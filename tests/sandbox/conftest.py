"""Patience with bots on a busy machine."""

import pytest

from arbiter.referee import pool
from arbiter.sandbox import bot_process


@pytest.fixture(autouse=True)
def wait_for_exits(request, monkeypatch):
    """Wait longer than usual for the exit of a process that has closed its pipes, if it will exit."""
    if "closes" not in request.node.name:
        monkeypatch.setattr(bot_process, "_EXIT_SHOWS_S", 20)


@pytest.fixture
def patient(monkeypatch):
    """Wait until bots have written their last words and exited by themselves."""
    monkeypatch.setattr(pool, "GRACE_S", 60)

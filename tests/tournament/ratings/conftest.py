"""Ratings as users see them."""

import pytest
from fork_server import USUAL_DRAWS

from arbiter.tournament.ratings import pool


@pytest.fixture(autouse=True)
def usual_draws(monkeypatch):
    """Draw as many samples as usual, not the few with which other tests are content."""
    monkeypatch.setattr(pool, "_MOST_DRAWS", USUAL_DRAWS)

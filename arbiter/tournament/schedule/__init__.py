"""Who meets whom, in which order: the one list that makes tournament formats exist."""

from collections.abc import Callable, Sequence
from typing import Final

from arbiter.games.catalogue import unknown
from arbiter.tournament.schedule.fixture import Fixture
from arbiter.tournament.schedule.round_robin import round_robin

__all__ = ["FORMATS", "Fixture", "Format", "find_format"]

Format = Callable[[Sequence[str], int], tuple[Fixture, ...]]

FORMATS: Final[dict[str, Format]] = {"round-robin": round_robin}


def find_format(name: str) -> Format:
    """Find a format by name.  Raises ConfigError."""
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return FORMATS[name]

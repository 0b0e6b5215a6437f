"""Who meets whom, in which order: the one list that makes tournament formats exist."""

from typing import Final

from arbiter.games.catalogue import unknown
from arbiter.tournament.fixture import Fixture, Round
from arbiter.tournament.schedule.format import Detail, Entrants, Format
from arbiter.tournament.schedule.gauntlet import GAUNTLET
from arbiter.tournament.schedule.knockout import KNOCKOUT, bracket
from arbiter.tournament.schedule.round_robin import ROUND_ROBIN
from arbiter.tournament.schedule.stages import Plan, Schedule, Stage
from arbiter.tournament.schedule.swiss import SWISS

__all__ = [
    "FORMATS",
    "Detail",
    "Entrants",
    "Fixture",
    "Format",
    "Plan",
    "Round",
    "Schedule",
    "Stage",
    "bracket",
    "find_format",
]

FORMATS: Final[dict[str, Format]] = {
    "round-robin": ROUND_ROBIN,
    "gauntlet": GAUNTLET,
    "swiss": SWISS,
    "knockout": KNOCKOUT,
}


def find_format(name: str) -> Format:
    """Find a format by name.  Raises ConfigError."""
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return FORMATS[name]

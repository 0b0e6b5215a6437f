"""Tournament formats, by name. A new format is added to `FORMATS`."""

from typing import Final

from arbiter.errors import unknown_name
from arbiter.tournament.schedule.format import Format
from arbiter.tournament.schedule.gauntlet import GAUNTLET
from arbiter.tournament.schedule.knockout import KNOCKOUT
from arbiter.tournament.schedule.round_robin import ROUND_ROBIN
from arbiter.tournament.schedule.swiss import SWISS

FORMATS: Final[dict[str, Format]] = {
    "round-robin": ROUND_ROBIN,
    "gauntlet": GAUNTLET,
    "swiss": SWISS,
    "knockout": KNOCKOUT,
}


def find_format(name: str) -> Format:
    """Find a format by name.  Raises ConfigError."""
    if name not in FORMATS:
        raise unknown_name("format", name, FORMATS)
    return FORMATS[name]

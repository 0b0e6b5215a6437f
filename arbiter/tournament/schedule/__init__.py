"""Tournament formats, by name. A new format is a module of this package and an entry in `FORMATS`."""

from typing import Final, Literal

from arbiter.errors import ConfigError, check_known
from arbiter.tournament.schedule.format import AnyFormat
from arbiter.tournament.schedule.knockout import KNOCKOUT
from arbiter.tournament.schedule.ladder import LADDER
from arbiter.tournament.schedule.round_robin import GAUNTLET, ROUND_ROBIN
from arbiter.tournament.schedule.swiss import SWISS
from arbiter.tournament.schedule.until_sure import ROUND_ROBIN_UNTIL_SURE

FORMATS: Final[dict[str, AnyFormat]] = {form.name: form for form in (ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT, LADDER)}


UntilSure = Literal["until sure"]
"""Value of the key `games`: the results decide how many games are played."""
UNTIL_SURE: Final[dict[str, AnyFormat]] = {form.name: form for form in (ROUND_ROBIN_UNTIL_SURE,)}
"""The formats that can be played until their result is certain."""


def find_format(name: str, games: int | UntilSure) -> AnyFormat:
    """Find a format by its name and the games of a pairing.  Raises ConfigError."""
    try:
        check_known("format", name, FORMATS)
    except ConfigError as error:
        raise ConfigError(f"format: {error}") from None
    if isinstance(games, int):
        return FORMATS[name]
    if name not in UNTIL_SURE:
        raise ConfigError(
            f'games: "{games}" is for format {" or ".join(map(repr, UNTIL_SURE))}, but the format is {name!r}'
        )
    return UNTIL_SURE[name]

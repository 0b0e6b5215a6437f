"""Tournament formats, by name. A new format is a module of this package and an entry in `FORMATS`."""

from typing import Final

from arbiter.errors import ConfigError, check_known
from arbiter.tournament.schedule.format import AnyFormat
from arbiter.tournament.schedule.knockout import KNOCKOUT
from arbiter.tournament.schedule.ladder import LADDER
from arbiter.tournament.schedule.round_robin import GAUNTLET, ROUND_ROBIN
from arbiter.tournament.schedule.swiss import SWISS

FORMATS: Final[dict[str, AnyFormat]] = {form.name: form for form in (ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT, LADDER)}


def find_format(name: str) -> AnyFormat:
    """Find a format by its name.  Raises ConfigError."""
    try:
        check_known("format", name, FORMATS)
    except ConfigError as error:
        raise ConfigError(f"format: {error}") from None
    return FORMATS[name]

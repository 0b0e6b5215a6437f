"""A time control of the command line."""

import re
from typing import Final

import click

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError

time_option = click.option(
    "--time", default="60+0.1", show_default=True, metavar="BANK+INC/MOVE", help="Seconds, as in 60+0.1/5."
)
_TIME: Final = re.compile(r"(?P<bank>\d+(\.\d+)?)(\+(?P<increment>\d+(\.\d+)?))?(/(?P<move>\d+(\.\d+)?))?")


def read_time(text: str) -> TimeSettings:
    """Read a time control.  Raises ConfigError."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise ConfigError(f"--time {text}: must be seconds as BANK+INCREMENT/MOVE, such as 60, 60+0.1 or 60+0.1/5")
    move = found["move"]
    return TimeSettings(
        bank_s=float(found["bank"]),
        increment_s=float(found["increment"] or 0),
        move_s=None if move is None else float(move),
    )

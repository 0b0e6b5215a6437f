"""The options of commands that show games to spectators: where, how late, and how much of them."""

import re
from typing import Final

import click
from msgspec import Struct

from arbiter.cli.options import give
from arbiter.cli.printing import lang_option
from arbiter.show.names import DEFAULT_LANGUAGE

LOCAL: Final = "127.0.0.1"
USUAL_DELAY: Final = 10


class Address(Struct, frozen=True):
    """Where pages are asked for; port 0 is any that is free."""

    host: str
    port: int


class AddressType(click.ParamType[Address]):
    """A port of this machine alone, or an address that others reach too."""

    name = "[host:]port"

    def convert(self, value: str | Address, param: click.Parameter | None, ctx: click.Context | None) -> Address:
        """Take 8000, 0.0.0.0:8000 or [::]:8000."""
        if isinstance(value, Address):
            return value
        found = re.fullmatch(r"(?:(?P<host>[^:\[\]]+|\[[^\]]*\]):)?(?P<port>[0-9]{1,5})", value)
        if found is None or int(found["port"]) >= 1 << 16:
            self.fail(f"{value!r} is neither a port like 8000 nor an address like 0.0.0.0:8000", param, ctx)
        return Address((found["host"] or LOCAL).strip("[]"), int(found["port"]))


class Spectators(Struct, frozen=True, kw_only=True):
    """How games under way are shown: so many plies late, from a spectator's seat or from all, in which names."""

    delay: int = USUAL_DELAY
    show_all: bool = False
    lang: str = DEFAULT_LANGUAGE


_OPTIONS: Final = (
    click.option(
        "--delay",
        type=click.IntRange(0, 100_000),
        default=USUAL_DELAY,
        show_default=True,
        help="How many plies late spectators see a game under way.",
    ),
    click.option("--show-all", is_flag=True, help="Let spectators see all pieces of a game under way."),
    lang_option,
)
# Gives a command the options that `Spectators` is made of.
spectators_options = give(_OPTIONS)

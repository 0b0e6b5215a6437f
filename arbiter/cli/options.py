"""Options that several commands share, and the values that are made from them."""

import re
from collections.abc import Callable
from functools import reduce
from math import isfinite
from typing import Any, Final

import click
from msgspec import Struct

from arbiter.show.language import DEFAULT_LANGUAGE, LANGUAGES
from arbiter.show.tables.sheet import FORMATS

LOCAL: Final = "127.0.0.1"
DEFAULT_DELAY: Final = 10

WIDE: Final = "arbiter.wide"  # in the context of a command: True if tables may be wider than the terminal
END: Final = "end"  # the last ply of a game

Command = Callable[..., Any]


def add_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Make a decorator that adds several options to a command, in the given order."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


# --- output ---------------------------------------------------------------------------------------


class _Format(click.Choice[str]):
    """The format of a table."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value == "html":
            self.fail("'html' is not a table format; `arbiter report RESULTS -o DIR` writes web pages", param, ctx)
        return super().convert(value, param, ctx)


format_option = click.option(
    "--format", "form", type=_Format(list(FORMATS)), default="table", show_default=True, help="Format of the tables."
)


def _note_wide(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    ctx.meta[WIDE] = value


wide_option = click.option(
    "--wide",
    is_flag=True,
    expose_value=False,
    callback=_note_wide,
    help="Show whole tables, even if they are wider than the terminal.",
)
series_option = click.option(
    "--series", type=click.IntRange(1), help="Only this match of a results file with several. Default: all of them."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line.")
lang_option = click.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    default=DEFAULT_LANGUAGE,
    show_default=True,
    help="Language of the piece names.",
)


class Ply(click.ParamType[str]):
    """The number of a ply, or `end`."""

    name = "ply"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value != END and not re.fullmatch("[0-9]{1,9}", value):
            self.fail(f"{value!r} is neither the number of a ply nor {END!r}", param, ctx)
        return value


class Speed(click.FloatRange):
    """Plies per second; nan is not allowed."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        speed: float = super().convert(value, param, ctx)
        return speed if isfinite(speed) else self.fail(f"{value} is not a number", param, ctx)


# --- web pages for spectators ---------------------------------------------------------------------


class Address(Struct, frozen=True):
    """The address of a web server; port 0 selects any free port."""

    host: str
    port: int


class AddressType(click.ParamType[Address]):
    """A port on this machine, or an address that other machines can reach."""

    name = "[host:]port"

    def convert(self, value: str | Address, param: click.Parameter | None, ctx: click.Context | None) -> Address:
        """Accept 8000, 0.0.0.0:8000 or [::]:8000."""
        if isinstance(value, Address):
            return value
        found = re.fullmatch(r"(?:(?P<host>[^:\[\]]+|\[[^\]]*\]):)?(?P<port>[0-9]{1,5})", value)
        if found is None or int(found["port"]) >= 1 << 16:
            self.fail(f"{value!r} is neither a port such as 8000 nor an address such as 0.0.0.0:8000", param, ctx)
        return Address((found["host"] or LOCAL).strip("[]"), int(found["port"]))


class SpectatorOptions(Struct, frozen=True, kw_only=True):
    """The part of a game in progress that spectators see."""

    delay: int = DEFAULT_DELAY
    """Number of plies that spectators are behind."""
    show_all: bool = False
    """Show all pieces, not only those that a spectator may know."""
    lang: str = DEFAULT_LANGUAGE


class ServeOptions(Struct, frozen=True):
    """The web server of a tournament that is being played."""

    at: Address
    spectators: SpectatorOptions


spectator_options = add_options(
    click.option(
        "--delay",
        type=click.IntRange(0, 100_000),
        default=DEFAULT_DELAY,
        show_default=True,
        help="Show games in progress this many plies late.",
    ),
    click.option("--show-all", is_flag=True, help="Show spectators all pieces of games in progress."),
    lang_option,
)

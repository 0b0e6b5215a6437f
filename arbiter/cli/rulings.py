"""Options and output that the commands for rulings share."""

import getpass
import os
from collections.abc import Callable, Iterable
from typing import Any, Final

import click

from arbiter.cli.options import add_options
from arbiter.errors import ConfigError
from arbiter.show.tables.incidents import describe_ruling
from arbiter.show.text import plain
from arbiter.tournament.results.ruling_desk import Decision
from arbiter.tournament.standings.stored_game import Ruling

MOST_CHARACTERS: Final = 500

ruling_options: Final[Callable[[Callable[..., Any]], Callable[..., Any]]] = add_options(
    click.option("--because", metavar="TEXT", help="Reason; it is shown with the standings."),
    click.option("--by", metavar="NAME", help="Name of the person who rules. Default: your login name."),
    click.option("--force", is_flag=True, help="Rule even if rounds that are already paired are affected."),
)


def make_decision(because: str | None, by: str | None, *, force: bool) -> Decision:
    """Check who rules, and why.  Raises ConfigError."""
    if because is None or not because.strip():
        raise ConfigError("--because: is missing; give the reason of the ruling, such as --because 'the power failed'")
    name = _find_login_name() if by is None else by
    if not name.strip():
        raise ConfigError("--by: is empty; give the name of the person who rules")
    for option, text in (("--because", because), ("--by", name)):
        if len(text) > MOST_CHARACTERS:
            raise ConfigError(f"{option}: has {len(text)} characters; at most {MOST_CHARACTERS} are allowed")
    return Decision(by=name.strip(), because=because.strip(), force=force)


def report_rulings(rulings: Iterable[Ruling]) -> None:
    """Print rulings that were made."""
    for ruling in rulings:
        click.echo(plain(describe_ruling(ruling)))
        if ruling.replacement is not None:
            click.echo(f"the next run, or the one in progress, plays it as {plain(ruling.replacement)}")


def _find_login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"

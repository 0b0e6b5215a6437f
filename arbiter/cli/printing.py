"""What several commands print: results as sheets, games as they finish."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from arbiter.show.dialogue import log_objects, write_log
from arbiter.show.names import DEFAULT_LANGUAGE, LANGUAGES
from arbiter.show.progress import progress
from arbiter.show.sheets import FORMATS, Sheet, write_sheets
from arbiter.show.tables import games_sheet
from arbiter.show.text import json_line
from arbiter.tournament.events import Event, Finished, Tell
from arbiter.tournament.schedule import Schedule
from arbiter.tournament.stored import StoredGame
from arbiter.transcript import GameLog

format_option = click.option("--format", "form", type=click.Choice(list(FORMATS)), default="table", show_default=True)
lang_option = click.option(
    "--lang", type=click.Choice(LANGUAGES), default=DEFAULT_LANGUAGE, show_default=True, help="Names of the pieces."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")


def print_sheets(sheets: Sequence[Sheet], form: str, title: str = "") -> None:
    """Print sheets in a format; nothing where there is nothing to print."""
    if text := write_sheets(sheets, form, title):
        click.echo(text)


def print_log(log: GameLog, *, as_json: bool) -> None:
    """Print what is kept of a game beside its record."""
    for line in map(json_line, log_objects(log)) if as_json else write_log(log):
        click.echo(line)


@contextmanager
def shown_live(schedule: Schedule, games: list[StoredGame], results: Path | None, *, as_json: bool) -> Iterator[Tell]:
    """Show games as they finish, each added to `games`: as JSON lines, live on a terminal, or a line a game."""
    if as_json:
        yield lambda event: _print_json(games, event)
        return
    total, rank = lambda: schedule.total, lambda: schedule.ranking(schedule.stages[-1])
    is_terminal = sys.stdout.isatty()
    with progress(total, len(games), rank, sys.stdout, is_terminal=is_terminal, results=results) as live:

        def tell(event: Event) -> None:
            if isinstance(event, Finished):
                games.append(event.game)
            live.tell(event)

        yield tell


def _print_json(games: list[StoredGame], event: Event) -> None:
    if isinstance(event, Finished):
        games.append(event.game)
        print_sheets([games_sheet([event.game])], "json")

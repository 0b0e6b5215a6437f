"""What several commands print: results as sheets, games as they finish."""

from collections.abc import Sequence

import click

from arbiter.show.names import DEFAULT_LANGUAGE, LANGUAGES
from arbiter.show.replay.log import log_objects, write_log
from arbiter.show.tables.sheet import FORMATS, Sheet, write_sheets
from arbiter.show.text import json_line
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

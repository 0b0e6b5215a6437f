"""`arbiter schedule FILE`: the pairings of a tournament."""

from pathlib import Path
from typing import Final

import click

from arbiter.cli.files import results_option
from arbiter.cli.options import PATH, command, make_format_options
from arbiter.director.files import results_file, write_bytes
from arbiter.errors import write_count
from arbiter.show.schedule import pairings_sheet
from arbiter.show.tables.sheet import write_page, write_sheets
from arbiter.tournament.config.tournament import load_names
from arbiter.tournament.results.reader import read_schedule

HTML: Final = "html"
_ENDINGS: Final = {".txt": "table", ".md": "markdown", ".csv": "csv", ".json": "json", ".jsonl": "json", ".html": HTML}


@command
@click.argument("file", type=PATH)
@results_option
@click.option("-o", "out", type=PATH, metavar="FILE", help="File to write; its ending chooses the format.")
@make_format_options(HTML, default=None)
def schedule(file: Path, place: Path | None, out: Path | None, form: str | None) -> None:
    """List the pairings of the tournament of FILE, round by round.

    In a Swiss tournament and in a knockout, later rounds follow from results: they are listed once the round before
    has been played.
    """
    tournament = load_names(file)
    plan, _ = read_schedule(tournament, results_file(file, place))
    sheet = pairings_sheet(tournament, plan)
    by_ending = "table" if out is None else _ENDINGS.get(out.suffix, "table")
    chosen = form or by_ending
    text = write_page(sheet) if chosen == HTML else write_sheets([sheet], chosen)
    if out is None:
        click.echo(text)
        return
    write_bytes(out, f"{text}\n".encode())
    click.echo(f"{write_count(len(sheet.rows), 'pairing')} in {out}", err=True)

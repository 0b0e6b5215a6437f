"""`arbiter schedule FILE`: the pairings of a tournament."""

from html import escape
from pathlib import Path
from typing import Final

import click

from arbiter.cli.files import results_option
from arbiter.cli.options import command, make_format_options
from arbiter.director.files import results_file, write_bytes
from arbiter.show.results import pairings_sheet
from arbiter.show.tables.sheet import Sheet, write_cell, write_sheets
from arbiter.tournament.config.tournament import load_names
from arbiter.tournament.results.reader import read_schedule

HTML: Final = "html"
_ENDINGS: Final = {".txt": "table", ".md": "markdown", ".csv": "csv", ".json": "json", ".jsonl": "json", ".html": HTML}
_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 2em }} td, th {{ padding: .2em 1em; text-align: left }}</style>
<h1>{title}</h1>
<table><thead><tr>{head}</tr></thead><tbody>
{rows}
</tbody></table>
{notes}
</html>"""


@command
@click.argument("file", type=click.Path(path_type=Path))
@results_option
@click.option(
    "-o", "out", type=click.Path(path_type=Path), metavar="FILE", help="File to write; its ending chooses the format."
)
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
    text = _write_html(sheet) if chosen == HTML else write_sheets([sheet], chosen)
    if out is None:
        click.echo(text)
        return
    write_bytes(out, f"{text}\n".encode())
    click.echo(f"{len(sheet.rows)} pairings are in {out}", err=True)


def _write_html(sheet: Sheet) -> str:
    """Write a sheet as a page of its own."""
    cells = ("".join(f"<td>{escape(write_cell(cell))}</td>" for cell in row) for row in sheet.rows)
    return _PAGE.format(
        title=escape(sheet.title),
        head="".join(f"<th>{escape(cell)}</th>" for cell in sheet.head),
        rows="\n".join(f"<tr>{row}</tr>" for row in cells),
        notes="\n".join(f"<p>{escape(note)}</p>" for note in sheet.notes),
    )

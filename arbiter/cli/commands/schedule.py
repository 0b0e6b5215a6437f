"""`arbiter schedule FILE`: the pairings of a tournament."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from arbiter.cli.files import results_option
from arbiter.cli.options import PATH, command, make_format_options
from arbiter.cli.terminal import find_width
from arbiter.director.files import results_file, write_bytes
from arbiter.errors import ConfigError, write_count
from arbiter.show.formats.ical import write_calendar
from arbiter.show.schedule import pairings_sheet, plan_rounds
from arbiter.show.tables.sheet import FORMATS, write_page, write_sheets
from arbiter.submissions.store import SUFFIX, Submissions
from arbiter.submissions.versions import add_versions
from arbiter.tournament.config.tournament import load_names, resolve_names
from arbiter.tournament.machine import choose_jobs
from arbiter.tournament.results.reader import read_schedule

HTML: Final = "html"
ICS: Final = "ics"
_ENDINGS: Final = {".txt": "table", ".md": "markdown", ".jsonl": "json"}
"""Formats by the endings of files that differ from them."""


@command
@click.argument("file", type=PATH)
@results_option
@click.option("-o", "out", type=PATH, metavar="FILE", help="File to write; its ending chooses the format.")
@make_format_options(HTML, ICS, default=None)
def schedule(file: Path, place: Path | None, out: Path | None, form: str | None) -> None:
    """List the pairings of the tournament of FILE, round by round.

    In a Swiss tournament and in a knockout, later rounds follow from results: they are listed once the round before
    has been played. Of a ladder, the last pairs of games and those in progress are listed. With starts =
    2026-12-05T19:00 in the table [event], rounds have times, and ics writes them for calendars.
    """
    tournament = load_names(file)
    results = results_file(file, place)
    submissions = Submissions(results.with_suffix(SUFFIX))
    tournament = resolve_names(add_versions(tournament.file, file.parent, submissions, results))
    plan, games = read_schedule(tournament, results)
    jobs = tournament.file.jobs or choose_jobs(None, tournament.file.time).number
    rounds = plan_rounds(tournament, plan, games, jobs)
    sheet = pairings_sheet(tournament, plan, rounds)
    ending = "" if out is None else out.suffix
    chosen = form or _ENDINGS.get(ending, ending[1:])
    if chosen == ICS:
        if not rounds and tournament.file.event.starts is not None:
            raise ConfigError("--format ics: a ladder has no rounds with times; leave it out")
        if not rounds:
            raise ConfigError(
                "event.starts: is missing, but a calendar needs the start of the first round; "
                "add starts = 2026-12-05T19:00"
            )
        names = {bot.name: bot.title for bot in tournament.file.bots if bot.title}
        text = write_calendar(tournament.file.name, tournament.file.event, rounds, names, datetime.now(UTC))
    elif chosen == HTML:
        text = f"{write_page(sheet)}\n"
    else:
        width = find_width() if out is None else None
        text = f"{write_sheets([sheet], chosen if chosen in FORMATS else 'table', width)}\n"
    if out is None:
        click.echo(text, nl=False)
        return
    write_bytes(out, text.encode())
    listed = write_count(len(rounds), "round") if chosen == ICS else write_count(len(sheet.rows), "pairing")
    click.echo(f"{listed} in {out}", err=True)

"""`arbiter season FILE`: several events as one."""

from pathlib import Path

import click

from arbiter.cli.options import PATH, command, format_options, lang_option
from arbiter.cli.terminal import print_facts, print_sheets
from arbiter.director.season import read_season
from arbiter.errors import ConfigError, write_count
from arbiter.publish import write_season
from arbiter.show.results import ONE_TABLE_FORMATS
from arbiter.show.tables.season import events_sheet, season_prizes_sheet, season_sheet


@command
@click.argument("file", type=PATH)
@click.option(
    "--show",
    type=click.Choice(["table", "events", "prizes"]),
    metavar="TABLE",
    help="Only one of table, events or prizes.",
)
@click.option("-o", "out", type=PATH, metavar="DIR", help="Write the season as a web page into this folder.")
@lang_option
@format_options
def season(file: Path, show: str | None, out: Path | None, lang: str, form: str) -> None:
    """Show several events as one: table, prizes and events.

    FILE is a season file (TOML) that lists the events and how they count. csv and json show one table: that of the
    season, unless --show selects another one.
    """
    data = read_season(file)
    if out is not None:
        page = write_season(data, out, lang)
        facts = {"page": str(page), "events": len(data.events), "bots": len(data.ranking)}
        print_facts("Season", [facts], form, lambda: f"{write_count(len(data.events), 'event')} in {page}")
        return
    sheets = {"table": season_sheet(data), "prizes": season_prizes_sheet(data), "events": events_sheet(data)}
    if show is None and form in ONE_TABLE_FORMATS:
        show = "table"
    if show == "prizes" and sheets["prizes"] is None:
        raise ConfigError("the season has no prizes; add a [prizes] table to its file")
    print_sheets([one for name, one in sheets.items() if one is not None and show in (None, name)], form)

"""`arbiter season FILE`: several events as one."""

from collections.abc import Sequence
from pathlib import Path

import click
from msgspec.structs import replace

from arbiter.cli.options import PATH, command, format_options, lang_option
from arbiter.cli.terminal import print_facts, print_sheets
from arbiter.director.season import read_season
from arbiter.errors import ConfigError, write_count
from arbiter.publish import write_season
from arbiter.show.results import ONE_TABLE_FORMATS
from arbiter.show.season import SeasonData, make_season_data
from arbiter.show.tables.sheet import Sheet


@command
@click.argument("file", type=PATH)
@click.option(
    "--show",
    type=click.Choice(["table", "events", "ratings", "records", "prizes"]),
    metavar="TABLE",
    help="Only one of table, events, ratings, records or prizes.",
)
@click.option("-o", "out", type=PATH, metavar="DIR", help="Write the season as web pages into this folder.")
@click.option("--anchor", metavar="BOT=RATING", help="Fix the rating of a bot; other ratings are relative to it.")
@lang_option
@format_options
def season(file: Path, show: str | None, out: Path | None, anchor: str | None, lang: str, form: str) -> None:
    """Show several events as one: table, events, ratings, records and prizes.

    FILE is a season file (TOML) that lists the events and how they count. csv and json show one table: that of the
    season, unless --show selects another one.
    """
    data = make_season_data(read_season(file), anchor, with_history=out is not None)
    if out is None:
        print_sheets(_select(data, show or ("table" if form in ONE_TABLE_FORMATS else None)), form)
        return
    page = write_season(replace(data, lang=lang), out)
    facts = {"page": str(page), "events": len(data.events), "bots": len(data.everyone)}
    print_facts("Season", [facts], form, lambda: f"{write_count(len(data.events), 'event')} in {page}")


def _select(data: SeasonData, show: str | None) -> Sequence[Sheet]:
    """Select the sheets to print.  Raises ConfigError if the season has no prizes."""
    parts = {
        "table": data.tables,
        "prizes": data.prizes,
        "events": [data.calendar],
        "ratings": data.rating_tables,
        "records": [data.records],
    }
    if show == "prizes" and not data.prizes:
        raise ConfigError("the season has no prizes; add a [prizes] table to its file")
    if show is not None:
        return parts[show]
    return [sheet for sheets in parts.values() for sheet in sheets if sheet.items]

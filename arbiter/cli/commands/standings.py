"""`arbiter standings RESULTS`: standings, crosstable and ratings."""

from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import replace

from arbiter.cli.files import open_results, results_argument
from arbiter.cli.options import command, format_options, series_option
from arbiter.cli.terminal import print_sheets
from arbiter.errors import ConfigError
from arbiter.show.results import (
    ONE_TABLE_FORMATS,
    all_sheets,
    crosstable_sheets,
    list_categories,
    list_prizes,
    list_teams,
    make_event_data,
    make_match_sheets,
    with_rulings,
)
from arbiter.show.tables.event import bots_sheet, event_sheet
from arbiter.show.tables.incidents import with_voids_and_versions
from arbiter.show.tables.ratings import ratings_sheet, superiority_sheet
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.snapshot import Snapshot, make_match, rate_bots


@command
@results_argument
@click.option(
    "--show",
    type=click.Choice(["standings", "crosstable", "ratings", "los", "teams", "categories", "prizes", "event"]),
    metavar="TABLE",
    help="Only one table: standings, crosstable, ratings, los (likelihood of superiority), teams, categories, "
    "prizes or event.",
)
@click.option("--anchor", metavar="BOT=RATING", help="Fix the rating of a bot; other ratings are relative to it.")
@series_option
@format_options
def standings(results: Path, show: str | None, anchor: str | None, series: int | None, form: str) -> None:
    """Show the standings, crosstable and ratings of a tournament.

    RESULTS is a results file, a folder with one results file, or the tournament file. csv and json show one table:
    the standings with ratings, unless --show selects another one. Matches that do not continue each other are
    shown one after the other.
    """
    with open_results(results) as store:
        numbers = store.series()
        for number in numbers if series is None else [series]:
            store.select_series(number)
            sheets = list(_make_sheets(store, show, anchor, one_table=form in ONE_TABLE_FORMATS or show == "standings"))
            if len(numbers) > 1:
                sheets = [
                    replace(
                        sheet,
                        title=f"Series {number}: {sheet.title}",
                        data=[{"series": number, **one} for one in sheet.objects],
                    )
                    for sheet in sheets
                ]
            print_sheets(sheets, form)
            if form in ("table", "markdown") and series is None and number < len(numbers):
                click.echo()


def _make_sheets(store: Results, show: str | None, anchor: str | None, *, one_table: bool) -> Iterator[Sheet]:
    """Yield the sheets of the current series.  Raises ConfigError."""
    results = store.snapshot()
    manifest, plan, games, bots = results.manifest, results.plan, results.games, results.bots
    match show:
        case "crosstable":
            yield from crosstable_sheets(plan, bots)
            return
        case "event":
            yield event_sheet(make_event_data(manifest, games))
            return
        case "categories" | "teams" | "prizes":
            yield from _list_groups(show, results)
            return
    try:
        ratings = rate_bots(manifest, games, anchor)
    except ConfigError as error:
        raise ConfigError(f"--anchor: {error}") from None
    if show == "ratings":
        yield with_rulings(ratings_sheet(ratings, by_colour=True), plan)
    elif show == "los":
        yield with_rulings(superiority_sheet(ratings), plan)
    else:
        is_test = manifest.sprt is not None and not one_table
        match = make_match_sheets(make_match(manifest, games), manifest, games) if is_test else None
        first, *others = all_sheets(plan, bots, ratings, "csv" if one_table else "table", match)
        yield with_voids_and_versions(first, results.attempts, games)
        yield from others
        if not one_table:
            yield from list_prizes(results)
            if (details := bots_sheet(bots)) is not None:
                yield details
            yield event_sheet(make_event_data(manifest, games))


def _list_groups(show: str, results: Snapshot) -> list[Sheet]:
    """List the standings of categories or of teams, or the prizes.  Raises ConfigError if there are none."""
    if show != "prizes":
        find, key = (list_categories, "category") if show == "categories" else (list_teams, "team")
        if found := find(results.plan, results.bots):
            return found
        raise ConfigError(f'no bot has a {key}; add {key} = "..." to [[bots]] tables, and run the tournament again')
    if results.manifest.tournament.prizes is None:
        raise ConfigError("there are no prizes; add a [prizes] table, and run the tournament again")
    if not results.games:
        raise ConfigError("no game has been played; the prizes follow from the standings")
    return list_prizes(results)

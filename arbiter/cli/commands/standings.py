"""`arbiter standings RESULTS`: standings, crosstable and ratings."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from msgspec.structs import replace

from arbiter.cli.files import open_results, results_argument
from arbiter.cli.options import command, make_format_options, selection_option, series_option
from arbiter.cli.terminal import print_sheets
from arbiter.errors import ConfigError, write_count
from arbiter.show.formats.trf import write_trf
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
from arbiter.show.tables.ratings import ratings_sheet, superiority_sheet
from arbiter.show.tables.run.incidents import with_voids_and_versions
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.snapshot import Snapshot, make_matches

TRF: Final = "trf"


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
@selection_option(
    "--stage", type=click.IntRange(1), help="With --format trf: number of the stage, if there are several."
)
@series_option
@make_format_options(TRF)
def standings(
    results: Path, show: str | None, anchor: str | None, stage: int | None, series: int | None, form: str
) -> None:
    """Show the standings, crosstable and ratings of a tournament.

    RESULTS is a results file, a folder with one results file, or the tournament file. csv and json show one table:
    the standings with ratings, unless --show selects another one; trf is FIDE's format for tournament reports.
    Matches that do not continue each other are shown one after the other.
    """
    if form == TRF and (show or anchor):
        raise click.UsageError(
            f"--format trf: contains pairings and ranks; leave out {'--show' if show else '--anchor'}"
        )
    if form != TRF and stage is not None:
        raise click.UsageError("--stage: is for --format trf; leave it out")
    with open_results(results) as store:
        if form == TRF:
            _print_trf(store, stage, series)
            return
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


def _print_trf(store: Results, number: int | None, series: int | None) -> None:
    """Print the report of a stage.  Raises ConfigError."""
    matches = len(store.series())
    if matches > 1 and series is None:
        raise ConfigError(f"--format trf: the results have {matches} matches; choose one with --series")
    store.select_series(series or 1)
    results = store.snapshot()
    stages = results.plan.stages
    if len(stages) > 1 and number is None:
        raise ConfigError(f"--format trf: is about one stage; choose one of {len(stages)} with --stage")
    if number is not None and number > len(stages):
        raise ConfigError(f"--stage {number}: the tournament has {write_count(len(stages), 'stage')} so far")
    report = write_trf(resolve_names(results.manifest.tournament), results.plan, stages[(number or 1) - 1])
    click.echo(report.text, nl=False)
    if report.left_out is not None:
        click.echo(f"round {report.left_out} is in progress and left out", err=True)
    if report.deviations:
        counted = write_count(report.deviations, "game or bye", "games and byes")
        click.echo(f"{counted} have other points than their results; lines with ### list them", err=True)


def _make_sheets(store: Results, show: str | None, anchor: str | None, *, one_table: bool) -> Iterator[Sheet]:
    """Yield the sheets of the current series.  Raises ConfigError."""
    is_condensed = show in (None, "standings") and anchor is None and store.manifest.tournament.anchor is None
    results = store.snapshot(condensed=is_condensed)
    manifest = results.manifest
    plan = results.plan
    games = results.games
    match show:
        case "crosstable":
            yield from crosstable_sheets(plan, results.bots)
            return
        case "event":
            yield event_sheet(make_event_data(manifest, games))
            return
        case "categories" | "teams" | "prizes":
            yield from _list_groups(show, results)
            return
    try:
        ratings = results.rate(anchor)
    except ConfigError as error:
        raise ConfigError(f"--anchor: {error}") from None
    if show == "ratings":
        yield with_rulings(ratings_sheet(ratings, by_colour=True), plan)
    elif show == "los":
        yield with_rulings(superiority_sheet(ratings), plan)
    else:
        is_test = manifest.sprt is not None and not one_table
        match = make_match_sheets(make_matches(manifest, games), manifest, games) if is_test else None
        first, *others = all_sheets(plan, results.bots, ratings, "csv" if one_table else "table", match)
        yield with_voids_and_versions(first, results.attempts, games)
        yield from others
        if not one_table:
            yield from list_prizes(results)
            if (details := bots_sheet(results.bots)) is not None:
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

"""`arbiter ladder`: seasons of a ladder."""

from functools import partial
from pathlib import Path

import click

from arbiter.cli.files import open_results, results_argument, results_option
from arbiter.cli.options import PATH, Command, Group, format_options
from arbiter.cli.terminal import print_facts, print_sheets
from arbiter.director.files import TOML, results_file
from arbiter.director.ladder import close_season, read_seasons
from arbiter.errors import write_command, write_count
from arbiter.show.tables.ladder import matches_sheet, season_object, seasons_sheet


@click.group(cls=Group)
def ladder() -> None:
    """Close the season of a ladder, and list the seasons that are over, and unrated matches.

    A ladder is a tournament with format = "ladder", which `arbiter run` plays. `arbiter match BOT BOT --ladder FILE`
    asks it for an unrated match.
    """


_subcommand = partial(ladder.command, cls=Command)


@_subcommand()
@results_argument
@format_options
def close(results: Path, form: str) -> None:
    """Close the season of a ladder: freeze its results, and let the next `arbiter run` begin another season.

    RESULTS is the tournament file, or the results file. The results move into the folder `seasons` next to them, and
    nothing can be changed in them. Stop the run first. Invitations stay valid.
    """
    season = close_season(results)
    text = (
        f"season {season.number} is closed: {write_count(season.games, 'game')} in {season.results}\n"
        f"its standings: {write_command('standings', season.results)}"
    )
    print_facts("Season", [season_object(season)], form, lambda: text)


@_subcommand()
@click.argument("file", type=PATH)
@results_option
@format_options
def seasons(file: Path, place: Path | None, form: str) -> None:
    """List the seasons of the ladder of FILE that are over.

    FILE is the tournament file, or the results file of the present season.
    """
    results = results_file(file, place) if file.suffix == TOML else file
    print_sheets([seasons_sheet(list(read_seasons(results)))], form)


@_subcommand()
@results_argument
@format_options
def matches(results: Path, form: str) -> None:
    """List the unrated matches of the ladder of RESULTS.

    `arbiter match BOT BOT --ladder FILE` asks for one.
    """
    with open_results(results) as stored:
        found = stored.list_matches()
    print_sheets([matches_sheet(found)], form)

"""`arbiter standings RESULTS`: standings, crosstable and ratings."""

from pathlib import Path

import click

from arbiter.cli.files import open_results
from arbiter.cli.options import format_option, json_option
from arbiter.cli.output import print_sheets
from arbiter.cli.results import all_sheets, crosstable_sheets, rate_bots
from arbiter.errors import ConfigError
from arbiter.show.tables.attempts import with_voids
from arbiter.show.tables.ratings import ratings_sheet, superiority_sheet


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@format_option
@json_option
@click.option("--crosstable", "table", flag_value="crosstable", help="Show only the crosstable.")
@click.option("--ratings", "table", flag_value="ratings", help="Show only the ratings, with ratings by colour.")
@click.option("--los", "table", flag_value="los", help="Show only the likelihood of superiority of each bot.")
@click.option("--anchor", metavar="BOT=RATING", help="Fix the rating of a bot; other ratings are relative to it.")
def standings(results: Path, form: str, table: str | None, anchor: str | None, *, as_json: bool) -> None:
    """Show the standings, crosstable and ratings of a tournament.

    RESULTS is a results file, a folder with one results file, or the tournament file. csv and json show one table:
    the standings with ratings, unless an option selects another table.
    """
    with open_results(results) as store:
        manifest = store.manifest
        games = store.games()
        plan = store.schedule()
        attempts = store.attempts().values()
    form = "json" if as_json else form
    if table == "crosstable":
        print_sheets(crosstable_sheets(plan), form)
        return
    try:
        ratings = rate_bots(manifest, games, anchor)
    except ConfigError as error:
        raise ConfigError(f"--anchor: {error}") from None
    if table == "ratings":
        print_sheets([ratings_sheet(ratings, by_colour=True)], form)
    elif table == "los":
        print_sheets([superiority_sheet(ratings)], form)
    else:
        first, *others = all_sheets(plan, ratings, form)
        print_sheets([with_voids(first, attempts, games), *others], form)

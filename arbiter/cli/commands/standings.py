"""`arbiter standings RESULTS`: table, crosstable and ratings."""

from pathlib import Path

import click

from arbiter.cli.files import open_results
from arbiter.cli.printing import format_option, json_option, print_sheets
from arbiter.cli.results import crosstables, print_results, ratings_of
from arbiter.errors import ConfigError
from arbiter.show.tables.ratings import ratings_sheet, superiority_sheet


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@format_option
@json_option
@click.option("--crosstable", "table", flag_value="crosstable", help="Only the crosstable.")
@click.option("--ratings", "table", flag_value="ratings", help="Only the ratings, by colour too.")
@click.option("--los", "table", flag_value="los", help="Only the likelihood that a bot is stronger than another.")
@click.option("--anchor", metavar="BOT=RATING", help="Set a bot's rating; the others follow.")
def standings(results: Path, form: str, table: str | None, anchor: str | None, *, as_json: bool) -> None:
    """Show how a tournament stands.

    RESULTS is a results file, a folder that holds just one, or the tournament file it belongs to.
    csv and json hold one table: the standings, with ratings, unless another one is asked for.
    """
    with open_results(results) as store:
        manifest, games, withdrawn = store.manifest, store.games(), store.withdrawn()
    chosen, title = "json" if as_json else form, manifest.tournament.name
    played = manifest.schedule(games, withdrawn)
    if table == "crosstable":
        print_sheets(crosstables(played), chosen, title)
        return
    try:
        ratings = ratings_of(manifest, games, anchor)
    except ConfigError as error:
        raise ConfigError(f"--anchor: {error}") from None
    if table == "ratings":
        print_sheets([ratings_sheet(ratings, by_colour=True)], chosen, title)
    elif table == "los":
        print_sheets([superiority_sheet(ratings)], chosen, title)
    else:
        print_results(played, ratings, title, chosen)

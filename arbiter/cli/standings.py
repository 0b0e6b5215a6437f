"""`arbiter standings RESULTS`: table and crosstable."""

from pathlib import Path

import click

from arbiter.cli.files import open_results
from arbiter.cli.printing import format_option, json_option, print_sheets
from arbiter.cli.results import crosstables, print_results
from arbiter.tournament.config import schedule


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@format_option
@json_option
@click.option("--crosstable", is_flag=True, help="Only the crosstable.")
def standings(results: Path, form: str, *, as_json: bool, crosstable: bool) -> None:
    """Show how a tournament stands.

    RESULTS is a results file, a folder that holds just one, or the tournament file it belongs to.
    csv and json hold one table: the standings, or with --crosstable the crosstable.
    """
    with open_results(results) as store:
        tournament = store.manifest.tournament
        played = schedule(tournament, store.manifest.seed, store.games())
    chosen = "json" if as_json else form
    if crosstable:
        print_sheets(crosstables(played), chosen, tournament.name)
    else:
        print_results(played, tournament.name, chosen)

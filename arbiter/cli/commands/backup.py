"""`arbiter backup RESULTS FILE`: copy results, even during a run."""

from pathlib import Path

import click

from arbiter.cli.files import open_results, results_argument
from arbiter.director.files import SUFFIX
from arbiter.errors import ConfigError
from arbiter.tournament.results.database import backup as copy_results


@click.command
@results_argument
@click.argument("file", type=click.Path(path_type=Path))
def backup(results: Path, file: Path) -> None:
    """Copy RESULTS to a new FILE, even while the tournament is running.

    The copy contains all games that are finished, in one file, and is verified.
    """
    if file.is_dir():
        raise ConfigError(f"{file}: is a folder; name a file in it, such as {file / 'backup'}{SUFFIX}")
    with open_results(results):  # warns if games may be missing
        games, digest = copy_results(results, file)
    click.echo(f"{games} games are in {file}")
    if digest:
        click.echo(f"digest {digest}")

"""`arbiter backup RESULTS FILE`: copy results, even during a run."""

from pathlib import Path

import click

from arbiter.cli.files import open_results, results_argument
from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.terminal import print_facts
from arbiter.director.files import SUFFIX
from arbiter.errors import ConfigError, write_count
from arbiter.tournament.results.database import backup as copy_results


@command
@results_argument
@click.argument("file", type=PATH)
@click.option("--compact", is_flag=True, help="Leave out free space, such as that of dropped logs.")
@format_options
def backup(results: Path, file: Path, form: str, *, compact: bool) -> None:
    """Copy RESULTS to a new FILE, even while the tournament is running.

    The copy contains all games that are finished, in one file, and is verified.
    """
    if file.is_dir():
        raise ConfigError(f"{file}: is a folder; name a file in it, such as {file / 'backup'}{SUFFIX}")
    with open_results(results):  # warns if games may be missing
        games, digest = copy_results(results, file, compact=compact)
    text = f"{write_count(games, 'game')} in {file}" + (f"\ndigest {digest}" if digest else "")
    print_facts("Copy", [{"file": str(file), "games": games, "digest": digest}], form, lambda: text)

"""`arbiter run FILE.toml`: play or resume a tournament."""

from pathlib import Path
from typing import Any

import click

from arbiter.cli.files import results_file
from arbiter.cli.playing import play_tournament
from arbiter.cli.ways import Ways, ways_options
from arbiter.tournament.config import load, programs


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--results", type=click.Path(path_type=Path), help="The folder to keep results in.")
@ways_options
def run(file: Path, results: Path | None, **ways: Any) -> None:  # noqa: ANN401 - the options of `ways_options`
    """Play the tournament of FILE, or go on where it was left.

    Results are kept in `results` beside FILE. Whatever happens to the machine, run it again and it goes on.
    Ctrl-C begins no more games and waits for those under way; Ctrl-C again stops at once, and these are played
    again next time.
    """
    tournament = load(file)
    ready, kept = programs(tournament, file.parent), results_file(file, results)
    play_tournament(tournament, ready, kept, Ways(**ways), folder=file.parent, secret=file)

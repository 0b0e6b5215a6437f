"""`arbiter run FILE.toml`: play or resume a tournament."""

from pathlib import Path
from typing import Any

import click

from arbiter.cli.files import results_file
from arbiter.cli.play_options import PlayOptions, ways_options
from arbiter.cli.playing import play_tournament
from arbiter.cli.serving import Serving
from arbiter.cli.spectators import Address, AddressType, Spectators, spectators_options
from arbiter.tournament.config.tournament import load


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--results", type=click.Path(path_type=Path), help="The folder to keep results in.")
@click.option(
    "--serve",
    "at",
    type=AddressType(),
    help="Show it to browsers: at a port of this machine alone, or where others reach it.",
)
@spectators_options
@ways_options
def run(
    file: Path,
    results: Path | None,
    at: Address | None,
    delay: int,
    lang: str,
    *,
    show_all: bool,
    **ways: Any,  # noqa: ANN401 - the options of `ways_options`
) -> None:
    """Play the tournament of FILE, or go on where it was left.

    Results are kept in `results` beside FILE. Whatever happens to the machine, run it again and it goes on.
    Ctrl-C begins no more games and waits for those under way; Ctrl-C again stops at once, and these are played
    again next time.
    """
    tournament = load(file)
    kept = results_file(file, results)
    shown = None if at is None else Serving(at, Spectators(delay=delay, show_all=show_all, lang=lang))
    ways["live"] |= shown is not None
    play_tournament(tournament, kept, PlayOptions(**ways, serving=shown), secret=file)

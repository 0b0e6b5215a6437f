"""`arbiter run FILE.toml`: play or resume a tournament."""

import sys
from pathlib import Path

import click

from arbiter.cli.failures import told_plainly
from arbiter.cli.files import results_file
from arbiter.cli.playing import leave, play
from arbiter.referee.process import ProcessTier
from arbiter.show.progress import progress
from arbiter.show.tables import crosstable_text, game_line, standing_lines, standings_text
from arbiter.tournament.arena import Arena, default_jobs
from arbiter.tournament.config import Tournament, fixtures, load, programs
from arbiter.tournament.manifest import new_manifest
from arbiter.tournament.standings import standings
from arbiter.tournament.store import Store
from arbiter.tournament.stored import StoredGame


@click.command
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--results", type=click.Path(path_type=Path, file_okay=False), help="The folder to keep results in.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="How many games are played side by side.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line: games, then standings.")
def run(file: Path, results: Path | None, jobs: int | None, *, as_json: bool) -> None:
    """Play the tournament of FILE, or go on where it was left.

    Results are kept in `results` beside FILE; whatever happens to the machine, run it again and it goes on.
    Ctrl-C stops at once: the games under way are played again next time.
    """
    tournament = load(file)

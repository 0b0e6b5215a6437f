"""`arbiter run FILE.toml`: play or resume a tournament."""

from pathlib import Path

import click

from arbiter.cli.files import results_file
from arbiter.cli.playing import keep_logs_option, play_tournament, sandbox_option
from arbiter.referee.choice import TierName
from arbiter.tournament.config import load, programs


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--results", type=click.Path(path_type=Path), help="The folder to keep results in.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="How many games to play side by side.")
@sandbox_option
@keep_logs_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line: games, then standings.")
def run(
    file: Path,
    results: Path | None,
    jobs: int | None,
    sandbox: TierName | None,
    *,
    keep_logs: bool,
    as_json: bool,
) -> None:
    """Play the tournament of FILE, or go on where it was left.

    Results are kept in `results` beside FILE. Whatever happens to the machine, run it again and it goes on.
    Ctrl-C begins no more games and waits for those under way; Ctrl-C again stops at once, and these are played
    again next time.
    """
    tournament = load(file)
    ready, kept = programs(tournament, file.parent), results_file(file, results)
    play_tournament(tournament, ready, kept, jobs, sandbox, secret=file, keep_logs=keep_logs, as_json=as_json)

"""`arbiter run FILE.toml`: play or resume a tournament."""

from pathlib import Path
from typing import Any

import click

from arbiter.cli.files import results_option
from arbiter.cli.options import Address, AddressType, ServeOptions, SpectatorOptions, spectator_options
from arbiter.cli.output import print_notice, print_sheets
from arbiter.cli.play_options import PlayOptions, play_options
from arbiter.cli.playing import play_tournament
from arbiter.director.files import results_file
from arbiter.show.results import forecast_sheet, pairings_sheet
from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.results.reader import read_schedule


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@results_option
@click.option(
    "--serve",
    "at",
    type=AddressType(),
    help="Serve web pages for spectators; a port alone is reachable only from this machine. Implies --live.",
)
@click.option("--dry-run", is_flag=True, help="Show the pairings and the expected duration, and play nothing.")
@spectator_options
@play_options
def run(
    file: Path,
    place: Path | None,
    at: Address | None,
    delay: int,
    lang: str,
    *,
    dry_run: bool,
    show_all: bool,
    **play: Any,  # noqa: ANN401 - the options of `play_options`
) -> None:
    """Play the tournament of FILE, or resume it.

    Finished games are stored at once. After a crash or a power failure, run the same command again to continue.
    Ctrl-C finishes the games in progress and stops. A second Ctrl-C stops at once; the games in progress are played
    again in the next run.
    """
    tournament = load_tournament(file)
    if dry_run:
        plan, games = read_schedule(tournament, results_file(file, place))
        jobs = PlayOptions(**play).choose_jobs(tournament.file, print_notice)
        forecast = forecast_sheet(tournament, plan, games, jobs.number)
        print_sheets([pairings_sheet(tournament, plan), forecast], "json" if play["as_json"] else "table")
        return
    serve = None
    if at is not None:
        serve = ServeOptions(at, SpectatorOptions(delay=delay, show_all=show_all, lang=lang))
        play["live"] = True
    play_tournament(tournament, results_file(file, place), PlayOptions(**play, serve=serve))

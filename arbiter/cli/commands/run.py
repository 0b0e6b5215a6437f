"""`arbiter run FILE.toml`: play or resume a tournament."""

from pathlib import Path

import click
from msgspec.structs import replace

from arbiter.cli.files import results_option
from arbiter.cli.game_options import sandbox_option
from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.play_options import (
    GATEWAY_PORT,
    Address,
    AddressType,
    FrontOptions,
    GatewayOptions,
    PlayOptions,
    ServeOptions,
    SpectatorOptions,
    front_options,
    page_option,
    play_options,
    spectator_options,
)
from arbiter.cli.playing import exit_after, play_tournament
from arbiter.cli.terminal import print_notice, print_sheets
from arbiter.director.files import results_file
from arbiter.errors import ConfigError
from arbiter.record import NETWORK
from arbiter.sandbox.select import IsolationName, has_sandbox
from arbiter.show.schedule import forecast_sheet, pairings_sheet, plan_rounds
from arbiter.submissions.client import is_loopback
from arbiter.submissions.store import SUFFIX, Submissions
from arbiter.submissions.versions import add_versions
from arbiter.submissions.watch import VersionWatch
from arbiter.tournament.config.tournament import load_tournament, resolve
from arbiter.tournament.results.reader import read_schedule


@command
@click.argument("file", type=PATH)
@results_option
@click.option(
    "--serve",
    "at",
    type=AddressType(),
    help="Serve web pages for spectators; a port alone is reachable only from this machine. Implies --live.",
)
@page_option(
    "--gateway",
    type=AddressType(),
    default=str(GATEWAY_PORT),
    show_default=True,
    help="Address at which remote programs connect; a port alone is reachable only from this machine.",
)
@click.option("--dry-run", is_flag=True, help="Show the pairings and the expected duration, and play nothing.")
@play_options
@sandbox_option
@spectator_options
@front_options
@format_options
def run(
    file: Path,
    place: Path | None,
    at: Address | None,
    gateway: Address,
    play: PlayOptions,
    sandbox: IsolationName | None,
    spectators: SpectatorOptions,
    front: FrontOptions,
    form: str,
    *,
    dry_run: bool,
) -> None:
    """Play the tournament of FILE, or resume it.

    Finished games are stored at once. After a crash or a power failure, run the same command again to continue.
    Ctrl-C finishes the games in progress and stops. A second Ctrl-C stops at once; the games in progress are played
    again in the next run.
    """
    front.check()
    tournament = load_tournament(file)
    results = results_file(file, place)
    submissions = Submissions(results.with_suffix(SUFFIX))
    has_versions = bool(submissions.read_decisions().parents)
    watch = VersionWatch(tournament, submissions, results, print_notice)
    if has_versions:
        with_versions = add_versions(tournament.file, file.parent, submissions, results)
        tournament = replace(resolve(with_versions, file.parent), path=file)
    if dry_run:
        plan, games = read_schedule(tournament, results)
        jobs = play.choose_jobs(tournament.file, print_notice).number
        pairings = pairings_sheet(tournament, plan, plan_rounds(tournament, plan, games, jobs))
        print_sheets([pairings, forecast_sheet(tournament, plan, games, jobs)], form)
        return
    takes_programs = tournament.file.submissions.open or has_versions
    if takes_programs and not has_sandbox(sandbox):
        why = "leave out --sandbox process" if sandbox else "`arbiter doctor` shows what is missing"
        raise ConfigError(f"submissions.open: programs of other people run only in a sandbox; {why}")
    if tournament.file.submissions.open:
        _check_address(at, front)
    serve = None if at is None else ServeOptions(at, spectators, front)
    if tournament.file.list_players(*NETWORK):
        play = replace(play, gateway=GatewayOptions(gateway, front))
    options = replace(play, sandbox=sandbox, form=form, serve=serve, live=play.live or serve is not None)
    settle = watch.settle if has_versions else None
    newcomers = watch if takes_programs else None
    exit_after(play_tournament(tournament, results, options, before_games=settle, newcomers=newcomers))


def _check_address(at: Address | None, front: FrontOptions) -> None:
    """Check that programs can be submitted safely.  Raises ConfigError."""
    if at is None:
        print_notice("submissions are open, but nobody can submit a program without --serve")
    elif front.tls_cert is None and not is_loopback(at.host):
        raise ConfigError(
            f"--serve {at.host}:{at.port}: everybody on the way could read the tokens of authors; add --tls-cert and "
            "--tls-key, or listen at 127.0.0.1 behind a proxy with TLS"
        )

"""`arbiter stop RESULTS`: stop a tournament that another shell plays."""

import os
import signal
import socket
from pathlib import Path

import click

from arbiter.cli.failures import ANSWER_IS_NO
from arbiter.cli.files import results_path
from arbiter.cli.signals import WIND_UP
from arbiter.errors import ConfigError
from arbiter.tournament.live_values import LockOwner
from arbiter.tournament.results.store import find_lock_owner


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--now", is_flag=True, help="Cut off the games under way; they are played again next time.")
def stop(results: Path, *, now: bool) -> None:
    """Stop the arbiter that plays the tournament of RESULTS, as Ctrl-C there would.

    It finishes the games under way. Exits with 1 where nobody plays it.
    """
    path = results_path(results)
    playing = find_lock_owner(path)
    if playing is None:
        click.echo(f"nobody is playing {path}")
        raise SystemExit(ANSWER_IS_NO)
    _send(playing, signal.SIGTERM if now else WIND_UP)
    after = "at once" if now else "after the games under way"
    click.echo(f"told the arbiter (pid {playing.pid}) to stop {after}")


def _send(playing: LockOwner, number: signal.Signals) -> None:
    """Send a signal to the arbiter that plays.  Raises ConfigError."""
    if playing.host != socket.gethostname():
        raise ConfigError(f"it is played on {playing.host} (pid {playing.pid}); stop it there")
    try:
        os.kill(playing.pid, number)
    except OSError as error:
        raise ConfigError(f"the arbiter (pid {playing.pid}) cannot be told: {error.strerror}") from None

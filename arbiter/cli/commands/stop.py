"""`arbiter stop RESULTS`: stop a tournament running in another shell."""

import os
import signal
import socket
from pathlib import Path

import click

from arbiter.cli.failures import EXIT_NEGATIVE
from arbiter.cli.files import results_argument
from arbiter.cli.options import command, format_options
from arbiter.cli.signals import FINISH_SIGNAL
from arbiter.cli.terminal import print_facts
from arbiter.errors import ConfigError
from arbiter.tournament.results.store import find_lock_owner


@command
@results_argument
@click.option("--now", is_flag=True, help="Interrupt the games in progress; the next run plays them again.")
@format_options
def stop(results: Path, form: str, *, now: bool) -> None:
    """Stop the arbiter that plays the tournament of RESULTS, like Ctrl-C in its shell.

    The games in progress are finished. Exit code: 1 if nobody plays the tournament.
    """
    owner = find_lock_owner(results)
    if owner is None:
        print_facts("Stop", [{"stopped": False}], form, lambda: f"nobody is playing {results}")
        raise SystemExit(EXIT_NEGATIVE)
    if owner.host != socket.gethostname():
        raise ConfigError(f"the tournament is played on {owner.host} (pid {owner.pid}); stop it there")
    try:
        os.kill(owner.pid, signal.SIGTERM if now else FINISH_SIGNAL)
    except OSError as error:
        raise ConfigError(f"the arbiter (pid {owner.pid}) cannot be stopped: {error.strerror}") from None
    text = f"the arbiter (pid {owner.pid}) stops {'now' if now else 'after the games in progress'}"
    print_facts("Stop", [{"stopped": True, "now": now, "pid": owner.pid, "host": owner.host}], form, lambda: text)

"""The options of every command that plays games: how they are played at this desk, whatever the tournament says."""

from pathlib import Path
from typing import Final, TextIO, get_args

import click
from msgspec import Struct

from arbiter.cli.options import give
from arbiter.cli.printing import json_option
from arbiter.cli.serving import Serving
from arbiter.errors import ConfigError
from arbiter.sandbox.select import IsolationName

STDOUT: Final = "-"


class PlayOptions(Struct, frozen=True, kw_only=True):
    """How games are played: how many side by side, in which isolation, what of them is kept and told, and where."""

    jobs: int | None
    sandbox: IsolationName | None
    keep_logs: bool
    events: str | None
    live: bool
    as_json: bool
    serving: Serving | None = None

    def check(self, results: Path | None) -> None:
        """Check that they go together, and that events can be written.  Raises ConfigError."""
        if self.live and results is None:
            raise ConfigError("--live: games under way are shown beside the results; say where with --results")
        if self.as_json and self.events == STDOUT:
            raise ConfigError(f"--events {STDOUT}: and --json both write to stdout; leave one of them out")
        if self.events_file is not None:
            open_to_add(str(self.events_file)).close()

    @property
    def events_file(self) -> Path | None:
        """The file that events are added to, where it is one."""
        return None if self.events in (None, STDOUT) else Path(self.events)


sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(get_args(IsolationName)),
    help="full: a sandbox or nothing; process: none. Unless given, a sandbox where there can be one.",
)
_OPTIONS: Final = (
    click.option("--jobs", type=click.IntRange(1, 1024), help="How many games to play side by side."),
    sandbox_option,
    click.option("--keep-logs", is_flag=True, help="Keep all that was said in each game, not only in forfeited ones."),
    click.option(
        "--events", metavar="FILE|-", help="Write what happens as JSON lines: to the end of FILE, or to stdout alone."
    ),
    click.option("--live", is_flag=True, help="Let games be watched while they are played, with `arbiter replay`."),
    json_option,
)


def open_to_add(name: str) -> TextIO:
    """Open a file to add lines to it.  Raises ConfigError."""
    try:
        return Path(name).open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise ConfigError(f"--events {name}: cannot be written: {error.strerror}; name another file") from None


# Gives a command the options that `Ways` is made of.
ways_options = give(_OPTIONS)

"""Options of commands that play games, and the values that are made from them."""

import re
from pathlib import Path
from typing import Final, TextIO, get_args

import click

from arbiter.cli.completion import complete_entrant, complete_option, complete_path, complete_rules
from arbiter.cli.options import ServeOptions, add_options, json_option, wide_option
from arbiter.clock import TimeSettings
from arbiter.director.settings import PlaySettings
from arbiter.errors import ConfigError
from arbiter.games.chance import KEY_BYTES, Key
from arbiter.sandbox.select import IsolationName

STDOUT: Final = "-"
NO_SECRET: Final[Key] = "0" * 2 * KEY_BYTES
"""Secret of events that need none, so that the seed alone repeats them."""

rules_option = click.option(
    "--rules",
    default="original",
    show_default=True,
    shell_complete=complete_rules,
    help="Rule set; `arbiter rules` lists them.",
)
rule_change_option = click.option(
    "--option",
    "options",
    multiple=True,
    shell_complete=complete_option,
    help="Option of the rule set; may be repeated.",
)
sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(get_args(IsolationName)),
    help="full: require a sandbox. process: no sandbox. Default: use one if this machine supports it.",
)
time_option = click.option(
    "--time",
    default="60+0.1",
    show_default=True,
    metavar="BANK+INC/MOVE",
    help="Time control in seconds, e.g. 60+0.1/5.",
)


class SecretType(click.ParamType[Key]):
    """The secret of an event: 32 hex digits."""

    name = "hex"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Key:
        if not re.fullmatch(f"[0-9a-fA-F]{{{2 * KEY_BYTES}}}", value):
            self.fail(
                f"{value!r} is not a secret of {2 * KEY_BYTES} hex digits; `openssl rand -hex {KEY_BYTES}` makes one, "
                "and `arbiter status` shows that of a finished tournament",
                param,
                ctx,
            )
        return value.lower()


secret_option = click.option(
    "--secret",
    type=SecretType(),
    metavar="HEX",
    help="Secret of all random choices, 32 hex digits; the same seed and secret repeat all games. Default: random.",
)
_TIME: Final = re.compile(r"(?P<bank>\d+(\.\d+)?)(\+(?P<increment>\d+(\.\d+)?))?(/(?P<move>\d+(\.\d+)?))?")


def read_time(text: str) -> TimeSettings:
    """Read the value of `--time`.  Raises ConfigError."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise ConfigError(f"--time {text}: must be seconds as BANK+INCREMENT/MOVE, such as 60, 60+0.1 or 60+0.1/5")
    move = found["move"]
    return TimeSettings(
        bank_s=float(found["bank"]),
        increment_s=float(found["increment"] or 0),
        move_s=None if move is None else float(move),
    )


class PlayOptions(PlaySettings, frozen=True, kw_only=True):
    """The options of `play_options`."""

    events: str | None
    """File for the events, STDOUT, or None."""
    as_json: bool
    serve: ServeOptions | None = None

    def check(self, results: Path | None) -> None:
        """Check that the options go together and that events can be written.  Raises ConfigError."""
        super().check(results)
        if self.as_json and self.events == STDOUT:
            raise ConfigError(f"--events {STDOUT}: and --json both write to stdout; leave one of them out")
        if self.events_file is not None:
            open_events_file(str(self.events_file)).close()

    @property
    def events_file(self) -> Path | None:
        """The file for the event stream, if events go to a file."""
        return None if self.events in (None, STDOUT) else Path(self.events)


play_options = add_options(
    click.option(
        "--jobs",
        type=click.IntRange(1, 1024),
        help="Number of games played at the same time. Default: `jobs` of the tournament file, or one per two CPU cores.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1, 256),
        help="Play in this many worker processes on this machine. Default: in one process, which is enough for most "
        "tournaments.",
    ),
    click.option(
        "--cluster",
        metavar="ADDRESS|FILE",
        help="Play on the workers of a running cluster, given by the address of its scheduler or its scheduler file.",
    ),
    click.option(
        "--audit",
        type=click.FloatRange(0, 1, min_open=True),
        metavar="SHARE",
        help="After the last game, play this share of the games again on other machines or workers, and report those "
        "that differ, e.g. 0.02.",
    ),
    click.option("--force-jobs", is_flag=True, help="Play more games at the same time than the machine has cores for."),
    sandbox_option,
    click.option(
        "--keep-logs",
        is_flag=True,
        help="Keep the messages of all games. Default: those of forfeited games, in a match also of those that the "
        "first bot loses.",
    ),
    click.option(
        "--events",
        metavar="FILE|-",
        shell_complete=complete_path,
        help="Append events to FILE as JSON Lines; - writes them to stdout and suppresses other output.",
    ),
    click.option(
        "--accept-new",
        multiple=True,
        metavar="BOT",
        shell_complete=complete_entrant,
        help="Continue although the program of BOT has changed since the stored games; may be repeated.",
    ),
    click.option("--live", is_flag=True, help="Let `arbiter replay` show games in progress."),
    secret_option,
    wide_option,
    json_option,
)


def open_events_file(name: str) -> TextIO:
    """Open the file for the event stream to append lines.  Raises ConfigError."""
    try:
        return Path(name).open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise ConfigError(f"--events {name}: cannot be written: {error.strerror}; name another file") from None

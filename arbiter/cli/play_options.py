"""Options of commands that play many games, and of web pages for spectators."""

import re
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Final, TextIO

import click
from msgspec import Struct

from arbiter.cli.completion import complete_entrant, complete_path
from arbiter.cli.game_options import game_option, machine_option, secret_option
from arbiter.cli.options import PATH, Decorator, add_options, group_options, lang_option, rare_option
from arbiter.director.venue import PlaySettings
from arbiter.errors import ConfigError
from arbiter.languages.catalogue import DEFAULT_LANGUAGE

LOCAL: Final = "127.0.0.1"
DEFAULT_DELAY: Final = 10
STDOUT: Final = "-"

page_option = rare_option("Pages for spectators")
record_option = rare_option("Logs and events")


# --- web pages for spectators ---------------------------------------------------------------------


class Address(Struct, frozen=True):
    """The address of a web server; port 0 selects any free port."""

    host: str
    port: int


class AddressType(click.ParamType[Address]):
    """A port on this machine, or an address that other machines can reach."""

    name = "[host:]port"

    def convert(self, value: str | Address, param: click.Parameter | None, ctx: click.Context | None) -> Address:
        """Accept 8000, 0.0.0.0:8000 or [::]:8000."""
        if isinstance(value, Address):
            return value
        found = re.fullmatch(r"(?:(?P<host>[^:\[\]]+|\[[^\]]*\]):)?(?P<port>[0-9]{1,5})", value)
        if found is None or int(found["port"]) >= 1 << 16:
            self.fail(f"{value!r} is neither a port such as 8000 nor an address such as 0.0.0.0:8000", param, ctx)
        return Address((found["host"] or LOCAL).strip("[]"), int(found["port"]))


class SpectatorOptions(Struct, frozen=True, kw_only=True):
    """The part of a game in progress that spectators see."""

    delay: int = DEFAULT_DELAY
    """Number of plies that spectators are behind."""
    show_all: bool = False
    """Show all pieces, not only those that a spectator may know."""
    lang: str = DEFAULT_LANGUAGE


class FrontOptions(Struct, frozen=True, kw_only=True):
    """TLS and a proxy between a web server and its clients."""

    tls_cert: Path | None = None
    tls_key: Path | None = None
    proxy: str | None = None

    def check(self) -> None:
        """Check that the options go together.  Raises ConfigError."""
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ConfigError("--tls-cert and --tls-key: are needed together; add the other one")
        if self.proxy is not None:
            try:
                ip_address(self.proxy)
            except ValueError:
                raise ConfigError(f"--proxy {self.proxy}: is not an IP address such as 127.0.0.1") from None

    def write_words(self) -> list[str]:
        """Return the options as words of a command line."""
        given = {"--tls-cert": self.tls_cert, "--tls-key": self.tls_key, "--proxy": self.proxy}
        return [word for option, value in given.items() if value is not None for word in (option, str(value))]


class ServeOptions(Struct, frozen=True):
    """The web server of a tournament that is being played."""

    at: Address
    spectators: SpectatorOptions
    front: FrontOptions = FrontOptions()


spectator_options = group_options(
    "spectators",
    SpectatorOptions,
    page_option(
        "--delay",
        type=click.IntRange(0, 100_000),
        default=DEFAULT_DELAY,
        show_default=True,
        help="Show games in progress this many plies late.",
    ),
    page_option("--show-all", is_flag=True, help="Show spectators all pieces of games in progress."),
    lang_option,
)


class GatewayOptions(Struct, frozen=True):
    """The place at which remote programs connect."""

    at: Address
    front: FrontOptions = FrontOptions()


GATEWAY_PORT: Final = 8765
front_options = group_options(
    "front",
    FrontOptions,
    page_option("--tls-cert", type=PATH, metavar="FILE", help="Certificate of the web server, for https."),
    page_option("--tls-key", type=PATH, metavar="FILE", help="Key of that certificate."),
    page_option(
        "--proxy",
        metavar="ADDRESS",
        help="IP address of the proxy in front of the web server: it is believed who its clients are.",
    ),
)


# --- clusters -------------------------------------------------------------------------------------


def make_protection_options(option: Callable[..., Decorator]) -> Decorator:
    """Make a decorator that adds --tls and --insecure, made with `option`, to a command that connects to a cluster."""
    return add_options(
        option(
            "--tls",
            type=PATH,
            metavar="FOLDER",
            help="Folder from `arbiter certificates`, or a copy of one for this role. Default: the settings of Dask.",
        ),
        option("--insecure", is_flag=True, help="Allow connections to other machines without encryption."),
    )


# --- many games -----------------------------------------------------------------------------------


class PlayOptions(PlaySettings, frozen=True, kw_only=True):
    """The options of `play_options`, and other settings of a run."""

    events: str | None
    """File for the events, STDOUT, or None."""
    form: str = "table"
    """Format of the results; `json` prints each game too, and only `table` the progress."""
    serve: ServeOptions | None = None
    gateway: GatewayOptions | None = None

    def check(self, results: Path | None) -> None:
        """Check that the options go together and that events can be written.  Raises ConfigError."""
        super().check(results)
        if self.form != "table" and self.events == STDOUT:
            other = "--json" if self.form == "json" else f"--format {self.form}"
            raise ConfigError(f"--events {STDOUT}: and {other} both write to stdout; leave one of them out")
        if self.events_file is not None:
            open_events_file(str(self.events_file)).close()

    @property
    def events_file(self) -> Path | None:
        """The file for the event stream, if events go to a file."""
        return None if self.events in (None, STDOUT) else Path(self.events)


force_jobs_option = machine_option(
    "--force-jobs", is_flag=True, help="Play more games at the same time than the machine has cores for."
)

place_options = add_options(
    click.option(
        "--jobs",
        type=click.IntRange(1, 1024),
        metavar="N",
        help="Games at the same time. Default: one per two cores, or `jobs` of a file.",
    ),
    machine_option(
        "--workers",
        type=click.IntRange(1, 256),
        help="Play in this many worker processes on this machine. Default: in one process, which is enough for most "
        "tournaments.",
    ),
    machine_option(
        "--cluster",
        metavar="ADDRESS|FILE",
        help="Play on the workers of a running cluster, given by the address of its scheduler or its scheduler file.",
    ),
    make_protection_options(machine_option),
    force_jobs_option,
)
"""The options for the place where games are played."""
_run_options = add_options(
    place_options,
    machine_option(
        "--audit",
        type=click.FloatRange(0, 1, min_open=True),
        metavar="SHARE",
        help="After the last game, play this share of the games again on other machines or workers, and report those "
        "that differ, e.g. 0.02.",
    ),
    record_option(
        "--keep-logs",
        is_flag=True,
        help="Keep the messages of all games. Default: those of forfeited games, in a match also of those that the "
        "first bot loses.",
    ),
    record_option(
        "--events",
        metavar="FILE|-",
        shell_complete=complete_path,
        help="Append events to FILE as JSON Lines; - writes them to stdout and suppresses other output.",
    ),
    record_option("--live", is_flag=True, help="Let `arbiter replay` show games in progress."),
)
play_options = group_options(
    "play",
    PlayOptions,
    _run_options,
    game_option(
        "--accept-new",
        multiple=True,
        metavar="BOT",
        shell_complete=complete_entrant,
        help="Continue although the program of BOT has changed since the stored games; may be repeated.",
    ),
    secret_option,
)
queue_options = group_options("play", PlayOptions, _run_options)
"""The options for programs that do not change, whose tests have their secrets."""


def open_events_file(name: str) -> TextIO:
    """Open the file for the event stream to append lines.  Raises ConfigError."""
    try:
        return Path(name).open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise ConfigError(f"--events {name}: cannot be written: {error.strerror}; name another file") from None

"""Serve a tournament to web browsers: in this process, or in the background of a run."""

import errno
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import click
from msgspec import Struct

from arbiter.cli.options import Address, ServeOptions
from arbiter.cli.results import make_rating_history, rate_bots, report_data
from arbiter.cli.watching import ResultsReader
from arbiter.errors import ConfigError
from arbiter.show.rate_limit import RateLimit
from arbiter.show.report.values import ReportData
from arbiter.show.text import plain
from arbiter.tournament.events import Began
from arbiter.tournament.ratings.values import Ratings
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import GameLog

_SHUTDOWN_S: Final = 10
_RATINGS_EVERY_S: Final = 1.0
_RATINGS_REST: Final = 100  # times the duration of computing ratings: less than a hundredth of a core
_PORT_WAIT_S: Final = 2.0  # the server of an arbiter that was just killed needs a moment to end


def open_socket(at: Address) -> socket.socket:
    """Open a listening socket.  Raises ConfigError."""
    from arbiter.serve.server import listen  # noqa: PLC0415 - a web server is slow to import

    until = time.monotonic() + _PORT_WAIT_S
    while True:
        try:
            return listen(at.host, at.port)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and time.monotonic() < until:
                time.sleep(_PORT_WAIT_S / 20)
                continue
            why = error.strerror or os.strerror(error.errno or 0)
            raise ConfigError(f"{at.host}:{at.port}: cannot serve pages there: {why}; choose another port") from None


class BackgroundServer(Struct, frozen=True):
    """A web server in another process."""

    address: str
    is_running: Callable[[], bool]


@contextmanager
def serve_in_background(results: Path | None, options: ServeOptions | None) -> Iterator[BackgroundServer | None]:
    """Serve a tournament from another process until the block ends; yields the server, if there is one.

    If the server fails, the games continue, and the failure is reported at the end.  Raises ConfigError.
    """
    if results is None or options is None:
        yield None
        return
    from arbiter.serve.server import make_address  # noqa: PLC0415 - a web server is slow to import

    spectators = options.spectators
    with tempfile.TemporaryFile() as errors:
        # Only the server keeps the socket: if it has ended, browsers get an error instead of waiting.
        with open_socket(options.at) as listener:
            address = make_address(listener)
            words = ["--socket", str(listener.fileno()), "--delay", str(spectators.delay), "--lang", spectators.lang]
            words += ["--show-all"] * spectators.show_all
            server = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-m", "arbiter", "serve", str(results), *words],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=[listener.fileno()],
                start_new_session=True,  # Ctrl-C is for the parent; the server ends when its stdin is closed
            )
        try:
            yield BackgroundServer(address, lambda: server.poll() is None)
        finally:
            _shut_down(server)
        if server.returncode:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines() or ["no error message"]
            click.echo(f"arbiter: the web server failed: {plain(lines[-1])}", err=True)


def _shut_down(server: "subprocess.Popen[bytes]") -> None:
    """End the server after it has sent the last changes to spectators.

    If this process is killed, stdin of the server ends without a farewell, and the server exits at once.
    """
    from arbiter.serve.server import FAREWELL  # noqa: PLC0415 - a web server is slow to import

    assert server.stdin is not None  # noqa: S101 - a pipe was asked for
    with suppress(BrokenPipeError):
        server.stdin.write(FAREWELL)
        server.stdin.close()
    try:
        server.wait(_SHUTDOWN_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


class LiveRatings:
    """The ratings of a tournament that is being played: computed again only if that takes little of a core."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = RateLimit(_RATINGS_EVERY_S, _RATINGS_REST, clock)
        self._ratings: Ratings | None = None
        self._rated: Sequence[StoredGame] = ()
        self._lacks_games = True

    def may_improve(self, *, playing: bool) -> bool:
        """Return True if the ratings lack games and may be computed again; when nobody plays, they always may."""
        return self._lacks_games and (self._limit.is_due or not playing)

    def rate(self, manifest: Manifest, games: Sequence[StoredGame], *, playing: bool) -> Ratings:
        """Return ratings by these games, or the latest ones by earlier games."""
        self._lacks_games = games != self._rated
        if self._ratings is None or self.may_improve(playing=playing):
            with self._limit.measure():
                self._ratings = rate_bots(manifest, games)
            self._rated = games
            self._lacks_games = False
        return self._ratings


class ServedResults:
    """Reads results while another process writes them.  Every method may raise ConfigError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._file = _file_identity(store.path)
        self._reader = ResultsReader(store)
        self._ratings = LiveRatings()
        self._history = make_rating_history(store.manifest)

    def version(self) -> object:
        """Return a value that changes with the results.  Raises ConfigError if the file was replaced."""
        if _file_identity(self._store.path) != self._file:
            raise ConfigError(f"{self._store.path}: the file was replaced; restart to show the new file")
        return self._store.version(), self._ratings.may_improve(playing=self._is_being_played())

    def _is_being_played(self) -> bool:
        return self._store.lock_owner() is not None

    def games_in_progress(self) -> Sequence[Began] | None:
        """List the games in progress; None if nobody plays the tournament."""
        return self._reader.games_in_progress() if self._is_being_played() else None

    def results(self) -> ReportData:
        rate = partial(self._ratings.rate, playing=self._is_being_played())
        return report_data(self._store, rate, self._history)

    def record(self, game_id: str) -> bytes:
        """Return the record of a finished game."""
        return self._store.record(game_id)

    def log(self, game_id: str) -> GameLog:
        """Return the log of a finished game."""
        return self._store.log(game_id)

    def can_be_watched(self) -> bool:
        """Return True if the records of games in progress are being written."""
        return self._reader.is_live()

    def live_record(self, game_id: str) -> bytes:
        """Return the record of a game in progress as far as it is written."""
        return self._reader.live(game_id)


def _file_identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino

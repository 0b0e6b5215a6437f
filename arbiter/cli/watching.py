"""Watching on a terminal: whatever can be wrong with a game is found here, before the screen is taken over."""

import sys
from collections.abc import Sequence
from pathlib import Path

from arbiter.cli.files import is_results, open_results
from arbiter.cli.records import END, read_game
from arbiter.cli.terminal import is_dumb
from arbiter.errors import ConfigError
from arbiter.record import Record, RecordError, read_record
from arbiter.show.watch.viewing import Viewing, Wishes
from arbiter.tournament.store import Store
from arbiter.tournament.stored import StoredGame


class Finished:
    """The finished games of a tournament's results, as they are watched."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._version = store.version()

    @property
    def title(self) -> str:
        """The tournament's name."""
        return self._store.manifest.tournament.name

    def games(self) -> Sequence[StoredGame]:
        """List the games that are finished.  Raises ConfigError."""
        return self._store.games()

    def has_changed(self) -> bool:
        """Say whether a game may have finished since this was asked before.  Raises ConfigError."""
        before, self._version = self._version, self._store.version()
        return self._version != before

    def record(self, game_id: str) -> Record:
        """Read a game's record.  Raises ConfigError and RecordError."""
        return read_record(self._store.record(game_id))


def can_watch() -> bool:
    """Say whether there is a terminal that an application can take over."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not is_dumb()


def watch_on_terminal(path: Path, game: str | None, at: str | None, wishes: Wishes, *, playing: bool) -> None:
    """Watch a record, a game of results, or games picked from their list.  Raises ConfigError."""
    if is_results(path) and game is None and at is not None:
        raise ConfigError(f"--at {at}: name the game of {path}")
    viewing = None if is_results(path) and game is None else _viewing(path, game, at, wishes)
    if not is_results(path):
        _watch(wishes, viewing, None, playing=playing)
        return
    with open_results(path) as store:
        _watch(wishes, viewing, Finished(store), playing=playing)


def _viewing(path: Path, game: str | None, at: str | None, wishes: Wishes) -> Viewing:
    try:
        viewing = Viewing(read_game(path, game), wishes)
    except RecordError as error:
        raise ConfigError(f"{path}: {error}") from None
    reel = viewing.reel
    if at is not None:
        viewing.go(reel.last if at == END else reel.of_ply(reel.checked(int(at))))
    return viewing


def _watch(wishes: Wishes, viewing: Viewing | None, source: Finished | None, *, playing: bool) -> None:
    from arbiter.show.watch.app import watch  # noqa: PLC0415 - textual is slow to import, and plain frames need none

    if watch(wishes, viewing, source, playing=playing):
        raise KeyboardInterrupt

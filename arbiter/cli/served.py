"""A tournament's results and what is under way, as they are served."""

from collections.abc import Sequence
from pathlib import Path

from arbiter.cli.commands.report import results_of
from arbiter.cli.watched import Watched
from arbiter.errors import ConfigError
from arbiter.show.report.values import ReportData
from arbiter.tournament.events import Began
from arbiter.tournament.results.store import Store
from arbiter.transcript import GameLog


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Served:
    """Reads results while another process writes them; every call may raise ConfigError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._file = _identity(store.path)
        self._watched = Watched(store)

    def version(self) -> object:
        """Return something that is another thing when the results have changed; they must be the same file still."""
        if _identity(self._store.path) != self._file:
            raise ConfigError(f"{self._store.path}: is another file than it was; start again to show that one")
        return self._store.version()

    def under_way(self) -> Sequence[Began] | None:
        """List the games under way; None where nobody plays."""
        return None if self._store.lock_owner() is None else self._watched.under_way()

    def results(self) -> ReportData:
        """Work out how the tournament stands."""
        return results_of(self._store.manifest, self._store.games(), self._store.withdrawn())

    def record(self, game_id: str) -> bytes:
        """Fetch the record of a finished game."""
        return self._store.record(game_id)

    def log(self, game_id: str) -> GameLog:
        """Fetch what is kept of a finished game beside its record."""
        return self._store.log(game_id)

    def can_be_watched(self) -> bool:
        """Say whether games are written down while they are played."""
        return self._watched.is_live()

    def live(self, game_id: str) -> bytes:
        """Fetch the record of a game under way as far as it has come."""
        return self._watched.live(game_id)

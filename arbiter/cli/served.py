"""A tournament's results and what is under way, as they are served."""

from collections.abc import Sequence
from pathlib import Path

from arbiter.cli.report import results_of
from arbiter.show.report.values import Results
from arbiter.tournament.events import Began
from arbiter.tournament.live_games import folder_of, read_live
from arbiter.tournament.running import read_running
from arbiter.tournament.store import Store, holder
from arbiter.transcript import GameLog


class Served:
    """Reads results while another process writes them."""

    def __init__(self, path: Path, store: Store) -> None:
        self._path = path
        self._store = store

    def version(self) -> object:
        """Return something that is another thing when the results have changed.  Raises ConfigError."""
        return self._store.version()

    def under_way(self) -> Sequence[Began] | None:
        """List the games under way; None where nobody plays.  Raises ConfigError."""
        return None if holder(self._path) is None else read_running(self._path).games

    def results(self) -> Results:
        """Work out how the tournament stands.  Raises ConfigError."""
        return results_of(self._store.manifest, self._store.games(), self._store.withdrawn())

    def record(self, game_id: str) -> bytes:
        """Fetch the record of a finished game.  Raises ConfigError."""
        return self._store.record(game_id)

    def log(self, game_id: str) -> GameLog:
        """Fetch what is kept of a finished game beside its record.  Raises ConfigError."""
        return self._store.log(game_id)

    def can_be_watched(self) -> bool:
        """Say whether games are written down while they are played."""
        return folder_of(self._path).is_dir()

    def live(self, game_id: str) -> bytes:
        """Fetch the record of a game under way as far as it has come."""
        return read_live(self._path, game_id)

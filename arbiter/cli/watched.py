"""The games of a tournament's results as they are watched: finished ones, and those that another shell plays."""

from collections.abc import Sequence

from arbiter.record import Record, read_record
from arbiter.show.text import plain
from arbiter.tournament.events import Began
from arbiter.tournament.results.live_files import live_games_folder, read_live_game, read_live_status
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame


class Watched:
    """What there is to watch of a tournament; every call may raise ConfigError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._version = store.version()

    @property
    def title(self) -> str:
        """The tournament's name."""
        return self._store.manifest.tournament.name

    def games(self) -> Sequence[StoredGame]:
        """List the games that are finished."""
        return self._store.games()

    def has_changed(self) -> bool:
        """Say whether a game may have finished since this was asked before."""
        before, self._version = self._version, self._store.version()
        return self._version != before

    def has(self, game_id: str) -> bool:
        """Say whether a game is finished."""
        return self._store.has(game_id)

    def record(self, game_id: str) -> Record:
        """Read a finished game's record.  Raises RecordError too."""
        return read_record(self._store.record(game_id))

    # What an arbiter left that was killed is there still: without its lock it is worth nothing.

    def under_way(self) -> Sequence[Began]:
        """List the games that are being played now."""
        # One that is over is kept before it is no longer under way.
        games = [began for began in read_live_status(self._store.path).games if not self.has(began.fixture.id)]
        return games if games and self._store.lock_owner() else ()

    def is_live(self) -> bool:
        """Say whether games that are being played now are written down act by act."""
        return live_games_folder(self._store.path).is_dir() and self._store.lock_owner() is not None

    def live(self, game_id: str) -> bytes:
        """Read the record of a game that is being played now, as far as it has come; nothing where there is none."""
        written = read_live_game(self._store.path, game_id)
        return written if written and self._store.lock_owner() else b""

    def hint(self) -> str:
        """Say which command shows the games that are being played now; nothing where none can be watched."""
        if not self.is_live() or not self.under_way():
            return ""
        return f"watch what is under way: arbiter replay {plain(str(self._store.path))}"

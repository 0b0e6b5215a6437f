"""Games to watch: finished games, and games in progress that another process plays."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from arbiter.cli.files import find_results, is_results, open_results, read_bytes
from arbiter.cli.options import END
from arbiter.errors import ConfigError, write_command
from arbiter.record import Record, RecordError, read_record
from arbiter.show.text import plain
from arbiter.show.watch.settings import ViewSettings
from arbiter.show.watch.source import open_game
from arbiter.tournament.events import Began
from arbiter.tournament.results.live_files import live_games_folder, read_live_game, read_live_status
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import GameLog


class ResultsReader:
    """The games of a results file, finished and in progress.  Every method may raise ConfigError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._version = store.version()

    @property
    def title(self) -> str:
        """The name of the tournament."""
        return self._store.manifest.tournament.name

    def games(self) -> Sequence[StoredGame]:
        """List the finished games."""
        return self._store.games()

    def has_changed(self) -> bool:
        """Return True if games may have finished since the last call."""
        before = self._version
        self._version = self._store.version()
        return self._version != before

    def has(self, game_id: str) -> bool:
        """Return True if a game is finished."""
        return self._store.has(game_id)

    def record(self, game_id: str) -> Record:
        """Read the record of a finished game.  Raises RecordError too."""
        return read_record(self._store.record(game_id))

    def log(self, game_id: str) -> GameLog:
        """Read the log of a finished game; empty if there is none."""
        return self._store.log(game_id)

    # A killed arbiter leaves its live files behind.  They are valid only if the results are locked.

    def games_in_progress(self) -> Sequence[Began]:
        """List the games in progress."""
        # A finished game is stored before it is removed from the live status.
        games = [began for began in read_live_status(self._store.path).games if not self.has(began.fixture.id)]
        return games if games and self._store.lock_owner() else ()

    def is_live(self) -> bool:
        """Return True if the records of games in progress are being written."""
        return live_games_folder(self._store.path).is_dir() and self._store.lock_owner() is not None

    def live(self, game_id: str) -> bytes:
        """Read the record of a game in progress as far as it is written; empty if there is none."""
        written = read_live_game(self._store.path, game_id)
        return written if written and self._store.lock_owner() else b""

    def hint(self) -> str:
        """Return the command that shows the games in progress; empty if none can be watched."""
        if not self.is_live() or not self.games_in_progress():
            return ""
        return f"watch the games in progress: {plain(write_command('replay', self._store.path))}"


def read_game(source: Path, game: str | None) -> tuple[Record, bool]:
    """Read a record file or a game of results; returns the record and True if the game is in progress.

    Raises ConfigError.
    """
    try:
        if not is_results(source):
            return _read_record_file(source, game), False
        with open_results(source) as store:
            if game is None:
                raise ConfigError(f"{store.path}: name a game; `{write_command('games', store.path)}` lists them")
            record, live = open_game(ResultsReader(store), game)
            return record, live.in_progress
    except RecordError as error:
        raise ConfigError(f"{source}: {error}") from None


def read_written_record(source: Path, game: str | None) -> bytes:
    """Return the record of a game as it is written: `read_game` has read it before.  Raises ConfigError."""
    if game is None or not is_results(source):
        return read_bytes(source)
    with Store.read(find_results(source)) as store:
        return ResultsReader(store).live(game) or store.record(game)


def read_log(source: Path, game: str | None) -> GameLog:
    """Read the log of a game of results; empty for a record file, and for a game in progress.  Raises ConfigError."""
    if game is None or not is_results(source):
        return GameLog()
    with Store.read(find_results(source)) as store:
        return store.log(game)


def watch_on_terminal(path: Path, game: str | None, at: str | None, settings: ViewSettings, *, playing: bool) -> None:
    """Watch a record, a game of results, or games picked from the list of results.

    Errors in the game are reported before the application takes over the screen.  Raises ConfigError.
    """
    from arbiter.show.watch.state import ReplayState  # noqa: PLC0415 - rich is slow to import

    with ExitStack() as closing:
        source = ResultsReader(closing.enter_context(open_results(path))) if is_results(path) else None
        state: ReplayState | None = None
        if source is None or game is not None:
            try:
                if source is None or game is None:
                    state = ReplayState(_read_record_file(path, game), settings)
                else:
                    record, live = open_game(source, game)
                    state = ReplayState(record, settings, live, source.log(game))
            except RecordError as error:
                raise ConfigError(f"{path}: {error}") from None
            if at is not None:
                replay = state.replay
                state.go_to(replay.last if at == END else replay.find_ply(replay.check_ply(int(at))))
            elif playing:  # otherwise the replay of a game in progress starts at its latest ply
                state.go_to(0)
        elif at is not None:
            raise ConfigError(f"--at {at}: name the game of {path}")
        from arbiter.show.watch.app import watch  # noqa: PLC0415 - so is textual

        if watch(settings, state, source, playing=playing):
            raise KeyboardInterrupt


def _read_record_file(file: Path, game: str | None) -> Record:
    if game is not None:
        raise ConfigError(f"{file}: is not a results file; leave out the game {game!r}")
    return read_record(read_bytes(file))

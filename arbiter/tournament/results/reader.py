"""One reader of results, for commands, pages and programs: finished games, and those that another process plays."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arbiter.errors import ConfigError, write_command
from arbiter.record import Record, read_record
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.events import Began
from arbiter.tournament.live_values import LiveStatus
from arbiter.tournament.ratings.values import Ratings
from arbiter.tournament.results.live_files import live_games_folder, read_live_game, read_live_status
from arbiter.tournament.results.snapshot import Snapshot
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing


class Results(Store):
    """Results that are read, maybe while another process writes them.  Every method may raise ConfigError.

    Open them with `Results.read`.
    """

    def __init__(self, *words: Any, **settings: Any) -> None:  # noqa: ANN401 - those of Store
        super().__init__(*words, **settings)
        self._file = _identify(self.path)

    @property
    def title(self) -> str:
        """The name of the tournament."""
        return self.manifest.tournament.name

    def version(self) -> int:
        """Return a number that changes when another program has written to the results.

        Raises ConfigError if the file was replaced.
        """
        if _identify(self.path) != self._file:
            raise ConfigError(f"{self.path}: the file was replaced; restart to show the new file")
        return super().version()

    def snapshot(self) -> Snapshot:
        """Read all results of the series, without records and logs."""
        withdrawn = self.withdrawn()
        history = self.history()
        return Snapshot(
            manifest=self.manifest,
            plan=self.manifest.schedule(history.games, withdrawn, history),
            attempts=tuple(self.attempts().values()),
            withdrawn=withdrawn,
        )

    def standings(self) -> Sequence[Standing]:
        """Rank all bots."""
        return self.snapshot().plan.rank_all()

    def ratings(self, anchor: str | None = None) -> Ratings:
        """Rate the bots by all games; `anchor` is BOT=RATING.  Default: the anchor of the tournament."""
        return self.snapshot().rate(anchor)

    def read_game(self, game_id: str) -> Record:
        """Read the record of a finished game.  Raises RecordError too."""
        return read_record(self.record(game_id))

    # --- games in progress: a killed arbiter leaves its files behind, which are valid only if the results are locked ---

    @property
    def is_being_played(self) -> bool:
        """True if an arbiter has the results open for writing."""
        return self.lock_owner() is not None

    def live_status(self) -> LiveStatus:
        """Return the state of the run in progress; an empty one if there is none."""
        return read_live_status(self.path) if self.is_being_played else LiveStatus()

    def games_in_progress(self) -> Sequence[Began] | None:
        """List the games in progress; None if nobody plays the tournament."""
        if not self.is_being_played:
            return None
        # A finished game is stored before it is removed from the live status.
        return [began for began in read_live_status(self.path).games if not self.has(began.fixture.id)]

    def can_be_watched(self) -> bool:
        """Return True if the records of games in progress are being written."""
        return live_games_folder(self.path).is_dir() and self.is_being_played

    def live_record(self, game_id: str) -> bytes:
        """Return the record of a game in progress, as far as it is written; b"" if there is none."""
        written = read_live_game(self.path, game_id)
        return written if written and self.is_being_played else b""

    def describe_watching(self) -> str:
        """Return the command that shows the games in progress; empty if none can be watched."""
        if not self.can_be_watched() or not self.games_in_progress():
            return ""
        return f"watch the games in progress: {write_command('replay', self.path)}"


def read_schedule(tournament: Tournament, results: Path) -> tuple[Schedule, Sequence[StoredGame]]:
    """Make the schedule of a tournament after the games in its results, if there are any.  Raises ConfigError."""
    if not results.exists():
        return tournament.schedule(0), []
    with Results.read(results) as stored:
        history = stored.history()
        plan = tournament.file.schedule(stored.manifest.key, history.games, stored.withdrawn(), history=history)
        return plan, history.in_order


def _identify(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino

"""The games that can be watched, and settings for showing them.

Does not load rich, so that commands which only print start faster.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.languages.catalogue import DEFAULT_LANGUAGE
from arbiter.record import Record, RecordError, read_record
from arbiter.show.replay.knowledge import Viewer, play_acts
from arbiter.show.theme import DEFAULT_THEME
from arbiter.tournament.events import Began
from arbiter.tournament.standings.game_status import GameStatus
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import GameLog

USUAL_SPEED: Final = 2.0  # plies a second


class ViewSettings(Struct, frozen=True, kw_only=True):
    """Settings for showing games."""

    viewer: Viewer = "arbiter"
    speed: float = USUAL_SPEED
    """Plies a second."""
    lang: str = DEFAULT_LANGUAGE
    """Language of the names of the pieces."""
    theme: str = DEFAULT_THEME
    """A name of THEMES."""
    animates: bool = True
    """True if fights are shown step by step."""


IN_PROGRESS: Final = "in progress"
_JUST_BEGUN: Final = "has just begun and has no acts yet; try again in a moment"
_NOT_LIVE: Final = "is in progress; to watch games while they are played, run the tournament with --live"


class GameSource(Protocol):
    """The games of a tournament; every call may raise ConfigError."""

    @property
    def title(self) -> str:
        """The name of the tournament."""
        ...

    def games(self) -> Sequence[StoredGame]:
        """List the finished games."""
        ...

    def uncounted(self) -> Mapping[str, GameStatus]:
        """Return the states of the finished games that do not count, by their ids."""
        ...

    def version(self) -> int:
        """Return a number that changes when games may have finished."""
        ...

    def has(self, game_id: str) -> bool:
        """Return True if a game is finished."""
        ...

    def read_game(self, game_id: str) -> Record:
        """Read the record of a finished game.  Raises RecordError too."""
        ...

    def log(self, game_id: str) -> GameLog:
        """Read the log of a finished game; empty if there is none."""
        ...

    def games_in_progress(self) -> Sequence[Began] | None:
        """List the games in progress; None if nobody plays the tournament."""
        ...

    def can_be_watched(self) -> bool:
        """Return True if the records of games in progress are being written."""
        ...

    def live_record(self, game_id: str) -> bytes:
        """Return the record of a game in progress so far; empty if there is none."""
        ...


class OngoingGame(Struct, frozen=True):
    """A game in progress, as the list shows it."""

    id: str
    round: int
    red: str
    blue: str
    started: str
    plies: int | None
    """Plies played so far; None if the game cannot be watched, or not yet."""
    ending: Literal["in progress"] = IN_PROGRESS
    ending_words: str = IN_PROGRESS


class OngoingGames:
    """The games of a source that are in progress, with their plies; a record is counted again only if it grew."""

    def __init__(self, source: GameSource) -> None:
        self._source = source
        self._counted: dict[str, tuple[bytes, int]] = {}

    def list(self) -> tuple[OngoingGame, ...]:
        """List the games that are in progress now.  Raises ConfigError."""
        games = self._source.games_in_progress() or ()
        ids = {began.fixture.id for began in games}
        self._counted = {game_id: counted for game_id, counted in self._counted.items() if game_id in ids}
        return tuple(
            OngoingGame(game.id, game.round, game.red, game.blue, began.at, self._count_plies(game.id))
            for began in games
            for game in (began.fixture,)
        )

    def _count_plies(self, game_id: str) -> int | None:
        written = self._source.live_record(game_id)
        if not written:
            return None
        before, plies = self._counted.get(game_id, (b"", 0))
        if written != before:
            try:
                plies = max((act.ply for act in play_acts(read_record(written))), default=0)
            except RecordError:
                return None  # the error is shown when the game is opened
            self._counted[game_id] = written, plies
        return plies


class LiveGame:
    """A game that is watched while it is played.  At the end its record is read from the results."""

    def __init__(self, source: GameSource, game_id: str) -> None:
        self.state: Literal["in progress", "over", "broken off"] = IN_PROGRESS
        self._source = source
        self._id = game_id
        self._written = b""

    @property
    def in_progress(self) -> bool:
        """True as long as more acts may follow."""
        return self.state == IN_PROGRESS

    def read(self) -> Record | None:
        """Return the record if it has changed since the last call.  Raises ConfigError and RecordError."""
        if not self.in_progress:
            return None
        written = self._source.live_record(self._id)
        # A voided game is played again under the same id, with another record.
        if not written or not written.startswith(self._written):
            self.state = "over" if self._source.has(self._id) else "broken off"
            return self._source.read_game(self._id) if self.state == "over" else None
        if written == self._written:
            return None
        record = read_record(written)
        self._written = written
        return record


def open_game(source: GameSource, game_id: str) -> tuple[Record, LiveGame]:
    """Open a game, finished or in progress.  Raises RecordError, and ConfigError if it cannot be watched."""
    live = LiveGame(source, game_id)
    record = live.read()
    if record is None and any(began.fixture.id == game_id for began in source.games_in_progress() or ()):
        raise ConfigError(f"{game_id} {_JUST_BEGUN if source.can_be_watched() else _NOT_LIVE}")
    return record or source.read_game(game_id), live  # raises ConfigError if there is no such game

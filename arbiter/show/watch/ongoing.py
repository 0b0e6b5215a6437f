"""Games under way: how far each has come, and one of them as it is followed until it is over."""

from typing import Final, Literal

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.record import Record, RecordError, read_record
from arbiter.show.replay.acts import play_acts
from arbiter.show.watch.source import GameSource
from arbiter.tournament.events import Began

_JUST_BEGUN: Final = "has just begun, and nothing of it can be seen yet; try again in a moment"
_NOT_LIVE: Final = "is under way; to watch games while they are played, run their tournament with --live"
State = Literal["under way", "over", "broken off"]


class Ongoing(Struct, frozen=True):
    """A game under way; `plies` are those played so far, None where it cannot be watched or not yet."""

    id: str
    round: int
    red: str
    blue: str
    at: str
    plies: int | None
    ending: Literal["under way"] = "under way"


class PlyCount:
    """Counts the plies of the games under way, each act once."""

    def __init__(self, source: GameSource) -> None:
        self._source = source
        self._counted: dict[str, tuple[bytes, int]] = {}

    def take(self) -> tuple[Ongoing, ...]:
        """List the games that are under way now.  Raises ConfigError."""
        under_way = self._source.under_way()
        ids = {began.fixture.id for began in under_way}
        self._counted = {game_id: counted for game_id, counted in self._counted.items() if game_id in ids}
        return tuple(self._ongoing(began) for began in under_way)

    def _ongoing(self, began: Began) -> Ongoing:
        game = began.fixture
        return Ongoing(game.id, game.round, game.red, game.blue, began.at, self._plies(game.id))

    def _plies(self, game_id: str) -> int | None:
        written = self._source.live(game_id)
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
    """A game that is followed while it is played; at last its record is that of the results."""

    def __init__(self, source: GameSource, game_id: str) -> None:
        self.state: State = "under way"
        self._source = source
        self._id = game_id
        self._written = b""

    @property
    def is_under_way(self) -> bool:
        """Say whether there may be more of it."""
        return self.state == "under way"

    def look(self) -> Record | None:
        """Return the record where there is more of it than before.  Raises ConfigError and RecordError."""
        if not self.is_under_way:
            return None
        written = self._source.live(self._id)
        # A game that came to nothing is played again under its id, and that is another one.
        if not written or not written.startswith(self._written):
            return self._finished()
        if written == self._written:
            return None
        record = read_record(written)
        self._written = written
        return record

    def _finished(self) -> Record | None:
        self.state = "over" if self._source.has(self._id) else "broken off"
        return self._source.record(self._id) if self.state == "over" else None


def open_game(source: GameSource, game_id: str) -> tuple[Record, LiveGame]:
    """Open a game, finished or under way.  Raises RecordError, and ConfigError where there is nothing to be seen."""
    live = LiveGame(source, game_id)
    record = live.look()
    if record is None and any(began.fixture.id == game_id for began in source.under_way()):
        raise ConfigError(f"{game_id} {_JUST_BEGUN if source.is_live() else _NOT_LIVE}")
    return record or source.record(game_id), live  # which says where there is none

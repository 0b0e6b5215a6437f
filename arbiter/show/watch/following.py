"""Games that join a list while it is looked at, and which of them is to be shown next to one who follows."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from arbiter.record import Record
from arbiter.tournament.stored import StoredGame


class Source(Protocol):
    """Where finished games come from; every call may raise ConfigError."""

    @property
    def title(self) -> str:
        """What the games are of."""
        ...

    def games(self) -> Sequence[StoredGame]:
        """List the games that are finished."""
        ...

    def has_changed(self) -> bool:
        """Say whether there may be more games than when this was asked before."""
        ...

    def record(self, game_id: str) -> Record:
        """Read a game's record.  Raises RecordError too."""
        ...


class Newcomers:
    """The games that finish while one follows; the latest is next, for who follows wants to see what is new."""

    def __init__(self, games: Iterable[StoredGame]) -> None:
        self._known = {game.id for game in games}
        self._latest: StoredGame | None = None

    def hear(self, games: Iterable[StoredGame]) -> None:
        """Take note of the games that are there now."""
        new = [game for game in games if game.id not in self._known]
        self._known |= {game.id for game in new}
        if new:
            self._latest = max(new, key=lambda game: game.started)

    def next(self) -> StoredGame | None:
        """Return the game to be shown next, once."""
        latest, self._latest = self._latest, None
        return latest

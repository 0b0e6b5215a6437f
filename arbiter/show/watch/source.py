"""Where games come from that are watched: a tournament's, finished ones and those under way."""

from collections.abc import Sequence
from typing import Protocol

from arbiter.record import Record
from arbiter.tournament.events import Began
from arbiter.tournament.standings.stored_game import StoredGame


class GameSource(Protocol):
    """The games of a tournament; every call may raise ConfigError."""

    @property
    def title(self) -> str:
        """What the games are of."""
        ...

    def games(self) -> Sequence[StoredGame]:
        """List the games that are finished."""
        ...

    def has_changed(self) -> bool:
        """Say whether there may be more finished games than when this was asked before."""
        ...

    def has(self, game_id: str) -> bool:
        """Say whether a game is finished."""
        ...

    def record(self, game_id: str) -> Record:
        """Read a finished game's record.  Raises RecordError too."""
        ...

    def under_way(self) -> Sequence[Began]:
        """List the games that are being played now."""
        ...

    def is_live(self) -> bool:
        """Say whether games that are being played now can be watched."""
        ...

    def live(self, game_id: str) -> bytes:
        """Read the record of a game that is being played now, as far as it has come; nothing where there is none."""
        ...

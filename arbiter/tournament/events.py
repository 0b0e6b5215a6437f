"""Events of a running tournament."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from arbiter.tournament.attempt import Attempt
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.standings.stored_game import Ruling, StoredGame
from arbiter.transcript import GameLog

NO_LOG: Final = GameLog()


class Began(Struct, frozen=True):
    """A game began."""

    fixture: Fixture
    at: str
    """ISO 8601 in UTC."""


class Finished(Struct, frozen=True):
    """A game is over and stored."""

    game: StoredGame


class Void(Struct, frozen=True):
    """A game was voided; the attempt is stored if the results are."""

    fixture: Fixture
    attempt: Attempt
    log: GameLog = NO_LOG
    """The messages before the failure, if they were kept."""


class Audited(Struct, frozen=True):
    """A game was played again on another machine."""

    game: StoredGame
    """The game as it is stored."""
    attempt: Attempt | None = None
    """The second play if it differs, which is stored; None if it is the same."""


class Ruled(Struct, frozen=True):
    """A ruling of the organiser was taken up, and all games were counted again."""

    ruling: Ruling


class Closing(Struct, frozen=True):
    """No more games begin; playing stops when the games in progress are over."""


Event = Began | Finished | Void | Audited | Ruled | Closing
EventHandler = Callable[[Event], None]

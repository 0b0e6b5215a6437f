"""What happens while a tournament is played, as values: whoever watches is told each as it happens."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from arbiter.tournament.fixture import Fixture
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import GameLog

NO_LOG: Final = GameLog()


class Began(Struct, frozen=True):
    """A game begins; `at` is ISO 8601 in UTC."""

    fixture: Fixture
    at: str


class Finished(Struct, frozen=True):
    """A game is over and kept for good."""

    game: StoredGame


class Void(Struct, frozen=True):
    """A game came to nothing through no fault of its bots, and is not kept.

    `trace` is for whoever mends the arbiter; `stalled` says that the arbiter only stood still when a bot's time ran
    out; `log` is what was heard before that, where it is held.
    """

    fixture: Fixture
    trace: str
    stalled: bool
    log: GameLog = NO_LOG


class Closing(Struct, frozen=True):
    """Nothing more is begun: the games under way are finished, then playing stops."""


Event = Began | Finished | Void | Closing
Tell = Callable[[Event], None]

"""What happens while a tournament is played, as values: whoever watches is told each as it happens."""

from collections.abc import Callable

from msgspec import Struct

from arbiter.tournament.schedule.fixture import Fixture
from arbiter.tournament.stored import StoredGame


class Began(Struct, frozen=True):
    """A game begins; `at` is ISO 8601 in UTC."""

    fixture: Fixture
    at: str


class Finished(Struct, frozen=True):
    """A game is over and kept for good."""

    game: StoredGame


class Void(Struct, frozen=True):
    """A game came to nothing through no fault of its bots, and is not kept.

    `trace` is for whoever mends the arbiter; `stalled` says that the arbiter stood still when a bot's time ran out;
    a `last` one is not played again in this run.
    """

    fixture: Fixture
    trace: str
    stalled: bool = False
    last: bool = False


Event = Began | Finished | Void
Tell = Callable[[Event], None]

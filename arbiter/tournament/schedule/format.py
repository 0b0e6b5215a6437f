"""What a tournament format is: a few pure functions of who plays and of the games of the rounds before."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.tournament.fixture import Bye, Round
from arbiter.tournament.standings.points import Points
from arbiter.tournament.standings.standings import Standing
from arbiter.tournament.standings.stored_game import StoredGame

Detail = Literal["crosstable", "rounds", "bracket"]


class Entrants(Struct, frozen=True, kw_only=True):
    """Who plays a stage, in the order of their seeding, and by which settings; None and () are `not set`.

    `games` are the games of a meeting, an even number; the stage's first round has the number `first_round`.
    """

    bots: tuple[str, ...]
    games: int
    points: Points
    tie_breaks: tuple[str, ...]
    seed: int
    stage: int = 1
    first_round: int = 1
    challengers: tuple[str, ...] = ()
    rounds: int | None = None
    further_pairs: int | None = None


def any_field(field: Entrants) -> None:
    """Find fault with no field."""


class Format(Struct, frozen=True, kw_only=True):
    """A tournament format.

    `settings` are the keys of its own.  `next_round` returns what follows the rounds that were played whole; one
    without games and byes ends the stage.  It must not depend on the order of the games.  `least` counts the games
    that a field plays at the least.  `rank` ranks the bots by what was played so far, whole rounds or not.
    `check` raises ConfigError where the field makes no sense.  `detail` is what shows best who met whom.
    Where it `is_closed`, nobody joins, leaves or changes places once it has begun.
    """

    settings: frozenset[str] = frozenset()
    check: Callable[[Entrants], None] = any_field
    next_round: Callable[[Entrants, Sequence[Round], Sequence[StoredGame]], Round]
    least: Callable[[Entrants], int]
    rank: Callable[[Entrants, Iterable[StoredGame], Sequence[Bye]], tuple[Standing, ...]]
    detail: Detail = "crosstable"
    is_closed: bool = False


def refuse_unknown(key: str, names: Iterable[str], bots: Sequence[str]) -> None:
    """Raise ConfigError where a key names a bot that is not entered, or one twice."""
    seen = set[str]()
    for name in names:
        if name not in bots:
            raise ConfigError(f"{key}: {name!r} is no bot of this tournament; there is {', '.join(bots)}")
        if name in seen:
            raise ConfigError(f"{key}: {name!r} is named twice")
        seen.add(name)

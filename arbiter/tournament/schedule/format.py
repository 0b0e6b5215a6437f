"""A tournament format as a value: its settings, and pure functions of the entrants and the games of earlier rounds."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct

from arbiter.games.chance import Seed
from arbiter.tournament.fixture import Round, RoundBye
from arbiter.tournament.standings.crosstable import Detail, build_crosstable
from arbiter.tournament.standings.points import Points
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing, rank_bots


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a tournament file or a [[stages]] table that only one format has.

    The first sentences below a key are its row in tournaments/README.md, as tests check.  "Default: ..." at the end
    describes a default that follows from other values.
    """


S = TypeVar("S", bound=Settings)


class Entrants(Struct, Generic[S], frozen=True, kw_only=True):
    """The bots of a stage and its settings."""

    bots: tuple[str, ...]
    """In the order of their seeding."""
    games: int
    """Games of a meeting, an even number."""
    settings: S
    """The settings of the format."""
    points: Points
    tie_breaks: tuple[str, ...]
    seed: Seed
    stage: int = 1
    first_round: int = 1
    """Number of the stage's first round."""
    late: tuple[str, ...] = ()
    """The bots that joined after the first game."""
    absences: Mapping[str, tuple[int, ...]] = {}
    """Rounds in which a bot is absent, as it announced."""


def tabulate_pairings(
    _entrants: Entrants[Any], order: Sequence[str], games: Sequence[StoredGame], byes: Sequence[RoundBye]
) -> Detail:
    """Make the crosstable of a stage."""
    return build_crosstable(order, games, byes)


def rank_by_tie_breaks(
    entrants: Entrants[Any], games: Iterable[StoredGame], byes: Sequence[RoundBye]
) -> tuple[Standing, ...]:
    """Rank by the tournament's tie-breaks; the first of them is points."""
    return rank_bots(entrants.bots, games, entrants.tie_breaks, entrants.seed, byes)


class Format(Struct, Generic[S], frozen=True, kw_only=True):
    """A tournament format."""

    name: str
    """Value of the key `format`."""
    pairings: str
    """The pairings in one phrase, as in tournaments/README.md."""
    settings: type[S]
    check: Callable[[Entrants[S]], None] | None = None
    """Raises ConfigError if the format cannot be played by these entrants."""
    next_round: Callable[[Entrants[S], Sequence[Round], Sequence[StoredGame]], Round]
    """Returns the round after those that are complete, whatever the order of the games.

    A round without games and byes ends the stage.
    """
    warn: Callable[[Entrants[S]], str | None] | None = None
    """Returns a warning for the organiser, if there is a reason."""
    least: Callable[[Entrants[S]], int]
    """Counts the games that are played at least."""
    rank: Callable[[Entrants[S], Iterable[StoredGame], Sequence[RoundBye]], tuple[Standing, ...]] = rank_by_tie_breaks
    """Ranks the bots by the games so far, complete rounds or not."""
    tie_breaks: tuple[str, ...] = ("points", "wins", "direct", "sonneborn-berger")
    """Tie-breaks of a tournament file that lists none."""
    tabulate: Callable[[Entrants[S], Sequence[str], Sequence[StoredGame], Sequence[RoundBye]], Detail] = (
        tabulate_pairings
    )
    """Makes the table that shows the pairings best, with the bots in the given order."""
    pairs_by_round: bool = False
    """True if the bots are paired round by round, so that a bot can be absent from a round."""
    follows_results: bool = False
    """True if a ruling changes pairings that were made before it; otherwise they stay as they are."""
    is_closed: bool = False
    """True if no bot can join, leave or change places after the start."""


AnyFormat = Format[Any]

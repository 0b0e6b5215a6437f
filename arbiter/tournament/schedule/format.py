"""A tournament format: its settings, pure functions of the entrants and of earlier games, and stages played in it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

from msgspec import Struct

from arbiter.games.chance import Seed
from arbiter.tournament.fixture import Fixture, Fixtures, Round, RoundBye, SeatsOfStage, parse_id
from arbiter.tournament.ratings.values import Ratings
from arbiter.tournament.schedule.ladder_state import LadderState
from arbiter.tournament.standings.crosstable import Detail, PlainTable, build_crosstable
from arbiter.tournament.standings.history import SavedLadder, find_base
from arbiter.tournament.standings.stored_game import Points, StoredGame
from arbiter.tournament.standings.table import Standing, rank_bots


class FormatSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a tournament file or a [[stages]] table that only one format has.

    The first sentences below a key are its row in tournaments/README.md, as tests check.  "Default: ..." at the end
    describes a default that follows from other values.
    """


S = TypeVar("S", bound=FormatSettings)


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
    gone: frozenset[str] = frozenset()
    """The bots that left before the round that is being paired."""
    parents: Mapping[str, str] = {}
    """The bots that are new versions of others, each with its parent."""
    people: frozenset[str] = frozenset()
    """The people, who are rated apart from the programs in a ladder."""
    ratings: Mapping[str, int] = {}
    """Ratings that bots had before the tournament."""

    def rank(
        self,
        games: Iterable[StoredGame],
        byes: Iterable[RoundBye],
        tie_breaks: tuple[str, ...] | None = None,
        *,
        total_rounds: int | None = None,
    ) -> tuple[Standing, ...]:
        """Rank the bots by the tie-breaks of the tournament, or by others.

        `total_rounds` is the number of rounds of a Swiss tournament.
        """
        chosen = self.tie_breaks if tie_breaks is None else tie_breaks
        return rank_bots(self.bots, games, chosen, self.seed, byes, total_rounds=total_rounds, ratings=self.ratings)


class PairSource(Protocol):
    """The pairs of games of a format without rounds: each is chosen when it can begin."""

    @property
    def fixtures(self) -> Fixtures:
        """The games of the pairs so far."""

    @property
    def state(self) -> LadderState:
        """The state after the finished games."""

    @property
    def walkovers(self) -> Sequence[StoredGame]:
        """The games so far that a bot lost because it was absent."""

    @property
    def is_over(self) -> bool:
        """True if no new pair begins."""

    def restore(self, games: Iterable[Fixture | StoredGame], /) -> None:
        """Add the pairs of games that were chosen before, some of whose games may be missing."""

    def awaits(self, game: StoredGame, /) -> bool:
        """Return True for a game of one of the pairs that is not finished yet."""

    def add(self, game: StoredGame, /) -> None:
        """Add a finished game of one of the pairs, which the source awaits."""

    def list_open(self) -> Iterator[Fixture]:
        """Yield the games of the pairs so far that are not finished."""

    def rank(self) -> tuple[Standing, ...]:
        """Rank the bots by the finished games."""

    def tabulate(self, order: Sequence[str], /) -> PlainTable:
        """Make the table that shows them best, with the bots in an order."""

    def rate_bots(self) -> Ratings:
        """Rate the bots by the finished games."""

    def save(self) -> SavedLadder:
        """Return what the source needs to continue after its finished games."""

    def fits(self, saved: SavedLadder, /) -> bool:
        """Return True if a source of the same entrants can continue after saved games."""

    def choose(self, gone: Collection[str], /) -> Iterator[Fixture] | None:
        """Choose the next pair, without bots that left or cannot begin a game; None if others must finish first."""


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
    open: Callable[[Entrants[S], SavedLadder | None], PairSource] | None = None
    """Makes the source of the pairs of games of a ladder, which has no rounds; all of its games are one round."""
    warn: Callable[[Entrants[S]], str | None] | None = None
    """Returns a warning for the organiser, if there is a reason."""
    least: Callable[[Entrants[S]], int]
    """Counts the games that are played at least."""
    rank: Callable[[Entrants[S], Iterable[StoredGame], Sequence[RoundBye]], tuple[Standing, ...]] = (
        lambda entrants, games, byes: entrants.rank(games, byes)
    )
    """Ranks the bots by the games so far, complete rounds or not.  Default: by the tournament's tie-breaks."""
    tie_breaks: tuple[str, ...] = ("points", "wins", "direct", "sonneborn-berger")
    """Tie-breaks of a tournament file that lists none."""
    tabulate: Callable[[Entrants[S], Sequence[str], Sequence[StoredGame], Sequence[RoundBye]], Detail] = (
        lambda _entrants, order, games, byes: build_crosstable(order, games, byes)
    )
    """Makes the table that shows the pairings best, with the bots in the given order.  Default: the crosstable."""
    count_rounds: Callable[[Entrants[S]], int] | None = None
    """Counts the rounds, if the pairings of each follow from the results before it."""
    takes_absences: bool = False
    """True if a bot can be absent from a round, as it announced."""
    follows_results: bool = False
    """True if a ruling changes pairings that were made before it; otherwise they stay as they are."""
    is_closed: bool = False
    """True if no bot can join, leave or change places after the start."""

    @property
    def is_ladder(self) -> bool:
        """True if it has no rounds: each pair of games is chosen when it can begin, and bots can have new versions."""
        return self.open is not None


AnyFormat = Format[Any]


# --- finished games -------------------------------------------------------------------------------


class FinishedGames:
    """The finished games that count, one for each id in the schedule: the last one."""

    def __init__(self, games: Iterable[StoredGame] = ()) -> None:
        self.by_id: dict[str, StoredGame] = {}
        """By their ids in the schedule."""
        self._by_seats: dict[SeatsOfStage, dict[int, StoredGame]] = {}
        for game in games:
            self.add(game)

    def add(self, game: StoredGame) -> None:
        """Add a game, or replace the one with the same id in the schedule."""
        base = find_base(game.id)
        self.by_id[base] = game
        place = parse_id(base)
        if place is not None:
            seats, pair = place
            same = game.pair if game.pair == pair else pair  # one number in memory, not two
            self._by_seats.setdefault(seats, {})[same] = game

    def select(self, rounds: Iterable[Round]) -> list[StoredGame]:
        """List the games of some rounds in the order of their fixtures."""
        return [game for one in rounds for game in one.fixtures.select(self._by_seats)]


# --- bots that left -------------------------------------------------------------------------------


WithdrawnGames = Literal["half", "keep", "strike"]
"""Rule for the games of a bot that left: keep or strike them, or keep them if it played at least half of its games."""
Leaving = Literal["withdrawn", "suspended", "disqualified"]
GamesOfAbsent = Literal["kept", "struck", "lost"]
"""The games of a bot that left: they count, they do not count, or they count as lost."""


class Absence(Struct, frozen=True):
    """A bot that left."""

    status: Leaving
    games: GamesOfAbsent


# --- stages ---------------------------------------------------------------------------------------


class Plan(Struct, frozen=True):
    """A stage before its start. The bots of a later stage are placeholders: only their number is known."""

    format: AnyFormat
    entrants: Entrants[Any]


class Stage:
    """A stage that has begun, with its rounds so far. The last round may be in progress."""

    def __init__(self, plan: Plan, saved: SavedLadder | None = None) -> None:
        """Begin a stage; a ladder may continue after `saved` games."""
        self.format = plan.format
        self.entrants = plan.entrants
        self.source = None if plan.format.open is None else plan.format.open(plan.entrants, saved)
        self.rounds: list[Round] = [] if self.source is None else [Round(self.source.fixtures)]
        self.is_over = False
        self.finished_games: list[StoredGame] = []  # of complete rounds, in the order of the schedule
        self.finished_rounds = 0  # number of rounds whose games are in `finished_games`

    @property
    def fixtures(self) -> Iterator[Fixture]:
        """The games of the rounds so far."""
        return (fixture for one in self.rounds for fixture in one.fixtures)

    @property
    def byes(self) -> tuple[RoundBye, ...]:
        """The byes of the rounds so far, as they were paired."""
        return tuple(bye for one in self.rounds for bye in one.byes)

    @property
    def total(self) -> int:
        """The number of its games, as far as it can be foreseen."""
        if self.is_over:
            return sum(len(one.fixtures) for one in self.rounds)
        least = self.format.least(self.entrants)
        if self.source is not None:
            return max(least, len(self.source.fixtures))
        return least + sum(one.extra for one in self.rounds)


class StageCount(Struct, frozen=True):
    """The games of a stage as they count while no game is added."""

    games: Sequence[StoredGame]
    """The finished games in the order of the schedule."""
    counted: Sequence[StoredGame]
    """Those of them that count: without the struck games of bots that left."""
    struck: frozenset[str]
    """The bots whose games are struck."""
    ranking: tuple[Standing, ...]

"""A stage of a tournament: its plan, its rounds once it has begun, and its games as they count."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arbiter.games.chance import Seed
from arbiter.tournament.fixture import Fixture, Round, RoundBye
from arbiter.tournament.schedule.format import Entrants, Format
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing


class Plan(Struct, frozen=True):
    """A stage before its start. The bots of a later stage are placeholders: only their number is known."""

    format: Format
    entrants: Entrants


def with_seed(plans: Iterable[Plan], seed: Seed, series: int = 1, late: tuple[str, ...] = ()) -> tuple[Plan, ...]:
    """Replace the seed of plans, and name the bots that joined late.

    Games of a further series have ids like those of a later stage; only matches, which have one stage, have several.
    """
    return tuple(
        Plan(plan.format, replace(plan.entrants, seed=seed, stage=max(series, plan.entrants.stage), late=late))
        for plan in plans
    )


class Stage:
    """A stage that has begun, with its rounds so far. The last round may be in progress."""

    def __init__(self, plan: Plan) -> None:
        self.format = plan.format
        self.entrants = plan.entrants
        self.rounds: list[Round] = []
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
        return self.format.least(self.entrants) + sum(one.extra for one in self.rounds)


class StageCount(Struct, frozen=True):
    """The games of a stage as they count while no game is added and no bot withdrawn."""

    withdrawn: frozenset[str]
    """The withdrawn bots of the tournament."""
    games: Sequence[StoredGame]
    """The finished games in the order of the schedule."""
    counted: Sequence[StoredGame]
    """Those of them that count: without the struck games of bots that left."""
    ranking: tuple[Standing, ...]

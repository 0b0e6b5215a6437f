"""Schedule of a tournament: its stages, round by round, and the games that can be played now.

Everything is worked out from the stored games, so a tournament that was stopped continues as if it had not been.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from arbiter.games.chance import Seed
from arbiter.tournament.fixture import Fixture, Round, RoundBye
from arbiter.tournament.schedule.format import Entrants, Format
from arbiter.tournament.standings.stored_game import StoredGame, find_absent
from arbiter.tournament.standings.table import Standing

WithdrawnGames = Literal["half", "keep", "strike"]
"""Rule for the games of a withdrawn bot: keep them, strike them, or keep them if it played at least half of its games."""


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
        self.finished_games: list[StoredGame] = []  # of the complete rounds, in the order of the schedule

    @property
    def fixtures(self) -> Iterator[Fixture]:
        """The games of the rounds so far."""
        return (fixture for one in self.rounds for fixture in one.fixtures)

    @property
    def byes(self) -> tuple[RoundBye, ...]:
        """The byes of the rounds so far."""
        return tuple(bye for one in self.rounds for bye in one.byes)

    @property
    def total(self) -> int:
        """The number of its games, as far as it can be foreseen."""
        return self.format.least(self.entrants) + sum(one.extra for one in self.rounds)


class Schedule:
    """The games of a tournament: those already played and those to play now, which are taken one at a time.

    The last game of a round opens the next round.  Games that are not yet played take no memory, however many there
    are.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        games: Iterable[StoredGame] = (),
        *,
        withdrawn: Collection[str] = (),
        withdrawn_games: WithdrawnGames = "half",
    ) -> None:
        """Resume after the games that were played.

        `withdrawn` are the bots that left; the caller may add to it while the tournament is played.
        """
        self._plans = plans
        self._withdrawn = withdrawn
        self._withdrawn_games: WithdrawnGames = withdrawn_games
        self._stored = {game.id: game for game in games}
        self._waiting: Iterator[Fixture] = iter(())
        self._missing = 0  # games of the last round that are not played
        self.stages: list[Stage] = []
        self.finished = False
        self._advance()

    @property
    def total(self) -> int:
        """The number of games of the tournament, as far as it can be foreseen."""
        ahead = self._plans[len(self.stages) :]
        return sum(stage.total for stage in self.stages) + sum(plan.format.least(plan.entrants) for plan in ahead)

    @property
    def fixtures(self) -> Iterator[Fixture]:
        """The games known so far, played or not."""
        return (fixture for stage in self.stages for fixture in stage.fixtures)

    def has(self, game_id: str) -> bool:
        """Return True if a game is one of the games known so far."""
        return any(one.fixtures.find(game_id) is not None for stage in self.stages for one in stage.rounds)

    def take(self) -> Fixture | None:
        """Take the next game to play; None if others must finish first."""
        return next((fixture for fixture in self._waiting if fixture.id not in self._stored), None)

    def add(self, game: StoredGame) -> None:
        """Add a finished game."""
        is_new = self._missing > 0 and game.id not in self._stored
        if is_new and self.stages[-1].rounds[-1].fixtures.find(game.id) is not None:
            self._missing -= 1
        self._stored[game.id] = game
        self._advance()

    def games_in(self, stage: Stage) -> list[StoredGame]:
        """List the finished games of a stage, those of the round in progress included."""
        return list(chain.from_iterable(self._games_of(one) for one in stage.rounds))

    def _games_of(self, round_: Round) -> list[StoredGame]:
        """List the finished games of a round in the order of its fixtures."""
        places = ((round_.fixtures.find(game.id), game) for game in self._stored.values())
        found = [(place, game) for place, game in places if place is not None]
        return [game for _, game in sorted(found, key=itemgetter(0))]

    def counted_games_in(self, stage: Stage) -> list[StoredGame]:
        """List the finished games of a stage that count: not those of withdrawn bots whose games are struck."""
        return self._without_struck(stage, self._decide_withdrawn(stage))

    def rank(self, stage: Stage) -> tuple[Standing, ...]:
        """Rank the bots of a stage by the games so far that count."""
        withdrawn = self._decide_withdrawn(stage)
        table = stage.format.rank(stage.entrants, self._without_struck(stage, withdrawn), stage.byes)
        return tuple(replace(one, withdrawn=withdrawn.get(one.bot)) for one in table)

    def rank_all(self) -> tuple[Standing, ...]:
        """Rank all bots: first those of the last stage, then those that went out in the stage before, and so on."""
        table = self.rank(self.stages[-1])
        for number, stage in reversed(list(enumerate(self.stages[:-1], start=1))):
            present = {one.bot for one in table}
            table += tuple(
                replace(one, rank=max(one.rank, len(present) + 1), reached=f"stage {number}")
                for one in self.rank(stage)
                if one.bot not in present
            )
        return table

    def _decide_withdrawn(self, stage: Stage) -> dict[str, Literal["kept", "struck"]]:
        """Decide for each withdrawn bot if its games count; all do if pairings follow from results."""
        if not self._withdrawn:
            return {}
        total = {bot: sum(one.fixtures.count_games(bot) for one in stage.rounds) for bot in self._withdrawn}
        played = Counter(
            bot for game in self.games_in(stage) if game.ending != "walkover" for bot in (game.red, game.blue)
        )
        keep = self._withdrawn_games == "keep" or stage.format.is_closed
        half = self._withdrawn_games == "half"
        return {
            bot: "kept" if keep or (half and 2 * played[bot] >= total[bot]) else "struck"
            for bot in self._withdrawn
            if total[bot]
        }

    def _without_struck(self, stage: Stage, withdrawn: dict[str, Literal["kept", "struck"]]) -> list[StoredGame]:
        struck = {bot for bot, games in withdrawn.items() if games == "struck"}
        return [game for game in self.games_in(stage) if not struck & {game.red, game.blue}]

    def _advance(self) -> None:
        """Open rounds and stages until a game is missing or the tournament is finished."""
        while not self._missing and not self.finished:
            if self.stages and self._open_round(self.stages[-1]):
                continue
            if len(self.stages) == len(self._plans):
                self.finished = True
                return
            plan = self._plans[len(self.stages)]
            if self.stages:
                plan = Plan(plan.format, self._qualify(plan.entrants, self.stages[-1]))
            self.stages.append(Stage(plan))

    def _open_round(self, stage: Stage) -> bool:
        """Open the stage's next round; False if the stage is over."""
        if stage.rounds:
            stage.finished_games.extend(self._games_of(stage.rounds[-1]))
        following = stage.format.next_round(stage.entrants, stage.rounds, stage.finished_games)
        if not following.fixtures and not following.byes:
            return False
        stage.rounds.append(following)
        self._waiting = iter(following.fixtures)
        self._missing = len(following.fixtures) - len(self._games_of(following))
        return True

    def _qualify(self, entrants: Entrants, before: Stage) -> Entrants:
        """Fill a later stage with the best bots of the stage before, seeded by their rank.

        Bots that lost by walkover come last.
        """
        games = self.games_in(before)
        table = before.format.rank(before.entrants, games, before.byes)
        absent = find_absent(games)
        qualifiers = sorted((standing.bot for standing in table), key=absent.__contains__)[: len(entrants.bots)]
        last = max((one.fixtures.last_round for one in before.rounds), default=0)
        return replace(entrants, bots=tuple(qualifiers), first_round=last + 1)

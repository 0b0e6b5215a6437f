"""How far a tournament has come, and which games can be played now: its stages, round by round.

What follows is worked out anew from the stored games each time, so that a tournament goes on as if never stopped.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arbiter.tournament.fixture import Bye, Fixture, Round
from arbiter.tournament.schedule.format import Entrants, Format
from arbiter.tournament.standings.standings import Standing
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.withdrawals import Fate, Rule, counted, fates, gone


class Plan(Struct, frozen=True):
    """A stage before it begins: of a later one the field's bots are as many as will go on, whichever these are."""

    format: Format
    field: Entrants


class Stage:
    """A stage that has begun: its rounds so far, of which the last may be under way."""

    def __init__(self, plan: Plan) -> None:
        self.format = plan.format
        self.field = plan.field
        self.rounds: list[Round] = []
        self.games: list[StoredGame] = []  # of the rounds that are over, in the order of the schedule

    @property
    def fixtures(self) -> Iterator[Fixture]:
        """The games of the rounds so far."""
        return (fixture for one in self.rounds for fixture in one.fixtures)

    @property
    def byes(self) -> tuple[Bye, ...]:
        """The byes of the rounds so far."""
        return tuple(bye for one in self.rounds for bye in one.byes)

    @property
    def total(self) -> int:
        """The number of its games, as far as it can be foreseen."""
        return self.format.least(self.field) + sum(one.extra for one in self.rounds)

    def next_round(self) -> Round:
        """Work out the round after those that are over."""
        return self.format.next_round(self.field, self.rounds, self.games)


class Schedule:
    """What is to be played now in a tournament, from what was played before: one game after the other is taken.

    It goes on to the next round with the last game of one.  Each game is looked at once, however many there are.
    """

    def __init__(self, plans: Sequence[Plan], games: Iterable[StoredGame] = (), rule: Rule = "half") -> None:
        self._plans = plans
        self._rule: Rule = rule
        self.withdrawn: Collection[str] = ()
        self._stored = {game.id: game for game in games}
        self._waiting: deque[Fixture] = deque()
        self._missing: set[str] = set()
        self.stages: list[Stage] = []
        self.finished = False
        self._go_on()

    @property
    def total(self) -> int:
        """The number of games of the tournament, as far as it can be foreseen."""
        ahead = self._plans[len(self.stages) :]
        return sum(stage.total for stage in self.stages) + sum(plan.format.least(plan.field) for plan in ahead)

    @property
    def fixtures(self) -> Iterator[Fixture]:
        """The games that are known by now, played or not."""
        return (fixture for stage in self.stages for fixture in stage.fixtures)

    def take(self) -> Fixture | None:
        """Take the game to be played next; None where none can be played before others are over."""
        return self._waiting.popleft() if self._waiting else None

    def add(self, game: StoredGame) -> None:
        """Take note of a game that was played."""
        self._stored[game.id] = game
        self._missing.discard(game.id)
        self._go_on()

    def games(self, stage: Stage) -> list[StoredGame]:
        """List a stage's games that were played, those of the round under way too."""
        return [self._stored[fixture.id] for fixture in stage.fixtures if fixture.id in self._stored]

    def counted(self, stage: Stage) -> list[StoredGame]:
        """List those of a stage's games that count: none of a bot that withdrew and whose games are struck."""
        return counted(self.games(stage), self._fates(stage))

    def ranking(self, stage: Stage) -> tuple[Standing, ...]:
        """Rank the bots of a stage by what was played so far and counts."""
        fate = self._fates(stage)
        table = stage.format.rank(stage.field, counted(self.games(stage), fate), stage.byes)
        return tuple(replace(one, withdrawn=fate.get(one.bot)) for one in table)

    def _fates(self, stage: Stage) -> dict[str, Fate]:
        """Say what becomes of the games of who left; where pairings follow from results, all are kept."""
        rule: Rule = "keep" if stage.format.is_closed else self._rule
        return fates(self.withdrawn, rule, stage.fixtures, self.games(stage))

    def final_ranking(self) -> tuple[Standing, ...]:
        """Rank all bots: those of the last stage first, then those that went out with the stage before, and so on."""
        table = self.ranking(self.stages[-1])
        for number, stage in reversed(list(enumerate(self.stages[:-1], start=1))):
            here = {one.bot for one in table}
            table += tuple(
                replace(one, rank=max(one.rank, len(here) + 1), reached=f"stage {number}")
                for one in self.ranking(stage)
                if one.bot not in here
            )
        return table

    def _go_on(self) -> None:
        while not self._missing and not self.finished:
            if not self.stages or not self._open_round(self.stages[-1]):
                self._open_stage()

    def _open_round(self, stage: Stage) -> bool:
        """Open the stage's next round; False where there is none."""
        if stage.rounds:
            stage.games.extend(self._stored[fixture.id] for fixture in stage.rounds[-1].fixtures)
        following = stage.next_round()
        if not following.fixtures and not following.byes:
            return False
        stage.rounds.append(following)
        self._waiting = deque(fixture for fixture in following.fixtures if fixture.id not in self._stored)
        self._missing = {fixture.id for fixture in self._waiting}
        return True

    def _open_stage(self) -> None:
        number = len(self.stages)
        if number == len(self._plans):
            self.finished = True
            return
        plan = self._plans[number]
        if self.stages:
            plan = Plan(plan.format, self._qualified(plan.field, self.stages[-1]))
        self.stages.append(Stage(plan))

    def _qualified(self, field: Entrants, before: Stage) -> Entrants:
        """Fill a later stage's field with the best of the stage before, seeded as they were ranked there.

        Who was not there for a game comes last.
        """
        games = self.games(before)
        table = before.format.rank(before.field, games, before.byes)
        missing = gone(games)
        best = sorted((standing.bot for standing in table), key=missing.__contains__)[: len(field.bots)]
        last = max((fixture.round for fixture in before.fixtures), default=0)
        return replace(field, bots=tuple(best), first_round=last + 1)

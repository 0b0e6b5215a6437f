"""Schedule of a tournament: its stages, round by round, and the games that can be played now.

Everything is worked out from the stored games, so a tournament that was stopped continues as if it had not been.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from msgspec.structs import replace

from arbiter.tournament.fixture import Fixture, Round, RoundBye, find_stage
from arbiter.tournament.schedule.format import (
    Absence,
    Entrants,
    FinishedGames,
    GamesOfAbsent,
    Leaving,
    Plan,
    Stage,
    StageCount,
    WithdrawnGames,
)
from arbiter.tournament.standings.crosstable import Detail
from arbiter.tournament.standings.game_status import COUNTS, GameStatus
from arbiter.tournament.standings.history import NO_HISTORY, Earlier, History, find_base
from arbiter.tournament.standings.stored_game import RuledGame, Ruling, StoredGame, is_suspension_walkover
from arbiter.tournament.standings.suspensions import Suspensions
from arbiter.tournament.standings.table import Standing
from protocol.words import SEATS


class Schedule:
    """The games of a tournament: those already played and those to play now, which are taken one at a time.

    The last game of a round opens the next round.  Games that are not yet played take no memory, however many there
    are.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        history: History = NO_HISTORY,
        *,
        withdrawn_games: WithdrawnGames = "half",
    ) -> None:
        """Resume after the games and rulings of a history."""
        self._plans = plans
        self._withdrawn_games: WithdrawnGames = withdrawn_games
        self._taken: set[str] = set()
        self.may_choose: Callable[[str], bool] = lambda _bot: True
        """Returns False for a bot that cannot begin a game now: a stage without rounds chooses no pair for it."""
        self.restart(history)

    def restart(self, history: History) -> None:
        """Work out everything again after a ruling.  Games that were taken before are not given out again."""
        chosen = [
            fixture for stage in getattr(self, "stages", ()) if stage.format.is_ladder for fixture in stage.fixtures
        ]
        self.history = history
        self._chosen = [fixture for fixture in chosen if fixture.id in self._taken]
        self._games = FinishedGames(history.games)
        self._counts: dict[Stage, StageCount] = {}
        self._uncounted: Mapping[str, GameStatus] | None = None
        self._waiting: Iterator[Fixture] = iter(())
        self._missing = 0  # games of the open rounds that are not played
        self.stages: list[Stage] = []
        self.finished = False
        self._advance()

    def follow(self, rulings: tuple[Ruling, ...]) -> None:
        """Follow rulings from now on, without counting the finished games again."""
        self.history = replace(self.history, rulings=rulings)
        # If the ruling that such a game is played again was reverted, the game itself is stored.
        replaced = {game for ruling in rulings for game in ruling.replacements}
        self._waiting = iter([one for one in self._waiting if self._with_current_id(one).id not in replaced])
        self._counts.clear()
        self._uncounted = None

    def enlarge(self, other: "Schedule", history: History) -> None:
        """Continue with the bots of another schedule, which has more.  Games that were taken are not lost."""
        self._plans = other._plans
        self.restart(history)

    @property
    def total(self) -> int:
        """The number of games of the tournament, as far as it can be foreseen."""
        ahead = self._plans[len(self.stages) :]
        return sum(stage.total for stage in self.stages) + sum(plan.format.least(plan.entrants) for plan in ahead)

    @property
    def is_endless(self) -> bool:
        """True if the number of games of the stage in progress has no limit."""
        stage = self.stages[-1]
        return stage.format.is_ladder and not stage.is_over and not stage.format.least(stage.entrants)

    @property
    def lacks_bots(self) -> bool:
        """True if the stage in progress has no limit, and not even two bots that have not left."""
        stage = self.stages[-1]
        if stage.source is None or not self.is_endless:
            return False
        return len(set(stage.entrants.bots).difference(self.history.find_gone(stage.source.walkovers))) < len(SEATS)

    def list_warnings(self) -> list[str]:
        """List the warnings for the organiser about the stages."""
        found = (plan.format.warn(plan.entrants) for plan in self._plans if plan.format.warn is not None)
        return [warning for warning in found if warning is not None]

    @property
    def opened(self) -> int:
        """The number of rounds that are paired."""
        return sum(len(stage.rounds) for stage in self.stages)

    @property
    def begun(self) -> int:
        """The number of rounds up to the last one with a stored game; later ones may be paired again."""
        rounds = [one for stage in self.stages for one in stage.rounds]
        number = len(rounds)
        while number > min(self.history.rounds, len(rounds)) and not self._games.select([rounds[number - 1]]):
            number -= 1
        return number

    @property
    def played(self) -> int:
        """The number of games of the rounds so far that are stored, whether they count or not."""
        return sum(len(one.fixtures) for stage in self.stages for one in stage.rounds) - self._missing

    @property
    def missing(self) -> int:
        """The number of games of the rounds so far that are not stored."""
        return self._missing

    @property
    def met(self) -> set[tuple[str, str]]:
        """The pairings of stages without rounds that have finished a game."""
        return {pairing for stage in self.stages if stage.source for pairing in stage.source.state.find_met()}

    @property
    def fixtures(self) -> Iterator[Fixture]:
        """The games known so far, played or not."""
        return (self._with_current_id(fixture) for stage in self.stages for fixture in stage.fixtures)

    def has(self, game_id: str) -> bool:
        """Return True if a game is one of the games known so far."""
        base = find_base(game_id)
        return self.find_round(game_id) is not None and self.history.find_current_id(base) == game_id

    def find_round(self, game_id: str) -> int | None:
        """Return the number of the round, in the order in which they were paired, that has a game or its replay."""
        base = find_base(game_id)
        rounds = (one for stage in self.stages for one in stage.rounds)
        found = (number for number, one in enumerate(rounds, start=1) if one.fixtures.has(base))
        return next(found, None)

    def take(self) -> Fixture | None:
        """Take the next game to play; None if others must finish first."""
        for fixture in self._waiting:
            if fixture.id not in self._games.by_id:
                current = self._with_current_id(fixture)
                if current.id not in self._taken:
                    self._taken.add(current.id)
                    return current
        stage = self.stages[-1]
        if stage.source is None or stage.is_over:
            return None
        if stage.source.is_over:
            self._advance()
            return None
        away = [bot for bot in stage.entrants.bots if not self.may_choose(bot)]
        pair = stage.source.choose(self.history.find_gone(stage.source.walkovers).union(away))
        if pair is None:
            return None
        games = tuple(pair)
        self._waiting = iter(games)
        self._missing += len(games)
        return self.take()

    def add(self, game: StoredGame) -> None:
        """Add a finished game."""
        self._taken.discard(game.id)
        counted = self.history.apply(game)
        if counted is None:
            return
        base = find_base(game.id)
        # It is known already if it was stored just before a restart, maybe as part of a summary.
        source = self.stages[-1].source
        if source is not None and not source.fixtures.has(base):
            source = None
        is_new = base not in self._games.by_id and (source is None or source.awaits(counted))
        if self._missing > 0 and is_new and self.find_round(base) is not None:
            self._missing -= 1
        self._games.add(counted)
        if is_new and source is not None:
            source.add(counted)
        self._counts.clear()
        self._uncounted = None
        self._advance()

    def extend(self, games: Sequence[StoredGame]) -> None:
        """Add games that others have stored, to the history too.  The schedule has no stage without rounds."""
        self.history = self.history.extend(games)
        for game in games:
            self.add(game)

    def _with_current_id(self, fixture: Fixture) -> Fixture:
        """Return a fixture with the id under which it is played now."""
        current = self.history.find_current_id(fixture.id)
        return fixture if current == fixture.id else replace(fixture, id=current)

    @property
    def uncounted(self) -> Mapping[str, GameStatus]:
        """The states of the stored games that do not count, by their ids."""
        if self._uncounted is not None:
            return self._uncounted
        found: dict[str, GameStatus] = {}
        for game in self.history.as_played:
            if not self.history.is_current(game.id):
                found[game.id] = GameStatus("replaced", self.history.find_current_id(find_base(game.id)))
        in_schedule = set()
        for stage in self.stages:
            count = self._count(stage)
            for game in count.games:
                in_schedule.add(game.id)
                if game.ending == "annulled":
                    found[game.id] = GameStatus("annulled")
                elif game.red in count.struck or game.blue in count.struck:
                    found[game.id] = GameStatus("struck", game.red if game.red in count.struck else game.blue)
        for game in self._games.by_id.values():
            if game.id not in in_schedule:
                found[game.id] = GameStatus("annulled" if game.ending == "annulled" else "not_in_bracket")
        self._uncounted = found
        return found

    def select_rated(self, games: Iterable[StoredGame]) -> list[StoredGame]:
        """Select the games that ratings and highlights may use."""
        uncounted = self.uncounted
        return [game for game in games if uncounted.get(game.id, COUNTS).is_rated]

    def sum_up(self) -> Earlier:
        """Sum up all stored games; the tournament is a ladder."""
        source = self.stages[0].source
        history = self.history
        assert source is not None  # noqa: S101 - it is a ladder
        return Earlier(
            games=history.count,
            rulings=len(history.rulings),
            last_round=history.last_round,
            played=history.count_games(),
            walkovers=tuple(history.walkovers),
            forfeits=tuple(Suspensions(0, history).list_forfeits()),
            ladder=source.save(),
        )

    # --- the games of a stage ---------------------------------------------------------------------

    def games_in(self, stage: Stage) -> Sequence[StoredGame]:
        """List the finished games of a stage, those of the round in progress included."""
        return self._count(stage).games

    def counted_games_in(self, stage: Stage) -> Sequence[StoredGame]:
        """List the finished games of a stage that count: not those of bots that left whose games are struck."""
        return self._count(stage).counted

    def byes_in(self, stage: Stage) -> tuple[RoundBye, ...]:
        """List the byes of a stage as they count."""
        return tuple(map(self.history.apply_to_bye, stage.byes))

    def tabulate(self, stage: Stage) -> Detail:
        """Make the table of a stage that shows its pairings best, with the bots in the order of the ranking."""
        order = [one.bot for one in self.rank(stage)]
        if stage.source is not None:
            return stage.source.tabulate(order)
        return stage.format.tabulate(stage.entrants, order, self.counted_games_in(stage), self.byes_in(stage))

    # --- ranking ----------------------------------------------------------------------------------

    def rank(self, stage: Stage) -> tuple[Standing, ...]:
        """Rank the bots of a stage by the games so far that count."""
        return self._count(stage).ranking

    def rank_until(self, stage: Stage, last_round: int) -> tuple[Standing, ...]:
        """Rank the bots of a stage with rounds by its games that count, up to a round."""
        games = [game for game in self.counted_games_in(stage) if game.round <= last_round]
        return stage.format.rank(stage.entrants, games, [bye for bye in self.byes_in(stage) if bye.round <= last_round])

    def rank_all(self) -> tuple[Standing, ...]:
        """Rank all bots: first those of the last stage, then those that went out in the stage before, and so on.

        A bot that shares its rank in a stage with one that qualified is marked: the seeding has decided.
        """
        table = self.rank(self.stages[-1])
        for number, stage in reversed(list(enumerate(self.stages[:-1], start=1))):
            present = {one.bot for one in table}
            ranking = self.rank(stage)
            absent = self.history.find_gone(self.games_in(stage))
            qualified = {one.rank for one in ranking if one.bot in present}
            table += tuple(
                replace(
                    one,
                    rank=max(one.rank, len(present) + 1),
                    reached=f"stage {number}",
                    decided_by="seeding" if one.rank in qualified and one.bot not in absent else one.decided_by,
                )
                for one in ranking
                if one.bot not in present
            )
        return table

    def _count(self, stage: Stage) -> StageCount:
        """Count and rank a stage; done once until a game is added."""
        if stage in self._counts:
            return self._counts[stage]
        games = self._games.select(stage.rounds)
        absences = self._decide_absences(stage, games, self.history)
        struck = _list_struck(absences)
        counted = _strike(games, struck)
        table = (
            stage.format.rank(stage.entrants, counted, self.byes_in(stage))
            if stage.source is None
            else stage.source.rank()
        )
        left = {bot: {"status": one.status, "withdrawn": one.games} for bot, one in absences.items()}
        ruled = {} if stage.format.is_ladder else self._list_rulings(stage, games)
        ranking = tuple(replace(one, rulings=ruled.get(one.bot, one.rulings), **left.get(one.bot, {})) for one in table)
        self._counts[stage] = StageCount(games, counted, struck, ranking)
        return self._counts[stage]

    def _decide_absences(self, stage: Stage, games: Sequence[StoredGame], history: History) -> dict[str, Absence]:
        """Decide for each bot that left if its games count; all do if pairings follow from results.

        A bot without games in the stage is left out.
        """
        left: dict[str, Leaving] = {}
        for game in games if stage.source is None else stage.source.walkovers:
            walkover = game.before_rulings
            if walkover.ending == "walkover":
                left |= {
                    bot: "suspended"
                    for bot in walkover.forfeiters
                    if is_suspension_walkover(walkover, bot) and (walkover.id, bot) not in history.lifted
                }
        left |= dict.fromkeys(history.withdrawn, "withdrawn")
        left |= dict.fromkeys(history.disqualified, "disqualified")
        rule = "keep" if stage.format.is_closed or stage.format.is_ladder else self._withdrawn_games
        later = {one.bot for one in history.in_force if one.kind == "disqualify" and one.first_round > 1}
        played = Counter(bot for game in games if game.took_place for bot in (game.red, game.blue)) if left else {}
        absences: dict[str, Absence] = {}
        for bot, status in left.items():
            total = sum(one.fixtures.count_games(bot) for one in stage.rounds)
            if total:
                is_kept = rule == "keep" or bot in later or (rule == "half" and 2 * played[bot] >= total)
                kept: GamesOfAbsent = "lost" if status == "disqualified" else "kept"
                absences[bot] = Absence(status, kept if is_kept else "struck")
        return absences

    def _list_rulings(self, stage: Stage, games: Iterable[StoredGame]) -> dict[str, tuple[int, ...]]:
        """List the numbers of the rulings that changed the games and byes of each bot of a stage."""
        if not self.history.rulings:
            return {}
        numbers: dict[str, set[int]] = {}
        for game in games:
            if isinstance(game, RuledGame):
                for bot in (game.red, game.blue):
                    numbers.setdefault(bot, set()).add(game.ruling.number)
        for bye in stage.byes:
            if ruling := self.history.find_bye_ruling(bye):
                numbers.setdefault(bye.bot, set()).add(ruling.number)
        return {bot: tuple(sorted(found)) for bot, found in numbers.items()}

    # --- rounds and stages ------------------------------------------------------------------------

    def _advance(self) -> None:
        """Open rounds and stages until a game is missing or the tournament is finished."""
        while not self.finished and self._may_advance():
            if self.stages and (source := self.stages[-1].source) is not None and not source.is_over:
                return  # the next pair is chosen when it can begin
            if self.stages and self._open_round(self.stages[-1]):
                continue
            if len(self.stages) == len(self._plans):
                self.finished = not self._missing
                return
            plan = self._plans[len(self.stages)]
            if self.stages:
                plan = Plan(plan.format, self._qualify(plan.entrants, self.stages[-1]))
            earlier = None if self.stages else self.history.earlier
            self.stages.append(Stage(plan, None if earlier is None else earlier.ladder))
            source = self.stages[-1].source
            if source is not None:  # some of its pairs, and games of them as they count now, may be known
                stage = self.stages[-1].entrants.stage
                source.restore(one for one in (*self.history.as_played, *self._chosen) if find_stage(one.id) == stage)
                played = [game for base, game in self._games.by_id.items() if source.fixtures.has(base)]
                for game in filter(source.awaits, played):
                    source.add(game)
                waiting = list(source.list_open())
                self._waiting = iter(waiting)
                self._missing = len(waiting)

    def _may_advance(self) -> bool:
        """Return True if no game is missing, or if the next round was paired before a game was ruled to be replayed."""
        if not self._missing:
            return True
        if self.opened >= self.history.rounds:
            return False
        stage = self.stages[-1]
        last = stage.rounds[-1]
        return not stage.format.follows_results or len(self._games.select([last])) == len(last.fixtures)

    def _open_round(self, stage: Stage) -> bool:
        """Open the stage's next round; False if the stage is over."""
        earlier = self.history.before(self.opened + 1)
        rounds = [_with_ruled_byes(one, earlier) for one in stage.rounds]
        games: Sequence[StoredGame]
        if self.opened < self.history.rounds and not stage.format.follows_results:
            # A round stays as it was paired, whatever is ruled later, unless the format follows the results.
            games = self._games_before(earlier).select(stage.rounds)
        else:
            stage.finished_games += self._games.select(stage.rounds[stage.finished_rounds :])
            stage.finished_rounds = len(stage.rounds)
            games = stage.finished_games
        entrants = replace(stage.entrants, gone=earlier.find_gone(games))
        following = stage.format.next_round(entrants, rounds, games)
        if not following.fixtures and not following.byes:
            stage.is_over = True
            return False
        stage.rounds.append(following)
        self._waiting = chain(self._waiting, following.fixtures) if self._missing else iter(following.fixtures)
        self._missing += len(following.fixtures) - len(self._games.select([following]))
        return True

    def _games_before(self, earlier: History) -> FinishedGames:
        """Return the games as they counted by an earlier history."""
        if earlier is self.history:
            return self._games
        return FinishedGames([*self._games.by_id.values(), *earlier.games])

    def _qualify(self, entrants: Entrants[Any], before: Stage) -> Entrants[Any]:
        """Fill a later stage with the best bots of the stage before, seeded by their rank.

        Bots that left come last.
        """
        earlier = self.history.before(self.opened + 1)
        games = self._games_before(earlier).select(before.rounds)
        byes = [bye for one in before.rounds for bye in _with_ruled_byes(one, earlier).byes]
        counted = _strike(games, _list_struck(self._decide_absences(before, games, earlier)))
        table = before.format.rank(before.entrants, counted, byes)
        gone = earlier.find_gone(games)
        qualifiers = sorted((standing.bot for standing in table), key=gone.__contains__)[: len(entrants.bots)]
        last = max((one.fixtures.last_round for one in before.rounds), default=0)
        return replace(entrants, bots=tuple(qualifiers), first_round=last + 1)


def _list_struck(absences: Mapping[str, Absence]) -> frozenset[str]:
    return frozenset(bot for bot, one in absences.items() if one.games == "struck")


def _strike(games: Sequence[StoredGame], struck: Collection[str]) -> Sequence[StoredGame]:
    """Leave out the games of bots whose games are struck."""
    return [game for game in games if game.red not in struck and game.blue not in struck] if struck else games


def _with_ruled_byes(round_: Round, history: History) -> Round:
    """Return a round with its byes as they count by a history."""
    if not history.rulings or not round_.byes:
        return round_
    return replace(round_, byes=tuple(map(history.apply_to_bye, round_.byes)))

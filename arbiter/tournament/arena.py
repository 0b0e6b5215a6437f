"""Arena: play the fixtures of a tournament, several games at a time, and store each finished game."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any, BinaryIO, Final, Protocol

import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.chance import Seed
from arbiter.referee.game import GameSpec, PlayedGame, walkover
from arbiter.remote.hub import NetworkPlayer
from arbiter.tournament.audits import Audit, Audits, find_fixture
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.dispatcher import Dispatcher, Walkover
from arbiter.tournament.events import NO_LOG, Acted, Attempt, Began, EventHandler, Finished, Void
from arbiter.tournament.execution.executor import Excuses, Executor, GameSpecs, GameTask, Played
from arbiter.tournament.fixture import Fixture, find_pair
from arbiter.tournament.machine import PlayingConditions, share_conditions
from arbiter.tournament.new_results import KeptLogs, NewAttempt, NewGame
from arbiter.tournament.result_writer import Keep, ResultWriter
from arbiter.tournament.standings.stored_game import Points, StoredGame, score
from protocol.words import BLUE, RED, SEATS

_TRIES: Final = 3
_LOOK_S: Final = 0.5
_MOST_LOGS_OF_VOIDS: Final = 20  # of later ones only the reason is kept

Task = tuple[Fixture, ...] | Walkover | Audit
"""The next thing that an arena does: play a game or a pair, decide a game that is not played, or play one again."""
Identify = Callable[[Sequence[str]], Mapping[str, str] | None]
"""Returns the digests of the programs of bots; None if they must not play.  It may block for a while."""

Adapt = Callable[[Fixture, GameSpec], GameSpec]
"""Returns the game of a fixture with what differs from the other games."""


class TerminalPlayer(Protocol):
    """A person at the terminal, in the arbiter's own process."""

    def invite(self, game: str) -> bool:
        """Ask if a game may begin; False puts it off."""

    def converse(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Play a game by reading and writing messages."""


class ArenaSettings(Struct, frozen=True, kw_only=True):
    """Settings of an arena."""

    logs: KeptLogs = KeptLogs()
    """The games whose messages are stored; those of forfeited games always are."""
    follows: bool = False
    """Emit an event for each line of the record of a game in progress."""
    at_terminal: Mapping[str, TerminalPlayer] = {}
    """The person at the terminal, by name."""
    over_network: Mapping[str, NetworkPlayer] = {}
    """The players over the network, by name."""
    identify: Identify | None = None
    """Asked before each game, off the clock."""
    attempts: Sequence[Attempt] = ()
    """Voided attempts of earlier runs."""
    adapt: Adapt | None = None
    """Changes each game before it is played, such as the values of parameters of its programs.  Default: none."""
    audits: Audits | None = None
    """Games to play again when no other game is left to play."""


class Arena:
    """Player of the fixtures of one tournament."""

    def __init__(
        self,
        tournament: Tournament,
        seed: Seed,
        executor: Executor,
        keep: Keep | None = None,
        settings: ArenaSettings = ArenaSettings(),  # noqa: B008 - it is frozen
    ) -> None:
        """Set up the arena; `seed` is the key of the manifest."""
        self._executor = executor
        self._writer = None if keep is None else ResultWriter(keep)
        self._settings = settings
        self._seed = seed
        self.take_over(tournament)
        self._changed = trio.Event()
        self._failure: ConfigError | None = None
        self._excuses = Excuses(settings.attempts)
        self._attempts = Counter(attempt.id for attempt in settings.attempts if attempt.needs_deal(self._programs))
        """Number of voided attempts of each game that another deal follows; all of them are stored."""
        self.audits = settings.audits
        self.voids: list[Void] = []
        self.excused: list[StoredGame] = []

    def take_over(self, tournament: Tournament) -> None:
        """Play games of a tournament from now on, for example because bots have joined it."""
        self._tournament = tournament
        self._programs = frozenset(tournament.file.list_players("program"))
        self._people = frozenset(tournament.file.list_players("person"))
        here = {name: person.converse for name, person in self._settings.at_terminal.items()}
        self._specs = GameSpecs(tournament, self._seed, {**here, **self._settings.over_network})

    async def play(self, dispatcher: Dispatcher, emit: EventHandler | None = None) -> None:
        """Play all games of a dispatcher; a game is stored before its `Finished` event.

        A voided game is played again, at most twice; if it fails again it is added to `voids`.  A voided attempt is
        stored before its `Void` event.  Games with answers that would be late if the arbiter had not stalled are added
        to `excused`.
        Raises ConfigError if a game cannot be stored or the executor fails: then all games stop at once.
        """
        self._dispatcher = dispatcher
        self._emit = emit or (lambda _event: None)
        in_progress = places = audits = 0

        def fail(error: ConfigError) -> None:  # stored, not raised: a nursery would wrap it
            self._failure = self._failure or error
            nursery.cancel_scope.cancel()

        async def carry_out(task: Task) -> None:
            nonlocal in_progress, places, audits
            try:
                await self._carry_out(task)
            except ConfigError as error:
                fail(error)
            in_progress -= 1
            places -= self._count_places(task)
            audits -= isinstance(task, Audit)
            self._wake()

        async with trio.open_nursery() as nursery, self._executor.open(self._wake, fail):
            while True:
                has_room = places < self._executor.capacity
                tasks = self._take(is_idle=in_progress == audits) if has_room else []
                for task in tasks:
                    in_progress += 1
                    places += self._count_places(task)
                    audits += isinstance(task, Audit)
                    nursery.start_soon(carry_out, task)
                if tasks:
                    continue
                if (
                    not in_progress
                    and (has_room or dispatcher.is_closed)
                    and not (dispatcher.awaits_bots or dispatcher.awaits_pauses)
                ):  # no game can bring about another one
                    break
                # The dispatcher may be closed, or may have other games after a decision of the organiser.
                with trio.move_on_after(_LOOK_S if has_room or not in_progress else math.inf):
                    await self._changed.wait()
        if self._failure:
            raise self._failure

    @property
    def restarts(self) -> Mapping[str, int]:
        """For each bot, how often a process that had played a game could not play another one."""
        return self._executor.restarts

    def _wake(self) -> None:
        """Let `play` look for games that can begin."""
        self._changed.set()
        self._changed = trio.Event()

    def _count_places(self, task: Task) -> int:
        """Count the places that a task takes: games of people last long, and do not hold up those of programs."""
        return sum(map(self._takes_place, task)) if isinstance(task, tuple) else 1

    def _takes_place(self, fixture: Fixture) -> bool:
        return self._people.isdisjoint((fixture.red, fixture.blue))

    def _take(self, *, is_idle: bool) -> list[Task]:
        """Take the next game to play or, if none is in progress, the next one to audit.

        If the executor plays pairs, take two games: they are one task if they are a pair.
        """
        found = [self._dispatcher.take()]
        if isinstance(found[0], Fixture) and self._executor.plays_pairs:
            found.append(self._dispatcher.take())
        fixtures = tuple(one for one in found if isinstance(one, Fixture))
        if len(fixtures) > 1 and len(set(map(find_pair, fixtures))) == 1:
            return [fixtures]
        tasks: list[Task] = [(one,) if isinstance(one, Fixture) else one for one in found if one is not None]
        if not tasks and is_idle and self.audits is not None and not self._dispatcher.is_closed:
            audit = self.audits.take()
            return [] if audit is None else [audit]
        return tasks

    async def _carry_out(self, task: Task) -> None:
        """Carry out a task.  Raises ConfigError."""
        match task:
            case tuple():
                await self._play_fixtures(task)
            case Walkover(fixture, absent, reason):
                self._executor.discard([fixture.bots[seat] for seat in absent])
                spec = self._specs.make(fixture, attempt=self._attempts[fixture.id])
                await self._store(fixture, walkover(spec, self._executor.isolation, absent, reason))
            case Audit():
                await self._audit(task)

    async def _play_fixtures(self, fixtures: Sequence[Fixture]) -> None:
        """Play a game or a pair of games, and store them.  Raises ConfigError.

        A game is played again if it is voided, at most twice; each voided attempt is stored.
        """
        left: list[tuple[GameTask, Mapping[str, str]]] = []
        for fixture in fixtures:
            programs = await self._admit(fixture)
            if programs is not None:
                left.append((self._make_task(fixture, programs), programs))
        voids: dict[str, list[Void]] = {fixture.id: [] for fixture in fixtures}
        while left:
            outcomes = await self._executor.try_games([task for task, _ in left])
            trying, left = left, []
            for (task, programs), outcome in zip(trying, outcomes, strict=True):
                earlier = voids[task.fixture.id]
                if isinstance(outcome, Void) and outcome.attempt.cause == "lost_connections":
                    self._dispatcher.give_back(task.fixture)  # it waits for the programs
                    continue
                if isinstance(outcome, Void) and outcome.attempt.cause != "lost":
                    earlier.append(outcome)
                    if len(earlier) < _TRIES:
                        left.append((task, programs))
                        continue
                    # There are two excuses at most.
                    outcome = next(void for void in reversed(earlier) if void.attempt.cause == "error")  # noqa: PLW2901
                if outcome is None and task.is_wanted():  # only the game before it has begun
                    left.append((task, programs))
                else:
                    await self._conclude(task.fixture, outcome, programs)

    async def _conclude(self, fixture: Fixture, outcome: Played | Void | None, programs: Mapping[str, str]) -> None:
        """Store a game that was played; note if it is to be played later.  Raises ConfigError."""
        if outcome is None:
            self._dispatcher.give_back(fixture)
        elif isinstance(outcome, Void):
            self.voids.append(outcome if len(self.voids) < _MOST_LOGS_OF_VOIDS else replace(outcome, log=NO_LOG))
            self._dispatcher.void(fixture)
        else:
            await self._store(fixture, outcome.game, programs, share_conditions(outcome.conditions))

    async def _store(
        self,
        fixture: Fixture,
        played: PlayedGame,
        programs: Mapping[str, str] = {},
        conditions: PlayingConditions | None = None,
    ) -> None:
        """Store a game that is over.  Raises ConfigError."""
        played = with_points(played, self._tournament.points)
        game = replace(
            make_stored_game(fixture, played),
            red_program=programs.get(fixture.red, ""),
            blue_program=programs.get(fixture.blue, ""),
            conditions=conditions,
        )
        if played.excused_answers:
            self.excused.append(game)
        if self._writer is not None:
            is_kept = self._settings.logs.has(fixture.bots, game.winner, game.ending)
            log = played.log if is_kept else replace(played.log, wire={})
            await self._writer.store(NewGame(game, played.unfinished.finish(played.result), log))
        self.voids = [void for void in self.voids if void.fixture.id != game.id]
        self._dispatcher.add(game)
        self._emit(Finished(game))

    async def _admit(self, fixture: Fixture) -> Mapping[str, str] | None:
        """Return the digests of the programs of a game; None if it does not begin."""
        here = self._settings.at_terminal
        if person := here.get(fixture.red) or here.get(fixture.blue):
            game = f"{fixture.red} (red) against {fixture.blue} (blue), round {fixture.round}"
            if not await trio.to_thread.run_sync(person.invite, game, abandon_on_cancel=True):
                self._dispatcher.postpone(fixture)
                return None
        identify = self._settings.identify
        if identify is None:
            return {}
        programs = await trio.to_thread.run_sync(identify, (fixture.red, fixture.blue))
        if programs is None:  # a program has changed: games of both must not count in one result
            self._dispatcher.close()
        return programs

    def _make_task(self, fixture: Fixture, programs: Mapping[str, str]) -> GameTask:
        """Make the task to play a game."""
        return GameTask(
            fixture=fixture,
            make_spec=partial(self._make_spec, fixture, programs),
            excuses=self._excuses,
            is_wanted=lambda: self._dispatcher.is_wanted(fixture),
            began=lambda host, worker: self._emit(
                Began(fixture, datetime.now(UTC).isoformat(timespec="seconds"), host, worker)
            ),
            note=self._store_void,
            takes_place=self._takes_place(fixture),
            follow=(lambda line: self._emit(Acted(fixture.id, line))) if self._settings.follows else None,
            played_by=None if self.audits is None else partial(self.audits.note_worker, fixture.id),
        )

    def _make_spec(self, fixture: Fixture, programs: Mapping[str, str], speed: float | None) -> GameSpec:
        """Make the game of a fixture for a machine of a speed."""
        versions = {RED: programs.get(fixture.red, ""), BLUE: programs.get(fixture.blue, "")}
        spec = self._specs.make(fixture, speed, self._attempts[fixture.id])
        spec = replace(spec, versions=versions, keeps_messages=self._settings.logs.needs_messages)
        return spec if self._settings.adapt is None else self._settings.adapt(fixture, spec)

    async def _audit(self, task: Audit) -> None:
        """Play a game again, and store the second play if it differs.  Raises ConfigError."""
        audits = self.audits
        game = task.game
        assert audits is not None  # noqa: S101 - the game is one of them
        fixture = find_fixture(game)
        programs = await self._admit(fixture)
        versions = {game.red: game.red_program, game.blue: game.blue_program}
        if programs is None or any(programs.get(bot, "") != version for bot, version in versions.items()):
            audits.left.append(game)
            return
        workers: list[str] = []

        async def note(void: Void) -> None:
            if void.attempt.cause == "refused":
                await self._store_void(void)

        again = GameTask(
            fixture=fixture,
            make_spec=partial(self._make_spec, fixture, programs),
            excuses=Excuses(),
            is_wanted=lambda: not self._dispatcher.is_closed,
            began=lambda _host, _worker: None,
            note=note,
            played_by=workers.append,
        )
        outcome = await audits.replay(again, task.host, audits.find_worker(game.id))
        if not isinstance(outcome, Played):
            audits.left.append(game)
            return
        event = audits.compare(game, outcome, "".join(workers))
        if event.attempt is not None and self._writer is not None:
            await self._writer.store(NewAttempt(event.attempt, outcome.game.log))
        self._emit(event)

    async def _store_void(self, void: Void) -> None:
        """Store and announce a voided attempt."""
        if self._writer is not None:
            await self._writer.store(NewAttempt(void.attempt, void.log))
        self._attempts[void.attempt.id] += void.attempt.needs_deal(self._programs)
        if void.attempt.cause != "stopped":
            self._emit(void)


def with_points(played: PlayedGame, points: Points) -> PlayedGame:
    """Add the points to the result, which the record contains."""
    result = played.result
    return replace(played, result=replace(result, points=score(points, result.winner, result.ending)))


def make_stored_game(fixture: Fixture, played: PlayedGame) -> StoredGame:
    """Make the row that the results store of a played game with points."""
    result = played.result
    points = result.points or dict.fromkeys(SEATS, 0.0)
    return StoredGame(
        id=fixture.id,
        round=fixture.round,
        pair=fixture.pair,
        red=fixture.red,
        blue=fixture.blue,
        winner=result.winner,
        ending=result.ending,
        reason=result.reason,
        plies=result.plies or 0,
        red_points=points[RED],
        blue_points=points[BLUE],
        started=_share(played.unfinished.started),
        seconds=_share(round(played.seconds, 3)),
        fingerprint=played.unfinished.fingerprint,
        red_ms=_share(round(played.used_ms.get(RED, 0.0), 1)),
        blue_ms=_share(round(played.used_ms.get(BLUE, 0.0), 1)),
    )


@lru_cache(maxsize=10_000, typed=True)
def _share(value: Any) -> Any:  # noqa: ANN401 - the same type
    """Return an equal value of another game, if there is one: the schedule keeps the values of all games."""
    return value

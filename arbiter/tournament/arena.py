"""Arena: play the fixtures of a tournament, several games at a time, and store each finished game."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import BinaryIO, Final, Protocol, TypeVar, cast

import trio
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.chance import Seed
from arbiter.referee.game import GameSpec, PlayedGame, walkover
from arbiter.tournament.attempt import Attempt
from arbiter.tournament.audits import Audits, find_fixture
from arbiter.tournament.conditions import PlayingConditions, share_conditions
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.dispatcher import Dispatcher, Walkover
from arbiter.tournament.events import NO_LOG, Began, EventHandler, Finished, Void
from arbiter.tournament.excuses import Excuses
from arbiter.tournament.execution.executor import Executor, GameTask, Played
from arbiter.tournament.execution.specs import GameSpecs
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.new_results import NewAttempt, NewGame
from arbiter.tournament.result_writer import Keep, ResultWriter
from arbiter.tournament.standings.points import Points, score
from arbiter.tournament.standings.stored_game import StoredGame, is_lost_by
from arbiter.transcript import LOGGED
from protocol.words import BLUE, RED, SEATS

_TRIES: Final = 3
_LOOK_S: Final = 0.5
_MOST_LOGS_OF_VOIDS: Final = 20  # of later ones only the reason is kept

FollowGame = Callable[[str, bytes], object]
"""Receives each line of the records of games in progress, with the id of the game."""
_Value = TypeVar("_Value", str, float)
Identify = Callable[[Sequence[str]], Mapping[str, str] | None]
"""Returns the digests of the programs of bots; None if they must not play.  It may block for a while."""


class HumanPlayer(Protocol):
    """A human player in the arbiter's own process."""

    def invite(self, game: str) -> bool:
        """Ask if a game may begin; False puts it off."""
        ...

    def converse(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Play a game by reading and writing messages."""
        ...


class Arena:
    """Player of the fixtures of one tournament."""

    def __init__(
        self,
        tournament: Tournament,
        seed: Seed,
        executor: Executor,
        keep: Keep | None = None,
        *,
        keep_logs: bool = False,
        keep_losses_of: str | None = None,
        people: Mapping[str, HumanPlayer] | None = None,
        follow: FollowGame | None = None,
        identify: Identify | None = None,
        attempts: Iterable[Attempt] = (),
        audits: Audits | None = None,
    ) -> None:
        """Set up the arena.

        `seed` is the key of the manifest.  Messages are kept of forfeited games and of the games that
        `keep_losses_of` loses, with `keep_logs` of all games.
        `people` are the humans by name.  `attempts` are the voided ones of earlier runs.  `identify` is asked before
        each game, off the clock.  `audits` play games again when no other game is left to play.
        """
        self._tournament = tournament
        self._executor = executor
        self._writer = None if keep is None else ResultWriter(keep)
        self._keep_logs = keep_logs or tournament.file.keep_logs
        self._keep_losses_of = keep_losses_of
        self._people = people or {}
        self._follow = follow
        self._identify = identify
        self._specs = GameSpecs(tournament, seed, {name: person.converse for name, person in self._people.items()})
        self._changed = trio.Event()
        self._failure: ConfigError | None = None
        self._excuses = Excuses(attempts)
        self.audits = audits
        self.voids: list[Void] = []
        self.excused: list[StoredGame] = []

    async def play(self, dispatcher: Dispatcher, on_event: EventHandler | None = None) -> None:
        """Play all games of a dispatcher; a game is stored before its `Finished` event.

        A voided game is played again, at most twice; if it fails again it is added to `voids`.  A voided attempt is
        stored before its `Void` event.  Games with answers that would be late if the arbiter had not stalled are added
        to `excused`.
        Raises ConfigError if a game cannot be stored or the executor fails: then all games stop at once.
        """
        in_progress = audits = 0

        def fail(error: ConfigError) -> None:  # stored, not raised: a nursery would wrap it
            self._failure = self._failure or error
            nursery.cancel_scope.cancel()

        async def play_one(taken: Fixture | Walkover | StoredGame) -> None:
            nonlocal in_progress, audits
            try:
                if isinstance(taken, StoredGame):
                    await self._audit(taken, dispatcher, on_event)
                else:
                    await self._play_fixture(taken, dispatcher, on_event)
            except ConfigError as error:
                fail(error)
            in_progress -= 1
            audits -= isinstance(taken, StoredGame)
            self._wake()

        async with trio.open_nursery() as nursery, self._executor.open(self._wake, fail):
            while True:
                has_room = in_progress < self._executor.capacity
                taken = self._take(dispatcher, is_idle=in_progress == audits) if has_room else None
                if taken is not None:
                    in_progress += 1
                    audits += isinstance(taken, StoredGame)
                    nursery.start_soon(play_one, taken)
                elif not in_progress and (has_room or dispatcher.is_closed):  # no game can bring about another one
                    break
                else:
                    # The dispatcher may be closed, or may have other games after a decision of the organiser.
                    with trio.move_on_after(_LOOK_S if has_room or not in_progress else math.inf):
                        await self._changed.wait()
        if self._failure:
            raise self._failure

    def _wake(self) -> None:
        """Let `play` look for games that can begin."""
        self._changed.set()
        self._changed = trio.Event()

    def _take(self, dispatcher: Dispatcher, *, is_idle: bool) -> Fixture | Walkover | StoredGame | None:
        """Take the next game to play or, if no other game is in progress, the next one to audit; None if there is none."""
        taken = dispatcher.take()
        if taken is None and is_idle and self.audits is not None and not dispatcher.is_closed:
            return self.audits.take()
        return taken

    async def _play_fixture(
        self, taken: Fixture | Walkover, dispatcher: Dispatcher, on_event: EventHandler | None
    ) -> None:
        """Play a game, or decide a walkover, and store it.  Raises ConfigError."""
        programs: Mapping[str, str] = {}
        conditions: PlayingConditions | None = None
        if isinstance(taken, Walkover):
            fixture = taken.fixture
            self._executor.discard([(fixture.red, fixture.blue)[SEATS.index(seat)] for seat in taken.absent])
            played = walkover(self._specs.make(fixture), self._executor.isolation, taken.absent, taken.why)
        else:
            fixture = taken
            admitted = await self._admit(fixture, dispatcher)
            if admitted is None:
                return
            programs = admitted
            outcome = await self._try_game(fixture, programs, dispatcher, on_event)
            if outcome is None:
                return
            if isinstance(outcome, Void):
                self.voids.append(outcome if len(self.voids) < _MOST_LOGS_OF_VOIDS else replace(outcome, log=NO_LOG))
                dispatcher.void(fixture)
                return
            played = outcome.game
            conditions = share_conditions(outcome.conditions)
        played = with_points(played, self._tournament.points)
        game = make_stored_game(fixture, played)
        game = replace(
            game,
            red_program=programs.get(game.red, ""),
            blue_program=programs.get(game.blue, ""),
            conditions=conditions,
        )
        if played.excused_answers:
            self.excused.append(game)
        if self._writer is not None:
            log = played.log
            if not self._has_kept_log(game):
                log = replace(log, wire={})
            await self._writer.store(NewGame(game, played.unfinished.finish(played.result), log))
        dispatcher.add(game)
        if on_event is not None:
            on_event(Finished(game))

    def _has_kept_log(self, game: StoredGame) -> bool:
        """Return True if the messages of a game are stored."""
        is_loss = self._keep_losses_of is not None and is_lost_by(game, self._keep_losses_of)
        return self._keep_logs or is_loss or game.ending in LOGGED

    async def _admit(self, fixture: Fixture, dispatcher: Dispatcher) -> Mapping[str, str] | None:
        """Return the digests of the programs of a game; None if it does not begin."""
        if not await self._is_accepted(fixture):
            dispatcher.postpone(fixture)
            return None
        if self._identify is None:
            return {}
        programs = await trio.to_thread.run_sync(self._identify, (fixture.red, fixture.blue))
        if programs is None:  # a program has changed: games of both must not count in one result
            dispatcher.close()
        return programs

    async def _try_game(
        self, fixture: Fixture, programs: Mapping[str, str], dispatcher: Dispatcher, on_event: EventHandler | None
    ) -> Played | Void | None:
        """Play a game, and again if it is voided, at most twice; each voided attempt is stored.

        Return None if the run is stopped before it begins.  Raises ConfigError.
        """

        def began() -> None:
            if on_event is not None:
                on_event(Began(fixture, datetime.now(UTC).isoformat(timespec="seconds")))

        task = GameTask(
            fixture=fixture,
            make_spec=partial(self._make_spec, fixture, programs),
            excuses=self._excuses,
            is_wanted=lambda: not dispatcher.is_closed,
            began=began,
            note=partial(self._store_void, on_event=on_event),
            follow=None if self._follow is None else partial(self._follow, fixture.id),
            played_by=None if self.audits is None else partial(self.audits.note_worker, fixture.id),
        )
        voids: list[Void] = []
        for _ in range(_TRIES):
            outcome = await self._executor.try_game(task)
            if not isinstance(outcome, Void) or outcome.attempt.reason == "lost":
                return outcome
            voids.append(outcome)
        return next(void for void in reversed(voids) if void.attempt.reason == "error")  # there are two excuses at most

    def _make_spec(self, fixture: Fixture, programs: Mapping[str, str], speed: float | None) -> GameSpec:
        """Make the game of a fixture for a machine of a speed."""
        versions = {RED: programs.get(fixture.red, ""), BLUE: programs.get(fixture.blue, "")}
        keeps_messages = self._keep_logs or self._keep_losses_of is not None
        return replace(self._specs.make(fixture, speed), versions=versions, keeps_messages=keeps_messages)

    async def _audit(self, game: StoredGame, dispatcher: Dispatcher, on_event: EventHandler | None) -> None:
        """Play a game again, and store the second play if it differs.  Raises ConfigError."""
        audits = self.audits
        assert audits is not None  # noqa: S101 - the game is one of them
        fixture = find_fixture(game)
        programs = await self._admit(fixture, dispatcher)
        is_same = programs is not None and all(
            programs.get(bot, "") == version
            for bot, version in ((game.red, game.red_program), (game.blue, game.blue_program))
        )
        if programs is None or game.conditions is None or not is_same:
            audits.left.append(game)
            return
        workers: list[str] = []

        async def note(void: Void) -> None:
            if void.attempt.reason == "refused":
                await self._store_void(void, on_event)

        task = GameTask(
            fixture=fixture,
            make_spec=partial(self._make_spec, fixture, programs),
            excuses=Excuses(),
            is_wanted=lambda: not dispatcher.is_closed,
            began=lambda: None,
            note=note,
            played_by=workers.append,
        )
        outcome = await audits.replay(task, game.conditions.host, audits.find_worker(game.id))
        if not isinstance(outcome, Played):
            audits.left.append(game)
            return
        event = audits.compare(game, outcome, "".join(workers))
        if event.attempt is not None and self._writer is not None:
            await self._writer.store(NewAttempt(event.attempt, outcome.game.log))
        if on_event is not None:
            on_event(event)

    async def _store_void(self, void: Void, on_event: EventHandler | None) -> None:
        """Store and announce a voided attempt."""
        if self._writer is not None:
            await self._writer.store(NewAttempt(void.attempt, void.log))
        if on_event is not None and void.attempt.reason != "stopped":
            on_event(void)

    async def _is_accepted(self, fixture: Fixture) -> bool:
        """Ask the human player of a game, if there is one, if it may begin."""
        for bot in (fixture.red, fixture.blue):
            if bot in self._people:
                game = f"{fixture.red} (red) against {fixture.blue} (blue), round {fixture.round}"
                return await trio.to_thread.run_sync(self._people[bot].invite, game, abandon_on_cancel=True)
        return True


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
        why=result.why,
        plies=result.plies or 0,
        red_points=points[RED],
        blue_points=points[BLUE],
        started=_share(played.unfinished.started),
        seconds=_share(round(played.seconds, 3)),
        fingerprint=played.unfinished.fingerprint,
        red_ms=_share(round(played.used_ms.get(RED, 0.0), 1)),
        blue_ms=_share(round(played.used_ms.get(BLUE, 0.0), 1)),
    )


def _share(value: _Value) -> _Value:
    """Return an equal value of another game, if there is one: the schedule keeps the values of all games."""
    return cast(_Value, _find_equal(value))


@lru_cache(maxsize=10_000, typed=True)
def _find_equal(value: object) -> object:
    return value

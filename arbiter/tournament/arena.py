"""Arena: play the fixtures of a tournament, several games at a time, and store each finished game."""

import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import BinaryIO, Final, Protocol

import trio
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.chance import Seed, derive_key, derive_seed
from arbiter.games.ruleset import RuleSet
from arbiter.record import Follow, GameHeader, PlayerName
from arbiter.referee.fouls import BotKilled, Excuse
from arbiter.referee.game import GameSpec, PlayedGame, play_game, walkover
from arbiter.referee.lag import lag_monitor
from arbiter.referee.local_player import Conversation
from arbiter.referee.log import GameLogWriter
from arbiter.referee.session import GameSettings
from arbiter.sandbox.cores import Cores, share_out
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.program_end import KillEvidence
from arbiter.tournament.attempt import Attempt, Reason
from arbiter.tournament.conditions import observe_conditions
from arbiter.tournament.config.deployment_book import choose_position
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.dispatcher import Dispatcher, Walkover
from arbiter.tournament.events import NO_LOG, Began, EventHandler, Finished, Void
from arbiter.tournament.excuses import Excuses
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.new_results import NewAttempt, NewGame
from arbiter.tournament.result_writer import Keep, ResultWriter
from arbiter.tournament.standings.points import Points, score
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import LOGGED
from protocol.words import BLUE, RED, SEATS, Seat

_TRIES: Final = 3
_MOST_LOGS_OF_VOIDS: Final = 20  # of later ones only the reason is kept

FollowGame = Callable[[str, bytes], object]
"""Receives each line of the records of games in progress, with the id of the game."""
Identify = Callable[[Sequence[str]], Mapping[str, str] | None]
"""Returns the digests of the programs of bots; None if they must not play.  It may block for a while."""


NoteVoid = Callable[[Void], Awaitable[None]]
"""Stores and announces a voided game."""


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
        isolation: Isolation,
        keep: Keep | None = None,
        *,
        keep_logs: bool = False,
        people: Mapping[str, HumanPlayer] | None = None,
        follow: FollowGame | None = None,
        identify: Identify | None = None,
        attempts: Iterable[Attempt] = (),
        speed: float | None = None,
    ) -> None:
        """Set up the arena.

        `seed` is the key of the manifest.  Messages are kept of forfeited games, with `keep_logs` of all games.
        `people` are the humans by name.  `attempts` are the voided ones of earlier runs.  `identify` is asked before
        each game, off the clock.  `speed` is that of this machine, if it was measured; it is stored with the games, and
        scales the clocks if the tournament asks for that.
        """
        self._tournament = tournament
        self._seed = seed
        self._isolation = isolation
        self._writer = None if keep is None else ResultWriter(keep)
        self._keep_logs = keep_logs or tournament.file.keep_logs
        self._people = people or {}
        self._follow = follow
        self._identify = identify
        self._players: dict[str, Program | Conversation] = {program.name: program for program in tournament.programs}
        self._players |= {name: person.converse for name, person in self._people.items()}
        self._in_progress = 0
        self._game_over = trio.Event()
        self._failure: ConfigError | None = None
        self._excuses = Excuses(attempts)
        self._jobs = 1
        self._speed = speed
        self._free_cores: list[Cores | None] = []
        self.voids: list[Void] = []
        self.excused: list[StoredGame] = []

    async def play(self, dispatcher: Dispatcher, jobs: int, on_event: EventHandler | None = None) -> None:
        """Play all games of a dispatcher, `jobs` at a time; a game is stored before its `Finished` event.

        A voided game is played again, at most twice; if it fails again it is added to `voids`.  A voided attempt is
        stored before its `Void` event.  Games with answers that would be late if the arbiter had not stalled are added
        to `excused`.
        Raises ConfigError if a game cannot be stored: then all games stop at once.
        """
        self._jobs = jobs
        self._free_cores = share_out(jobs)
        async with trio.open_nursery() as nursery:
            for _ in range(jobs):
                nursery.start_soon(self._work, dispatcher, on_event, nursery.cancel_scope)
        if self._failure:
            raise self._failure

    async def _work(self, dispatcher: Dispatcher, on_event: EventHandler | None, all_games: trio.CancelScope) -> None:
        """Play one game after the other until the dispatcher has no more."""
        while True:
            while (taken := dispatcher.take()) is None:
                if not self._in_progress:  # no game can bring about another one
                    return
                await self._game_over.wait()
            self._in_progress += 1
            try:
                await self._play_fixture(taken, dispatcher, on_event)
            except ConfigError as error:  # stored, not raised: a nursery would wrap it
                self._failure = error
                all_games.cancel()
                return
            self._in_progress -= 1
            self._game_over.set()
            self._game_over = trio.Event()

    async def _play_fixture(
        self, taken: Fixture | Walkover, dispatcher: Dispatcher, on_event: EventHandler | None
    ) -> None:
        """Play a game, or decide a walkover, and store it.  Raises ConfigError."""
        programs: Mapping[str, str] = {}
        if isinstance(taken, Walkover):
            fixture = taken.fixture
            played = walkover(self.make_spec(fixture), self._isolation, taken.absent, taken.why)
        else:
            fixture = taken
            admitted = await self._admit(fixture, dispatcher)
            if admitted is None:
                return
            programs = admitted

            cores = self._free_cores.pop()
            try:
                outcome = await self._try_game(fixture, on_event, cores)
            finally:
                self._free_cores.append(cores)
            if isinstance(outcome, Void):
                self.voids.append(outcome if len(self.voids) < _MOST_LOGS_OF_VOIDS else replace(outcome, log=NO_LOG))
                dispatcher.void(fixture)
                return
            played = outcome
        played = with_points(played, self._tournament.points)
        game = make_stored_game(fixture, played)
        game = replace(game, red_program=programs.get(game.red, ""), blue_program=programs.get(game.blue, ""))
        if isinstance(taken, Fixture):
            isolation = self._isolation.name
            conditions = observe_conditions(self._jobs, played.lag_ms, played.excused_answers, isolation, self._speed)
            game = replace(game, conditions=conditions)
        if played.excused_answers:
            self.excused.append(game)
        if self._writer is not None:
            log = played.log
            if not self._keep_logs and game.ending not in LOGGED:
                log = replace(log, wire={})
            await self._writer.store(NewGame(game, played.record, log))
        dispatcher.add(game)
        if on_event is not None:
            on_event(Finished(game))

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
        self, fixture: Fixture, on_event: EventHandler | None, cores: Cores | None
    ) -> PlayedGame | Void:
        """Play a game, and again if it is voided, at most twice; each voided attempt is stored.  Raises ConfigError."""
        spec = replace(self.make_spec(fixture), cores=cores)
        bots = {RED: fixture.red, BLUE: fixture.blue}
        follow = None if self._follow is None else partial(self._follow, fixture.id)

        def excuse(seat: Seat, evidence: KillEvidence) -> bool:
            return self._excuses.use(fixture.id, bots[seat], evidence)

        async def note(void: Void) -> None:
            if self._writer is not None:
                await self._writer.store(NewAttempt(void.attempt, void.log))
            if on_event is not None and void.attempt.reason != "stopped":
                on_event(void)

        voids: list[Void] = []
        for _ in range(_TRIES):
            if on_event is not None:
                on_event(Began(fixture, _now()))
            outcome = await try_game(
                fixture,
                spec,
                self._isolation,
                note=note,
                jobs=self._jobs,
                speed=self._speed,
                follow=follow,
                excuse=excuse,
            )
            if isinstance(outcome, PlayedGame):
                return outcome
            voids.append(outcome)
        return next(void for void in reversed(voids) if void.attempt.reason == "error")  # there are two excuses at most

    async def _is_accepted(self, fixture: Fixture) -> bool:
        """Ask the human player of a game, if there is one, if it may begin."""
        for bot in (fixture.red, fixture.blue):
            if bot in self._people:
                game = f"{fixture.red} (red) against {fixture.blue} (blue), round {fixture.round}"
                return await trio.to_thread.run_sync(self._people[bot].invite, game, abandon_on_cancel=True)
        return True

    def make_spec(self, fixture: Fixture) -> GameSpec:
        """Make the game of a fixture.

        Both games of a pair have the same seed and starting position, but the seeds of the bots differ.
        """
        tournament = self._tournament
        names = {RED: fixture.red, BLUE: fixture.blue}
        pairing = sorted(names.values())
        stage = () if fixture.stage == 1 else (f"stage {fixture.stage}",)
        position = tournament.file.position
        if tournament.deployments:
            book_seed = derive_key(self._seed, *pairing, f"setups {fixture.stage}")
            position = choose_position(tournament.deployments, book_seed, fixture.pair, tournament.game)
        bot_seeds: dict[Seat, int] | UnsetType = UNSET  # from a number: as before there were secrets
        if isinstance(self._seed, str):
            bot_seeds = {seat: derive_seed(self._seed, "bot", fixture.id, seat) for seat in SEATS}
        header = GameHeader(
            id=fixture.id,
            rules=tournament.file.rule_set,
            options=tuple(tournament.file.options),
            overrides=tournament.overrides,
            position=position,
            seed=derive_key(self._seed, *pairing, fixture.pair, *stage),
            bot_seeds=bot_seeds,
            seats={seat: PlayerName(names[seat]) for seat in SEATS},
            time=tournament.file.time_at(self._speed),
        )
        game = header.game() if tournament.deployments else tournament.game
        return make_game_spec(header, game, tournament, self._players)


def make_game_spec(
    header: GameHeader, game: RuleSet, tournament: Tournament, players: Mapping[str, Program | Conversation]
) -> GameSpec:
    """Make the game of a header with the settings of a tournament."""
    seed = header.seed or 0
    return GameSpec(
        header=header,
        settings=GameSettings(
            name=f"g{derive_seed(seed, 'name', header.id):014x}",
            game=game,
            seed=seed,
            bot_seeds=header.bot_seeds or {},
            time=header.time or tournament.file.time,
            tries=tournament.retries,
        ),
        programs={seat: players[header.seats[seat].name] for seat in SEATS},
    )


async def try_game(
    fixture: Fixture,
    spec: GameSpec,
    isolation: Isolation,
    *,
    note: NoteVoid | None = None,
    jobs: int = 1,
    speed: float | None = None,
    follow: Follow | None = None,
    excuse: Excuse | None = None,
) -> PlayedGame | Void:
    """Try once to play a game.

    `note` is awaited if it is voided, also if the run is stopped: then a ConfigError that it raises is ignored.
    """
    log = GameLogWriter()
    begun = trio.current_time()
    started = _now()

    def void(reason: Reason, why: str, seat: Seat | None) -> Void:
        lag_ms = lag_monitor().longest_ms(begun)
        progress = log.progress
        attempt = Attempt(
            id=fixture.id,
            round=fixture.round,
            red=fixture.red,
            blue=fixture.blue,
            started=started,
            seconds=round(trio.current_time() - begun, 3),
            reason=reason,
            why=why,
            seat=seat or progress.seat,
            plies=progress.plies,
            conditions=observe_conditions(jobs, lag_ms, {}, isolation.name, speed),
        )
        return Void(fixture, attempt, log.log())

    outcome: PlayedGame | Void | None = None
    try:
        outcome = await play_game(spec, isolation, log, follow, excuse)
    except BotKilled as killed:
        outcome = void(killed.evidence, str(killed), killed.seat)
    except Exception:  # noqa: BLE001 - the one place that turns a bug of the arbiter into a voided game
        outcome = void("error", traceback.format_exc(), None)
    except BaseExceptionGroup as both:  # cancelled and failed: Ctrl-C reaches a bot that is being started
        cancelled, _ = both.split(trio.Cancelled)
        raise cancelled or both from None
    finally:
        if outcome is None and note is not None:
            with trio.CancelScope(shield=True), suppress(ConfigError):
                await note(void("stopped", "the run was stopped during the game", None))
    if note is not None and isinstance(outcome, Void):
        await note(outcome)
    return outcome


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


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
        started=played.unfinished.started,
        seconds=round(played.seconds, 3),
        fingerprint=played.unfinished.fingerprint,
        red_ms=round(played.used_ms.get(RED, 0.0), 1),
        blue_ms=round(played.used_ms.get(BLUE, 0.0), 1),
    )

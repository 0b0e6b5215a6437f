"""Many games side by side: each fixture becomes a game, each finished game is kept before it is told."""

import os
import traceback
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import BinaryIO, Final, Protocol

import trio
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.chance import derive
from arbiter.games.ruleset import RuleSet
from arbiter.record import Follow, GameHeader, PlayerName
from arbiter.referee.game import GameSpec, PlayedGame, play_game, walkover
from arbiter.referee.lag import RefereeStalled
from arbiter.referee.local_player import Conversation
from arbiter.referee.log import GameLogWriter
from arbiter.referee.session import GameSettings
from arbiter.sandbox.isolation import Isolation
from arbiter.sandbox.program import Program
from arbiter.tournament.config.deployment_book import drawn_position
from arbiter.tournament.config.tournament import Tournament, base_rules, overrides_of, retries, tournament_game
from arbiter.tournament.dispatcher import Dispatcher, Walkover
from arbiter.tournament.events import NO_LOG, Began, Event, EventHandler, Finished, Void
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.standings.points import Points, find_points, score
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import LOGGED, GameLog
from protocol.words import BLUE, RED, SEATS

_TRIES: Final = 3
_LOGS_OF_VOIDS: Final = 20  # what is held of those behind is only the trace

Keep = Callable[[StoredGame, bytes, GameLog], object]
FollowGame = Callable[[str, bytes], object]  # hears each line of the records of games under way, by their ids


def default_jobs() -> int:
    """Return how many games this machine carries side by side: a core for each bot, as both may think at once."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // 2)


class Person(Protocol):
    """Somebody who plays in our own process, if he likes."""

    def invite(self, game: str) -> bool:
        """Ask whether a game may begin; False where it is to be put off."""
        ...

    def converse(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Hold the conversation of a game."""
        ...


class Arena:
    """Plays the fixtures of one tournament."""

    def __init__(
        self,
        manifest: Manifest,
        programs: Iterable[Program],
        tier: Isolation,
        keep: Keep | None,
        *,
        keep_logs: bool = False,
        persons: Mapping[str, Person] | None = None,
        follow: FollowGame | None = None,
    ) -> None:
        """Make ready to play; what passed on the wire is kept of forfeited games, and with `keep_logs` of all.

        `persons` are those among the bots that are none, by name; `follow` hears the games while they are played.
        """
        self._manifest = manifest
        self._persons = persons or {}
        self._programs: dict[str, Program | Conversation] = {program.name: program for program in programs}
        self._programs |= {name: person.converse for name, person in self._persons.items()}
        self._tier = tier
        self._keep = keep
        self._follow = follow
        self._keep_logs = keep_logs or manifest.tournament.keep_logs
        self._game = tournament_game(manifest.tournament)
        self._points = find_points(manifest.tournament.points)
        self._writing = trio.Lock()
        self._under_way = 0
        self._another_over = trio.Event()
        self.voids: list[Void] = []
        self.stalls: list[Void] = []
        self._cannot_keep: ConfigError | None = None

    async def play(self, gate: Dispatcher, jobs: int, tell: EventHandler) -> None:
        """Play what a gate lets through, `jobs` games at a time; each is kept for good before it is told.

        A game that came to nothing is played again, twice at most; if it fails again it is left among the `voids`.
        Each time that we stood still when a bot's time ran out is noted among the `stalls`.
        Raises ConfigError where a game cannot be kept: then all stops at once.
        """
        async with trio.open_nursery() as nursery:
            for _ in range(jobs):
                nursery.start_soon(self._work, gate, tell, nursery.cancel_scope)
        if self._cannot_keep:
            raise self._cannot_keep

    async def _work(self, gate: Dispatcher, tell: EventHandler, everything: trio.CancelScope) -> None:
        while taken := await self._next(gate):
            self._under_way += 1
            try:
                await self._carry_out(taken, gate, tell)
            except ConfigError as error:  # stored, not raised: a nursery would wrap it
                self._cannot_keep = error
                everything.cancel()
                return
            self._under_way -= 1
            self._another_over.set()
            self._another_over = trio.Event()

    async def _next(self, gate: Dispatcher) -> Fixture | Walkover | None:
        """Take the next game, once there is one; None where no game under way can bring one about."""
        while (taken := gate.take()) is None and self._under_way:
            await self._another_over.wait()
        return taken

    async def _carry_out(self, taken: Fixture | Walkover, gate: Dispatcher, tell: EventHandler) -> None:
        """Play a game or decide that it is not played, keep it, and tell of it.  Raises ConfigError."""
        if isinstance(taken, Walkover):
            fixture, report = taken.fixture, walkover(self.order(taken.fixture), self._tier, taken.absent, taken.why)
        elif not await self._is_accepted(taken):
            gate.postpone(taken)
            return
        elif played := await self._played(taken, tell):
            fixture, report = taken, played
        else:
            gate.void(taken)
            return
        report = with_points(report, self._points)
        game = _stored(fixture, report)
        async with self._writing:
            if self._keep is not None:
                await trio.to_thread.run_sync(self._keep, game, report.record, self._log(report))
        gate.add(game)
        tell(Finished(game))

    async def _is_accepted(self, fixture: Fixture) -> bool:
        """Ask the person among the two, if there is one, whether the game may begin."""
        for person in (self._persons[bot] for bot in (fixture.red, fixture.blue) if bot in self._persons):
            game = f"{fixture.red} (red) against {fixture.blue} (blue), round {fixture.round}"
            return await trio.to_thread.run_sync(person.invite, game, abandon_on_cancel=True)
        return True

    def _log(self, report: PlayedGame) -> GameLog:
        wanted = self._keep_logs or report.result.ending in LOGGED
        return GameLog(wire=report.log.wire if wanted else {}, stderr=report.log.stderr)

    async def _played(self, fixture: Fixture, tell: EventHandler) -> PlayedGame | None:
        def noted(event: Event) -> None:
            if isinstance(event, Void) and event.stalled:
                self.stalls.append(replace(event, log=NO_LOG))
            tell(event)

        follow = None if self._follow is None else partial(self._follow, fixture.id)
        played = await try_game(fixture, self.order(fixture), self._tier, noted, follow)
        if isinstance(played, PlayedGame):
            return played
        self.voids.append(played if len(self.voids) < _LOGS_OF_VOIDS else replace(played, log=NO_LOG))
        return None

    def order(self, fixture: Fixture) -> GameSpec:
        """Make a fixture a game to be played; both games of a pair have the same seed."""
        tournament, name = self._manifest.tournament, {RED: fixture.red, BLUE: fixture.blue}
        stage = () if fixture.stage == 1 else (f"stage {fixture.stage}",)
        seed = derive(self._manifest.seed, *sorted(name.values()), fixture.pair, *stage)
        header = GameHeader(
            id=fixture.id,
            rules=base_rules(tournament),
            options=tuple(tournament.options),
            overrides=overrides_of(tournament),
            position=self._position(fixture),
            seed=seed,
            seats={seat: PlayerName(name[seat]) for seat in SEATS},
            time=tournament.time,
        )
        return order_of(header, header.game() if self._manifest.setups else self._game, tournament, self._programs)

    def _position(self, fixture: Fixture) -> str | None:
        """Return the position that both games of a pair begin from, if they do not begin with deployments."""
        if not self._manifest.setups:
            return self._manifest.tournament.position
        seed = derive(self._manifest.seed, *sorted((fixture.red, fixture.blue)), f"setups {fixture.stage}")
        return drawn_position(self._manifest.setups, seed, fixture.pair, self._game)


def order_of(
    header: GameHeader, game: RuleSet, tournament: Tournament, programs: Mapping[str, Program | Conversation]
) -> GameSpec:
    """Order the game of a header, with its seed and time, on a tournament's terms.  Raises ConfigError."""
    seed = header.seed or 0
    return GameSpec(
        header=header,
        settings=GameSettings(
            name=f"g{derive(seed, 'name', header.id):014x}",
            game=game,
            seed=seed,
            time=header.time or tournament.time,
            tries=retries(tournament.on_illegal),
        ),
        programs={seat: programs[header.seats[seat].name] for seat in SEATS},
    )


async def try_game(
    fixture: Fixture, order: GameSpec, tier: Isolation, tell: EventHandler, follow: Follow | None = None
) -> PlayedGame | Void:
    """Play a game, and again where it comes to nothing, twice at most."""
    voids: list[Void] = []
    for _ in range(_TRIES):
        tape = GameLogWriter()
        tell(Began(fixture, datetime.now(UTC).isoformat(timespec="seconds")))
        try:
            return await play_game(order, tier, tape, follow)
        except RefereeStalled as stalled:
            voids.append(Void(fixture, str(stalled), stalled=True, log=tape.log()))
        except Exception:  # noqa: BLE001 - the one place where a bug of ours becomes a void game
            voids.append(Void(fixture, traceback.format_exc(), stalled=False, log=tape.log()))
        except BaseExceptionGroup as both:  # cut off, and failed at that: a Ctrl-C reaches a bot that is being born
            cut_off, _ = both.split(trio.Cancelled)
            raise cut_off or both from None
        tell(voids[-1])
    return min(reversed(voids), key=lambda void: void.stalled)  # a fault before a stall: somebody can mend it


def with_points(played: PlayedGame, points: Points) -> PlayedGame:
    """Add the points of the result, which the record holds."""
    result = played.result
    return replace(played, result=replace(result, points=score(points, result.winner, result.ending)))


def _stored(fixture: Fixture, report: PlayedGame) -> StoredGame:
    result = report.result
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
        started=report.writer.header.started or "",
        seconds=round(report.seconds, 3),
        acts=report.writer.fingerprint,
        red_ms=round(report.used_ms.get(RED, 0.0), 1),
        blue_ms=round(report.used_ms.get(BLUE, 0.0), 1),
    )

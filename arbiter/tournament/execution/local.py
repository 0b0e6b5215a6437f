"""Play games in this process."""

import socket
import traceback
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Final

import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.record import Follow
from arbiter.referee.fouls import BotKilled, Excuse
from arbiter.referee.game import GameSpec, PlayedGame, play_game
from arbiter.referee.log import GameLogWriter
from arbiter.referee.pool import BotPool, open_pool
from arbiter.referee.timer import lag_monitor
from arbiter.remote.hub import Hub
from arbiter.sandbox.cores import Cores, share_out
from arbiter.sandbox.isolation import Isolation
from arbiter.tournament.events import Void, VoidCause, make_attempt
from arbiter.tournament.execution.executor import LAST_NOTE_S, GameTask, NoteVoid, Played
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.machine import observe_conditions
from protocol.reasons import ArbiterFailed, KillEvidence, RunStopped, Voided
from protocol.words import Seat

IDLE_PER_JOB: Final = 4  # processes that may wait for a game: in both games of a pair with the same decks others play


class LocalExecutor:
    """Plays games in this process, each on its share of the cores."""

    plays_pairs: Final = False

    def __init__(
        self,
        isolation: Isolation,
        jobs: int,
        speed: float | None = None,
        cores: list[Cores | None] | None = None,
        *,
        keeps_processes: bool = False,
        hub: Hub | None = None,
    ) -> None:
        """Play up to `jobs` games at a time, one on each of `cores`, which may be shared with other executors.

        Default: the cores of this machine shared out.

        With `keeps_processes`, the processes of bots stay between games.  `hub` leads to remote programs, if there
        are any.

        `speed` is that of this machine, if it was measured; it is stored with the games, and scales the clocks if the
        tournament asks for that.
        """
        self.isolation = isolation.name
        self.capacity = jobs
        self._isolation = isolation
        self._speed = speed
        self._free_cores = share_out(jobs) if cores is None else cores
        self._most_idle = IDLE_PER_JOB * jobs if keeps_processes else 0
        self._pool: BotPool | None = None
        self._hub = hub

    @asynccontextmanager
    async def open(self, changed: Callable[[], None], fail: Callable[[ConfigError], None], /) -> AsyncIterator[None]:
        """Carry the lines of remote programs, and keep processes that wait for their next game, until the end."""
        async with AsyncExitStack() as opened:
            if self._hub is not None:
                await opened.enter_async_context(_carry(self._hub, changed, fail))
            if self._most_idle:
                self._pool = await opened.enter_async_context(open_pool(self._isolation, self._most_idle))
            yield

    def discard(self, bots: Collection[str], /) -> None:
        """End the processes of bots that wait for another game."""
        if self._pool is not None:
            self._pool.discard(bots)

    @property
    def restarts(self) -> Mapping[str, int]:
        """For each bot, how often a process that had played a game could not play another one."""
        return {} if self._pool is None else self._pool.restarts

    async def try_games(self, tasks: Sequence[GameTask]) -> list[Played | Void]:
        """Try once to play games, one after the other."""
        return [await self.try_game(task) for task in tasks]

    async def try_game(self, task: GameTask) -> Played | Void:
        """Try once to play a game."""

        def excuse(seat: Seat, evidence: KillEvidence) -> bool:
            return task.excuses.use(task.fixture.id, task.fixture.bots[seat], evidence)

        cores = self._free_cores.pop() if task.takes_place else None
        try:
            task.began(socket.gethostname(), "")
            return await try_game(
                task.fixture,
                replace(task.make_spec(self._speed), cores=cores),
                self._isolation,
                Surroundings(self.capacity, self._speed, self._pool),
                Observers(task.note, task.follow, excuse),
            )
        finally:
            if task.takes_place:
                self._free_cores.append(cores)


@asynccontextmanager
async def _carry(hub: Hub, changed: Callable[[], None], fail: Callable[[ConfigError], None]) -> AsyncIterator[None]:
    """Carry the lines of remote programs; if their gateway ends, the games fail."""
    hub.on_stall = lag_monitor().note_stall

    async def run() -> None:
        await hub.run(changed)
        fail(ConfigError("the gateway of remote programs has ended; run the same command again to continue"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        yield
        await hub.close()
        nursery.cancel_scope.cancel()


class Surroundings(Struct, frozen=True):
    """The machine around a game."""

    jobs: int = 1
    """Number of games that it plays at the same time."""
    speed: float | None = None
    """Its speed, if it was measured."""
    pool: BotPool | None = None
    """Processes that play one game after another."""


class Observers(Struct, frozen=True):
    """Functions that are called while a game is played."""

    note: NoteVoid | None = None
    """Awaited if it is voided, even if the run is stopped: then a ConfigError that it raises is ignored."""
    follow: Follow | None = None
    """Called with each line of the record."""
    excuse: Excuse | None = None
    """Decides if the game is voided when a bot is killed."""


_LONGEST_TRACEBACK: Final = 20_000  # letters


async def try_game(
    fixture: Fixture,
    spec: GameSpec,
    isolation: Isolation,
    around: Surroundings = Surroundings(),  # noqa: B008 - it is frozen
    observers: Observers = Observers(),  # noqa: B008 - as above
) -> Played | Void:
    """Try once to play a game."""
    note = observers.note
    log = GameLogWriter()
    begun = trio.current_time()
    started = datetime.now(UTC).isoformat(timespec="seconds")

    def void(cause: VoidCause, reason: Voided, seat: Seat | None) -> Void:
        lag_ms = lag_monitor().longest_ms(begun)
        progress = log.progress
        attempt = replace(
            make_attempt(fixture, cause, reason, started, trio.current_time() - begun),
            seat=seat or progress.seat,
            plies=progress.plies,
            conditions=observe_conditions(around.jobs, lag_ms, {}, isolation.name, around.speed),
        )
        return Void(fixture, attempt, log.log())

    outcome: PlayedGame | Void | None = None
    try:
        outcome = await play_game(spec, isolation, log, observers.follow, observers.excuse, pool=around.pool)
    except BotKilled as killed:
        outcome = void(killed.evidence, killed.reason, killed.seat)
    except Exception:  # noqa: BLE001 - the one place that turns a bug of the arbiter into a voided game
        outcome = void("error", ArbiterFailed(traceback.format_exc()[-_LONGEST_TRACEBACK:]), None)
    except BaseExceptionGroup as both:  # cancelled and failed: Ctrl-C reaches a bot that is being started
        cancelled, _ = both.split(trio.Cancelled)
        raise cancelled or both from None
    finally:
        if outcome is None and note is not None:
            with trio.move_on_after(LAST_NOTE_S, shield=True), suppress(ConfigError):
                await note(void("stopped", RunStopped(), None))
    if isinstance(outcome, PlayedGame):
        conditions = observe_conditions(
            around.jobs, outcome.lag_ms, outcome.excused_answers, isolation.name, around.speed
        )
        return Played(
            outcome, replace(conditions, earlier_games=dict(outcome.earlier_games), network=dict(outcome.network))
        )
    if note is not None:
        await note(outcome)
    return outcome

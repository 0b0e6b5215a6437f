"""The games of all runs in a worker process: a trio loop in a thread of its own, which the threads of Dask call."""

import logging
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future as Promise
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import trio
from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.cluster.messages import (
    Assignment,
    BotFault,
    GameNews,
    GameOrder,
    RunSettings,
    TaskReport,
    WorkerNews,
    decode_bot,
    encode,
)
from arbiter.errors import ConfigError
from arbiter.referee.game import GameSpec
from arbiter.sandbox.cores import Cores
from arbiter.sandbox.files.archive import BadArchive, unpack
from arbiter.sandbox.files.entry import list_entry
from arbiter.sandbox.files.temporary import open_temporary
from arbiter.sandbox.isolation import Program, with_values
from arbiter.sandbox.process import adopt_orphans
from arbiter.sandbox.select import select_isolation
from arbiter.tournament.entries import OWN
from arbiter.tournament.events import Void
from arbiter.tournament.execution.arrival import GamePlayed, report_played
from arbiter.tournament.execution.executor import Excuses, GameTask, Played, make_game_spec
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.execution.machines import Machine
from arbiter.tournament.execution.portable import CannotStart, PortableBot, find_program, start_once
from arbiter.tournament.loading import FilesInMemory

UNPACKED: Final = "arbiter-unpacked-"
"""Start of the names of folders with the files of bots."""
log: Final = logging.getLogger("distributed.worker.arbiter")  # Dask keeps the last lines, which the doctor shows
_IDLE_S: Final = 20.0  # a run without games here for this long is over: its processes end, its files are removed
_LOOK_S: Final = 0.2
_SOON_S: Final = 0.03  # news are collected for this long


def report_bug(error: BaseException) -> str:
    """Log the traceback of a bug of the arbiter, and return the fault to report."""
    log.warning("a bug of the arbiter", exc_info=error)
    return f"its arbiter failed, see the log of the worker: {type(error).__name__}: {error}"


class WorkerGames:
    """The games of this process.  All methods belong to its trio loop."""

    def __init__(
        self, worker: str, machine: Machine, cores: list[Cores | None], send: Callable[[str, bytes], object]
    ) -> None:
        """Play for a worker with an address; `send` receives the topics of runs, with encoded news."""
        self.worker = worker
        self.machine = machine
        self.cores = cores
        self.send = send
        self.runs: dict[str, RunGames] = {}
        """The runs that have games here, by their identifications."""
        self.ending = trio.Event()
        """Set when this process ends: no more games begin, and the runs end with those in progress."""

    async def serve(self, started: Promise[trio.lowlevel.TrioToken]) -> None:
        """Play until `ending` is set; the token of the loop is the result of `started`."""
        adopt_orphans()
        async with trio.open_nursery() as self._nursery:
            started.set_result(trio.lowlevel.current_trio_token())
            await self.ending.wait()

    def close_run(self, name: str) -> None:
        """Let no second game of a pair of a run begin any more, and end the run after its games in progress."""
        if name in self.runs:
            self.runs[name].is_closed = True

    async def play(
        self, key: str, assignment: Assignment, scope: trio.CancelScope, bots: Mapping[str, bytes]
    ) -> TaskReport:
        """Play the games of a task; `scope` stops them, and `bots` are those that came with it, by their names.

        The second game of a pair begins only if the first one was not voided, and the run is not closed.
        """
        report = TaskReport(worker=self.worker, machine=self.machine)
        games: list[GamePlayed | Void] = []
        if self.ending.is_set():
            scope.cancel()
        with scope:
            async with self._use(assignment.run) as run:
                report = await run.prepare(report, assignment, bots)
                for order in () if report.fault or report.missing else assignment.games:
                    if games and (isinstance(games[-1], Void) or run.is_closed):
                        break
                    await run.play(key, order, games)
                if run.fault:
                    return replace(report, fault=run.fault)
                report = replace(report, restarts=run.count_restarts())
        return replace(report, games=tuple(games))

    @asynccontextmanager
    async def _use(self, settings: RunSettings) -> "AsyncIterator[RunGames]":
        """Prepare a run, unless it is, and use it."""
        run = self.runs.get(settings.run)
        if run is None:
            run = self.runs[settings.run] = RunGames(settings, self)
            self._nursery.start_soon(run.host)
        run.users += 1
        try:
            await run.ready.wait()
            yield run
        finally:
            run.users -= 1


class RunGames:
    """The games of one run in this process."""

    def __init__(self, settings: RunSettings, games: WorkerGames) -> None:
        self.settings = settings
        self.users = 0
        """Number of tasks that play."""
        self.ready = trio.Event()
        """Set when games can be played, or cannot because of the fault."""
        self.is_closed = False
        """True if no second game of a pair begins any more, and the run ends after the games in progress."""
        self.fault = ""
        self.files = ExitStack()
        """Removes the unpacked files of bots."""
        self._games = games
        self._programs: dict[str, Program] = {}
        """By the keys of their tasks."""
        self._locks: dict[str, trio.Lock] = defaultdict(trio.Lock)
        self._restarts: Counter[str] = Counter()
        """Restarts of each bot that were reported."""
        self._in_memory = FilesInMemory()
        self._news: list[GameNews] = []

    async def host(self) -> None:
        """Keep processes that wait for their next game, until no task has needed this run for a while."""
        try:
            # In this thread: a sandbox of root changes the mounts of the thread that starts bots.
            self.isolation = select_isolation(self.settings.isolation, (), self.settings.hidden_files).isolation
            machine = self._games.machine
            cores = self._games.cores
            self.executor = LocalExecutor(
                self.isolation, machine.slots, machine.speed, cores, keeps_processes=self.settings.keeps_processes
            )
            async with self.executor.open(lambda: None, lambda _error: None):
                try:
                    await self._stay()
                finally:  # before the bots end: if a bug has ended this run, its games in progress do not count
                    self._close("the run has ended there")
        except (ConfigError, OSError) as error:
            self._close(str(error))
        except Exception as error:  # noqa: BLE001 - a bug of the arbiter in one run must not end the others
            self._close(report_bug(error))
        await trio.to_thread.run_sync(self.files.close)

    def _close(self, fault: str) -> None:
        """Let no task use this run any more; those that do fail with a fault."""
        self.fault = fault
        if self._games.runs.get(self.settings.run) is self:
            del self._games.runs[self.settings.run]
        self.ready.set()

    async def _stay(self) -> None:
        """Let tasks play until none has needed this run for a while, or this process ends."""
        async with trio.open_nursery() as self._nursery:
            self.ready.set()
            last_use = trio.current_time()
            while self.users or not (
                self.is_closed or self._games.ending.is_set() or trio.current_time() > last_use + _IDLE_S
            ):
                last_use = trio.current_time() if self.users else last_use
                await trio.sleep(_LOOK_S)
            self._nursery.cancel_scope.cancel()

    # --- bots -------------------------------------------------------------------------------------

    async def prepare(self, report: TaskReport, assignment: Assignment, bots: Mapping[str, bytes]) -> TaskReport:
        """Prepare the bots of a task; return its report with faults, missing bots and warnings."""
        if self.fault:
            return replace(report, fault=self.fault)
        self.executor.discard(assignment.absent)
        self._programs |= {program.name: program for program in assignment.programs}
        missing = tuple(name for name in assignment.sent if name not in self._programs and name not in bots)
        if missing:
            return replace(report, missing=missing)
        warnings: list[str] = []
        for name in assignment.sent:
            async with self._locks[name]:
                if name in self._programs:
                    continue
                try:
                    bot, folder = await trio.to_thread.run_sync(self._receive, bots[name])
                    program, warning = await find_program(
                        bot, folder, self.isolation, self.settings.hidden_files, trusts_all=self.settings.trusts_all
                    )
                    if name not in assignment.blamed:
                        order = assignment.games[0]
                        seats = order.fixture.bots.items()
                        values = next((order.values.get(seat, {}) for seat, bot in seats if bot == name), {})
                        time = order.header.time or TimeSettings()
                        await start_once(with_values(program, values), self.isolation, time)
                except CannotStart as fault:
                    return replace(report, fault=BotFault(name, str(fault), fault.was_started))
                except (OSError, BadArchive) as error:
                    return replace(report, fault=f"the files of a bot are not here: {error}")
                self._programs[name] = program
                files = await trio.to_thread.run_sync(list_entry, program, self.settings.hidden_files)
                self._in_memory.show(name, [file.path for file in files])
                if warning:
                    warnings.append(f"bots.{name}: on {self._games.machine.host} it {warning}")
        return replace(report, warnings=tuple(warnings))

    def _receive(self, data: bytes) -> tuple[PortableBot, Path | None]:
        """Decode a bot, and return it with the folder into which it was unpacked.  Raises BadArchive and OSError."""
        bot = decode_bot(data)
        if bot.archive is None:
            return bot, None
        folder = self.files.enter_context(open_temporary(UNPACKED))
        unpack(bot.archive, folder)
        (folder / OWN).mkdir(exist_ok=True)  # an archive may contain only files in other folders
        return bot, folder

    def count_restarts(self) -> dict[str, int]:
        """Return the restarts of bots since they were last returned."""
        new = Counter(self.executor.restarts) - self._restarts
        self._restarts += new
        return dict(new)

    # --- games ------------------------------------------------------------------------------------

    async def play(self, key: str, order: GameOrder, reports: list[GamePlayed | Void]) -> None:
        """Play a game and add its report, even if it is stopped."""
        game = order.fixture.id
        logs = self.settings.logs

        def make_spec(speed: float | None) -> GameSpec:
            header = order.header
            time = header.time or TimeSettings()
            if self.settings.scales_time and speed is not None:
                time = time.for_speed(speed)
                header = replace(header, time=time)
            spec = make_game_spec(header, header.game(), time, order.retries, self._programs)
            return replace(
                spec,
                versions=order.versions,
                shared=order.shared,
                values=order.values,
                keeps_messages=logs.needs_messages,
            )

        async def note(void: Void) -> None:
            reports.append(void)
            await trio.lowlevel.checkpoint()

        task = GameTask(
            fixture=order.fixture,
            make_spec=make_spec,
            excuses=Excuses.of_game(game, order.used_excuses),
            is_wanted=lambda: True,
            began=lambda _host, _worker: self._add_news(GameNews(key, game)),
            note=note,
            follow=(lambda line: self._add_news(GameNews(key, game, line))) if self.settings.follow else None,
        )
        try:
            for bot in (order.fixture.red, order.fixture.blue):
                await trio.to_thread.run_sync(self._in_memory.load, bot)
            outcome = await self.executor.try_game(task)
        finally:
            self._send_news()  # before the report
        if isinstance(outcome, Played):
            played = outcome.game
            is_kept = logs.has(order.fixture.bots, played.result.winner, played.result.ending)
            log = played.log if is_kept else replace(played.log, wire={})
            with trio.CancelScope(shield=True):  # it was played to its end
                # In a thread: a long record takes a millisecond.
                reports.append(await trio.to_thread.run_sync(report_played, outcome, log))

    def _add_news(self, event: GameNews) -> None:
        """Send news soon, together with those of the same moment."""
        self._news.append(event)
        if len(self._news) == 1:
            self._nursery.start_soon(self._send_soon)

    async def _send_soon(self) -> None:
        await trio.sleep(_SOON_S)
        self._send_news()

    def _send_news(self) -> None:
        if self._news:
            news = WorkerNews(self._games.worker, self._games.machine, tuple(self._news))
            self._news = []
            self._games.send(self.settings.run, encode(news))

"""Play games in a worker process of Dask: one trio loop in a thread of its own for each run."""

import asyncio
import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import trio
from distributed import Worker, WorkerPlugin, get_worker, secede
from distributed.utils import sync
from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.cluster.folders import BotFolders
from arbiter.cluster.messages import (
    Assignment,
    EndProcesses,
    GameBegan,
    GameLine,
    GameNotBegun,
    GamePlayed,
    GameReport,
    GameVoided,
    GiveBack,
    Prepared,
    RunSettings,
    decode_order,
    encode_reports,
    report_played,
)
from arbiter.cluster.portable import PortableBot
from arbiter.cluster.readiness import Readiness, StartOptions, prepare_bots
from arbiter.cluster.relay import ORDERS, REPORTS
from arbiter.cluster.shipping import Archive, BadArchive
from arbiter.errors import ConfigError
from arbiter.record import GameResult
from arbiter.referee.game import GameSpec
from arbiter.sandbox.cores import share_out
from arbiter.sandbox.orphans import adopt_orphans
from arbiter.sandbox.select import select_isolation
from arbiter.tournament.events import Void
from arbiter.tournament.excuses import Excuses
from arbiter.tournament.execution.executor import GameTask, Played
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.execution.specs import make_game_spec
from arbiter.tournament.fixture import Fixture
from arbiter.transcript import LOGGED
from protocol.words import BLUE, OPPONENT, RED, Seat

_END_S: Final = 5.0  # how long the bots of a run may take to end
_HEARTBEAT_S: Final = 10
_SOON_S: Final = 0.03  # reports other than the ends of games are collected for this long
_log: Final = logging.getLogger("distributed.arbiter")


def prepare_run(settings: RunSettings, key: str) -> Prepared:
    """Prepare this worker for the games of a run, as long as Dask keeps the result, whose key is `key`."""
    worker = get_worker()
    if settings.is_local:
        with suppress(PermissionError):  # it leads a session
            os.setpgid(0, 0)  # Ctrl-C is for the coordinator, which then ends the games in progress or lets them finish
    plugin = RunPlugin(settings, key)
    sync(worker.loop, worker.plugin_add, plugin, settings.run)
    return plugin.wait_ready()


def play_games(run: str) -> None:
    """Play games until the run is over: Dask never takes this worker for an idle one.  Raises NotPrepared."""
    plugin = _find_plugin(run)
    secede()  # its thread does not count as one of those that run tasks
    plugin.wait_over()


def find_missing_archives(run: str, digests: Sequence[str]) -> list[str]:
    """Return the digests of archives that are not unpacked on this machine.  Raises NotPrepared."""
    folders = _find_plugin(run).folders
    return [digest for digest in digests if folders.find(digest) is None]


def unpack_archive(run: str, archive: Archive) -> str:
    """Unpack the files of a bot on this machine; return what prevents that, or ''.  Raises NotPrepared."""
    try:
        _find_plugin(run).folders.unpack(archive)
    except (BadArchive, OSError) as error:
        return str(error)
    return ""


def start_bots(run: str, bots: Sequence[PortableBot], options: StartOptions) -> list[Readiness]:
    """Find the bots of a run on this machine, and start each of them once.  Raises NotPrepared."""
    return _find_plugin(run).start_bots(bots, options)


def _find_plugin(run: str) -> "RunPlugin":
    plugin = get_worker().plugins.get(run)
    if not isinstance(plugin, RunPlugin):
        raise NotPrepared(run)
    return plugin


def _receive_orders(worker: Worker, run: str, orders: Sequence[bytes]) -> None:
    """Receive orders of the coordinator of a run, in the event loop of Dask; drop them if the run is over."""
    plugin = worker.plugins.get(run)
    if isinstance(plugin, RunPlugin):
        plugin.receive(orders)


class NotPrepared(Exception):
    """A worker was asked for something of a run that it was not prepared for, or that is over."""


class RunPlugin(WorkerPlugin):
    """The games of one run in this worker.

    Dask keeps the result of `prepare_run` in this process while the coordinator needs it.  When it is released,
    because the run is over or the coordinator or the scheduler was killed, all games stop and their bots are killed.
    """

    def __init__(self, settings: RunSettings, key: str) -> None:
        """Play the games of a run; `key` is that of the result of `prepare_run`."""
        self._settings = settings
        self._key = key
        self._lock = threading.Lock()
        self._scopes: dict[str, trio.CancelScope] = {}
        """Of games that wait and games in progress, by their keys."""
        self._in_progress: set[str] = set()
        """Keys of games."""
        self._programs = {program.name: program for program in settings.programs}
        self._folders: BotFolders | None = None
        self._prepared = Prepared()
        self._ready = threading.Event()
        self._over = threading.Event()
        self._all = trio.CancelScope()
        self._reports: list[GameReport] = []
        self._has_reports = trio.Event()
        self._restarts: Counter[str] = Counter()
        """Restarts of each bot that were reported."""

    # --- called by Dask in its event loop ---------------------------------------------------------

    def setup(self, worker: Worker) -> None:
        """Start the trio loop, and receive orders."""
        self._worker = worker
        worker.stream_handlers[ORDERS] = partial(_receive_orders, worker)  # stays: an unknown message ends a worker
        if self._settings.is_local:
            # The scheduler, in the process of the coordinator, would ask for two heartbeats a second.
            usual = worker.periodic_callbacks["heartbeat"]
            usual.stop()
            worker.periodic_callbacks["slow heartbeat"] = slow = type(usual)(worker.heartbeat, _HEARTBEAT_S * 1000)
            slow.start()
        self._thread = threading.Thread(target=self._run, name="arbiter", daemon=True)
        self._thread.start()

    async def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - Dask passes it by name
        """Stop all games, and wait until their bots have ended and their files are removed."""
        self._run_soon(self._all.cancel)
        try:
            await asyncio.to_thread(self._thread.join, _END_S)
        except asyncio.CancelledError:  # the worker closes, but not before its bots have ended
            self._thread.join(_END_S)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:  # noqa: ANN401, ARG002 - types and names of Dask
        """Stop all games when the run is over."""
        if key == self._key and start == "memory":
            self._worker.loop.add_callback(self._worker.plugin_remove, name=self._settings.run)

    def receive(self, orders: Sequence[bytes]) -> None:
        """Pass on orders to the trio loop."""
        self._run_soon(partial(self._obey, orders))

    def _run_soon(self, call: Callable[[], object]) -> None:
        self._ready.wait()
        try:
            self._token.run_sync_soon(call)
        except trio.RunFinishedError:
            _log.debug("the games of run %s have ended", self._settings.run)

    # --- called by tasks in threads of Dask -------------------------------------------------------

    def wait_ready(self) -> Prepared:
        """Wait until games can be played, or cannot."""
        self._ready.wait()
        return self._prepared

    def wait_over(self) -> None:
        """Wait until no more games are played."""
        self._over.wait()

    @property
    def folders(self) -> BotFolders:
        """The folders of bots that this process uses; other processes of this machine use them too."""
        with self._lock:
            if self._folders is None:
                self._folders = BotFolders()
            return self._folders

    def start_bots(self, bots: Sequence[PortableBot], options: StartOptions) -> list[Readiness]:
        """Find the bots on this machine, and start each of them once."""
        start = partial(prepare_bots, bots, self.folders.find, self._isolation, options, self._settings.secrets)
        try:
            found: list[Readiness] = trio.from_thread.run(start, trio_token=self._token)
        except trio.RunFinishedError:
            raise NotPrepared(self._settings.run) from None
        self._programs |= {one.bot: one.program for one in found if one.program is not None}
        return found

    # --- in the trio loop -------------------------------------------------------------------------

    def _run(self) -> None:
        """Play games until the run is over, and remove the files of bots that no other process uses."""
        try:
            trio.run(self._main)
        finally:
            self._over.set()
            if self._folders is not None:
                self._folders.close()

    async def _main(self) -> None:
        settings = self._settings
        self._token = trio.lowlevel.current_trio_token()
        try:
            adopt_orphans()
            # In this thread: a sandbox of root changes the mounts of the thread that starts bots.
            self._isolation = select_isolation(settings.isolation, settings.programs, settings.secrets).isolation
            cores = share_out(settings.jobs)
            own = [cores[number] for number in settings.numbers]
            self._executor = LocalExecutor(
                self._isolation, settings.jobs, settings.speed, own, keeps_processes=settings.keeps_processes
            )
            self._limiter = trio.CapacityLimiter(max(1, len(own)))
            self._prepared = Prepared(isolation=self._isolation.name)
        except (ConfigError, OSError) as error:
            self._prepared = Prepared(fault=str(error))
            self._ready.set()
            return
        # The processes of games in progress end before those that wait.
        with self._all:
            async with self._executor.open(lambda: None, lambda _error: None), trio.open_nursery() as self._games:
                self._ready.set()
                await self._send_reports_soon()

    def _obey(self, orders: Sequence[bytes]) -> None:
        """Begin and stop games, and end processes, as the coordinator orders."""
        if self._all.cancel_called:
            return
        for order in map(decode_order, orders):
            if isinstance(order, Assignment):
                scope = self._scopes[order.key] = trio.CancelScope()
                self._games.start_soon(self._play, order, scope)
            elif isinstance(order, EndProcesses):
                self._executor.discard(order.bots)
            elif order.key in self._scopes and not (isinstance(order, GiveBack) and order.key in self._in_progress):
                self._scopes[order.key].cancel()

    async def _play(self, assignment: Assignment, scope: trio.CancelScope) -> None:
        """Play a game and report it."""
        key = assignment.key
        has_begun = False

        def note_begin() -> None:
            nonlocal has_begun
            has_begun = True
            self._in_progress.add(key)
            self._report(GameBegan(key))

        try:
            with scope:
                async with self._limiter:
                    await trio.lowlevel.checkpoint_if_cancelled()  # it may have been given back while it waited
                    outcome = await self._executor.try_game(self._make_task(assignment, note_begin))
                    if isinstance(outcome, Played):
                        game = outcome.game
                        log = game.log if self._has_kept_log(assignment, game.result) else replace(game.log, wire={})
                        restarts = self._take_restarts(assignment.fixture)
                        # In a thread: a long record takes a millisecond.
                        self._report(await trio.to_thread.run_sync(report_played, key, outcome, log, restarts))
        finally:
            del self._scopes[key]
            self._in_progress.discard(key)
        if not has_begun:
            self._report(GameNotBegun(key))

    def _take_restarts(self, fixture: Fixture) -> dict[Seat, int]:
        """Return how often processes of the bots of a game were started again since this was asked."""
        found: dict[Seat, int] = {}
        bots: dict[Seat, str] = {RED: fixture.red, BLUE: fixture.blue}
        for seat, bot in bots.items():
            count = self._executor.restarts.get(bot, 0)
            if count > self._restarts[bot]:
                found[seat] = count - self._restarts[bot]
                self._restarts[bot] = count
        return found

    def _has_kept_log(self, assignment: Assignment, result: GameResult) -> bool:
        """Return True if the coordinator may store the messages of a game."""
        bots = {RED: assignment.fixture.red, BLUE: assignment.fixture.blue}
        is_loss = result.winner is not None and bots[OPPONENT[result.winner]] == self._settings.keep_losses_of
        return self._settings.keep_logs or is_loss or result.ending in LOGGED

    def _make_task(self, assignment: Assignment, note_begin: Callable[[], None]) -> GameTask:
        key = assignment.key
        fixture = assignment.fixture

        def make_spec(_speed: float | None) -> GameSpec:  # the coordinator has scaled the clocks
            header = assignment.header
            time = header.time or TimeSettings()
            spec = make_game_spec(header, header.game(), time, assignment.retries, self._programs)
            return replace(
                spec,
                versions=assignment.versions,
                shared=assignment.shared,
                keeps_messages=self._settings.keep_logs or self._settings.keep_losses_of is not None,
            )

        async def note(void: Void) -> None:
            self._report(GameVoided(key, void.attempt, void.log))
            await trio.lowlevel.checkpoint()

        return GameTask(
            fixture=fixture,
            make_spec=make_spec,
            excuses=Excuses.of_game(fixture.id, assignment.used_excuses),
            is_wanted=lambda: True,
            began=note_begin,
            note=note,
            follow=(lambda line: self._report(GameLine(key, line))) if assignment.follow else None,
        )

    def _report(self, report: GameReport) -> None:
        """Report something about a game: its end at once, with all that was reported before, other things soon."""
        self._reports.append(report)
        if isinstance(report, GamePlayed | GameVoided | GameNotBegun):
            self._send_reports()
        elif len(self._reports) == 1:
            self._has_reports.set()

    async def _send_reports_soon(self) -> None:
        """Send reports together that are made within a short time."""
        while True:
            await self._has_reports.wait()
            await trio.sleep(_SOON_S)
            self._has_reports = trio.Event()
            self._send_reports()

    def _send_reports(self) -> None:
        if self._reports:
            reports = {"op": REPORTS, "run": self._settings.run, "reports": encode_reports(self._reports)}
            self._worker.loop.add_callback(self._worker.batched_send, reports)
            self._reports.clear()

"""Play games in a worker process of Dask: one trio loop in a thread of its own for each run."""

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import trio
from distributed import Worker, WorkerPlugin, get_worker
from distributed.utils import sync
from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.cluster.folders import BotFolders
from arbiter.cluster.messages import (
    REPORTS,
    Assignment,
    GameBegan,
    GameLine,
    GamePlayed,
    GameReport,
    GameVoided,
    Prepared,
    RunSettings,
    encode_reports,
    report_played,
)
from arbiter.cluster.portable import PortableBot
from arbiter.cluster.readiness import Readiness, StartOptions, prepare_bots
from arbiter.cluster.shipping import Archive, BadArchive
from arbiter.errors import ConfigError
from arbiter.record import GameResult
from arbiter.referee.game import GameSpec
from arbiter.sandbox.cores import share_out
from arbiter.sandbox.orphans import adopt_orphans
from arbiter.sandbox.select import select_isolation
from arbiter.tournament.events import Void
from arbiter.tournament.execution.executor import GameTask, Played
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.execution.specs import make_game_spec
from arbiter.transcript import LOGGED
from protocol.words import BLUE, OPPONENT, RED

_END_S: Final = 5.0  # how long the bots of a run may take to end
_SOON_S: Final = 0.03  # reports other than the ends of games are collected for this long
_OVER: Final = {"memory", "error"}
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


def play_game(assignment: Assignment) -> None:
    """Play a game in this worker and report it.  Raises NotPrepared."""
    _find_plugin(assignment.run).play(assignment)


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


class NotPrepared(Exception):
    """A worker got a game of a run that it was not prepared for, or that is over."""


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
        self._stopped: set[str] = set()
        """Games that were stopped before they began."""
        self._programs = {program.name: program for program in settings.programs}
        self._folders: BotFolders | None = None
        self._prepared = Prepared()
        self._ready = threading.Event()
        self._all = trio.CancelScope()
        self._reports: list[GameReport] = []
        self._has_reports = trio.Event()

    # --- called by Dask in its event loop ---------------------------------------------------------

    def setup(self, worker: Worker) -> None:
        """Start the trio loop."""
        self._worker = worker
        self._thread = threading.Thread(target=self._run, name="arbiter", daemon=True)
        self._thread.start()

    async def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - Dask passes it by name
        """Stop all games, and wait until their bots have ended and their files are removed."""
        self._run_soon(self._all.cancel)
        try:
            await asyncio.to_thread(self._thread.join, _END_S)
        except asyncio.CancelledError:  # the worker closes, but not before its bots have ended
            self._thread.join(_END_S)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:  # noqa: ANN401 - types of Dask
        """Stop a game that the coordinator does not need any more; stop all when the run is over."""
        if key == self._key and start == "memory":
            self._worker.loop.add_callback(self._worker.plugin_remove, name=self._settings.run)
        if start == "executing" and finish not in _OVER:
            with self._lock:
                scope = self._scopes.get(key)
                if scope is None:
                    self._stopped.add(key)
            if scope is not None:
                self._run_soon(scope.cancel)

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

    def play(self, assignment: Assignment) -> None:
        """Play a game and report it."""
        try:
            trio.from_thread.run(self._play, assignment, trio_token=self._token)
        except trio.RunFinishedError:
            raise NotPrepared(self._settings.run) from None
        finally:
            with self._lock:
                self._scopes.pop(assignment.key, None)
                self._stopped.discard(assignment.key)

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
        finally:
            self._ready.set()
        if not self._prepared.fault:
            with self._all:
                async with self._executor.open(lambda: None, lambda _error: None):
                    try:
                        await self._send_reports_soon()
                    finally:  # the processes of games in progress must end before those that wait
                        with self._lock:
                            for scope in self._scopes.values():
                                scope.cancel()

    async def _play(self, assignment: Assignment) -> None:
        """Play a game in the trio loop."""
        key = assignment.key
        with trio.CancelScope() as scope:
            with self._lock:
                if key in self._stopped or self._all.cancel_called:
                    return
                self._scopes[key] = scope
            async with self._limiter:
                outcome = await self._executor.try_game(self._make_task(assignment))
                if isinstance(outcome, Played):
                    game = outcome.game
                    log = game.log if self._has_kept_log(assignment, game.result) else replace(game.log, wire={})
                    self._report(report_played(key, outcome, log))

    def _has_kept_log(self, assignment: Assignment, result: GameResult) -> bool:
        """Return True if the coordinator may store the messages of a game."""
        bots = {RED: assignment.fixture.red, BLUE: assignment.fixture.blue}
        is_loss = result.winner is not None and bots[OPPONENT[result.winner]] == self._settings.keep_losses_of
        return self._settings.keep_logs or is_loss or result.ending in LOGGED

    def _make_task(self, assignment: Assignment) -> GameTask:
        key = assignment.key

        def make_spec(_speed: float | None) -> GameSpec:  # the coordinator has scaled the clocks
            header = assignment.read_header()
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
            fixture=assignment.fixture,
            make_spec=make_spec,
            excuses=assignment.excuses,
            is_wanted=lambda: True,
            began=lambda: self._report(GameBegan(key)),
            note=note,
            follow=(lambda line: self._report(GameLine(key, line))) if assignment.follow else None,
        )

    def _report(self, report: GameReport) -> None:
        """Report something about a game: its end at once, with all that was reported before, other things soon."""
        self._reports.append(report)
        if isinstance(report, GamePlayed | GameVoided):
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
            # In a dictionary, because the scheduler adds the address of the worker to it.
            self._worker.log_event(self._settings.run, {REPORTS: encode_reports(self._reports)})
            self._reports.clear()

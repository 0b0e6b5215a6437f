"""The arbiter in a worker process of Dask: tasks, and a plugin with a thread of its own for each run."""

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, Final

import trio
from distributed import Worker, WorkerPlugin, get_worker, secede
from distributed.utils import sync

from arbiter.cluster.archives import Archive, BadArchive, BotFolders
from arbiter.cluster.messages import Prepared, RunSettings
from arbiter.cluster.readiness import PortableBot, Readiness, StartOptions
from arbiter.cluster.wire import ORDERS, REPORTS
from arbiter.cluster.worker_games import WorkerGames

_END_S: Final = 5.0  # how long the bots of a run may take to end
_HEARTBEAT_S: Final = 10
_log: Final = logging.getLogger("distributed.arbiter")


def prepare_run(settings: RunSettings, key: str) -> Prepared:
    """Prepare this worker for the games of a run, as long as Dask keeps the result, whose key is `key`."""
    worker = get_worker()
    if settings.is_local:
        with suppress(PermissionError):  # it leads a session
            os.setpgid(0, 0)  # Ctrl-C is for the coordinator, which then ends the games in progress or lets them finish
    plugin = RunPlugin(settings, key)
    sync(worker.loop, worker.plugin_add, plugin, settings.run)
    return plugin.prepared.result()


def play_games(run: str) -> None:
    """Play games until the run is over: Dask never takes this worker for an idle one.  Raises NotPrepared."""
    plugin = _find_plugin(run)
    secede()  # its thread does not count as one of those that run tasks
    plugin.over.wait()


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
    plugin = _find_plugin(run)
    start = partial(plugin.games.start_bots, bots, plugin.folders.find, options)
    try:
        found: list[Readiness] = trio.from_thread.run(start, trio_token=plugin.token)
    except trio.RunFinishedError:
        raise NotPrepared(run) from None
    return found


def _find_plugin(run: str) -> "RunPlugin":
    plugin = get_worker().plugins.get(run)
    if not isinstance(plugin, RunPlugin):
        raise NotPrepared(run)
    return plugin


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
        self._folders: BotFolders | None = None
        self.prepared: Future[Prepared] = Future()
        """Has a result when games can be played, or cannot."""
        self.over = threading.Event()
        """Set when no more games are played."""

    # --- called by Dask in its event loop ---------------------------------------------------------

    def setup(self, worker: Worker) -> None:
        """Start the trio loop, and receive orders."""
        self._worker = worker

        def receive(run: str, orders: Sequence[bytes]) -> None:
            """Pass on orders of a coordinator to the trio loop; drop them if the run is over."""
            if isinstance(plugin := worker.plugins.get(run), RunPlugin):
                plugin.run_soon(partial(plugin.games.obey, orders))

        worker.stream_handlers[ORDERS] = receive  # stays: an unknown message ends a worker
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
        self.run_soon(self.games.stop)
        try:
            await asyncio.to_thread(self._thread.join, _END_S)
        except asyncio.CancelledError:  # the worker closes, but not before its bots have ended
            self._thread.join(_END_S)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:  # noqa: ANN401, ARG002 - names of Dask
        """Stop all games when the run is over."""
        if key == self._key and start == "memory":
            self._worker.loop.add_callback(self._worker.plugin_remove, name=self._settings.run)

    def run_soon(self, call: Callable[[], object]) -> None:
        """Call a function in the trio loop soon, if that still runs."""
        self.prepared.result()
        try:
            self.token.run_sync_soon(call)
        except trio.RunFinishedError:
            _log.debug("the games of run %s have ended", self._settings.run)

    # --- called by tasks in threads of Dask -------------------------------------------------------

    @property
    def folders(self) -> BotFolders:
        """The folders of bots that this process uses; other processes of this machine use them too."""
        with self._lock:
            if self._folders is None:
                self._folders = BotFolders()
            return self._folders

    # --- in the thread of the games ---------------------------------------------------------------

    def _run(self) -> None:
        """Play games until the run is over, and remove the files of bots that no other process uses."""
        # The coordinator blocked it for its own workers; bots inherit that from this thread.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        try:
            trio.run(self._play)
        finally:
            self.over.set()
            if self._folders is not None:
                self._folders.close()

    async def _play(self) -> None:
        self.token = trio.lowlevel.current_trio_token()

        def send(reports: bytes) -> None:
            message = {"op": REPORTS, "run": self._settings.run, "reports": reports}
            self._worker.loop.add_callback(self._worker.batched_send, message)

        self.games = WorkerGames(self._settings, send)
        await self.games.play(self.prepared.set_result)

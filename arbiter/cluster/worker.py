"""The arbiter in a worker process of Dask: `--preload arbiter.cluster.worker`, and the functions that tasks call."""

import asyncio
import os
import secrets
import shutil
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future as Promise
from contextlib import suppress
from functools import partial
from typing import Any, Final

import click
import dask
import msgspec
import psutil
import trio
from distributed import Worker, WorkerPlugin, get_worker
from msgspec.structs import replace

from arbiter import __version__
from arbiter.cluster.games import UNPACKED, WorkerGames, log, report_bug
from arbiter.cluster.messages import TaskReport, decode_assignment, encode
from arbiter.sandbox.cores import claim_cores
from arbiter.sandbox.files.interpreters import list_interpreters
from arbiter.sandbox.files.temporary import remove_leftovers
from arbiter.tournament.events import Void
from arbiter.tournament.execution.machines import Machine, measure_machine, wait_until_idle

NAME: Final = "arbiter"
"""Name of the plugin, and of the description of the machine in the information of the scheduler about a worker."""
_END_S: Final = 5.0  # how long the bots may take to end
_IDLE_S: Final = 10.0  # how long a worker waits until its machine is idle, before it measures that


class WrongWorker(Exception):
    """A task is on a worker that was not started for games, or has another version."""


# --- functions of tasks, in threads of Dask -------------------------------------------------------


def play(encoded: bytes, version: str, names: Sequence[str], *bots: bytes) -> bytes:
    """Play the games of an assignment for an arbiter of a version, and return the report.

    `names` are those of the `bots` that come with the task.  Raises WrongWorker.
    """
    worker = get_worker()
    plugin = worker.plugins.get(NAME)
    if not isinstance(plugin, ArbiterPlugin):
        raise WrongWorker(f"{worker.address} was not started with --preload {__name__}")
    if version != __version__:  # it joined when the task was waiting already
        raise WrongWorker(f"{worker.address} has arbiter {__version__}, and not {version}")
    return plugin.play(worker.get_current_task(), encoded, dict(zip(names, bots, strict=True)))


async def ask_interpreters() -> dict[str, str]:
    """List the programs of this machine that run bots, without holding up the event loop of Dask."""
    return await asyncio.to_thread(list_interpreters)


async def close_run(run: str, dask_worker: Worker) -> None:
    """Let no second game of a pair of a run begin any more; after its last game its files are removed."""
    plugin = dask_worker.plugins.get(NAME)
    if isinstance(plugin, ArbiterPlugin):
        plugin.call_soon(partial(plugin.games.close_run, run))


# --- the plugin -----------------------------------------------------------------------------------


class ArbiterPlugin(WorkerPlugin):
    """The arbiter in this worker process, for all runs.

    Dask reports here when it takes a task back, because the run is over or stopped, or the coordinator or the scheduler
    was killed: then its game stops, and the bots are killed.
    """

    name = NAME

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._scopes: dict[Any, trio.CancelScope] = {}
        """Of the tasks that play, by their keys."""

    # --- called by Dask in its event loop ---------------------------------------------------------

    async def setup(self, worker: Worker) -> None:
        """Start the trio loop."""
        self._worker = worker

        def send(topic: str, news: bytes) -> None:
            worker.loop.add_callback(worker.log_event, topic, news)

        cores = claim_cores(worker.state.nthreads, self._machine.slots)
        self.games = WorkerGames(worker.address, self._machine, cores, send)
        """The games, in a trio loop."""
        started: Promise[trio.lowlevel.TrioToken] = Promise()
        self._thread = threading.Thread(target=self._run, args=(started,), name=NAME, daemon=True)
        self._thread.start()
        self._token = await asyncio.wrap_future(started)

    async def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - Dask passes it by name
        """Stop all games, and wait until their bots have ended and their files are removed."""
        self.call_soon(self.games.ending.set)
        for scope in tuple(self._scopes.values()):
            self.call_soon(scope.cancel)
        try:
            await asyncio.to_thread(self._thread.join, _END_S)
        except asyncio.CancelledError:  # the worker closes, but not before its bots have ended
            self._thread.join(_END_S)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:  # noqa: ANN401, ARG002 - names of Dask
        """Stop the games of a task that is not wanted any more."""
        if finish in {"released", "cancelled", "forgotten"} and (scope := self._scopes.get(key)) is not None:
            self.call_soon(scope.cancel)

    def call_soon(self, call: Callable[[], object]) -> None:
        """Call a function soon in the loop of the games."""
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(call)

    # --- called in threads of Dask ----------------------------------------------------------------

    def play(self, key: Any, encoded: bytes, bots: Mapping[str, bytes]) -> bytes:  # noqa: ANN401 - as in Dask
        """Play the games of a task, and return the report; `bots` are those that came with it, by their names."""
        scope = self._scopes[key] = trio.CancelScope()
        try:
            assignment = decode_assignment(encoded)
            games = " and ".join(order.fixture.id for order in assignment.games)
            log.info("plays %s", games)
            report: TaskReport = trio.from_thread.run(
                self.games.play, str(key), assignment, scope, bots, trio_token=self._token
            )
            reasons = [one.attempt.cause if isinstance(one, Void) else "played" for one in report.games]
            needed = f"needs {' and '.join(report.missing)}" if report.missing else ""
            log.info("ends %s: %a", games, report.fault or needed or ", ".join(reasons) or "stopped")
            return encode(report)
        except (Exception, trio.Cancelled) as error:  # noqa: BLE001 - a bug of the arbiter, or its loop has ended
            # As text, because Dask cannot send every exception.
            fault = "" if self.games.ending.is_set() else report_bug(error)
            return encode(TaskReport(worker=self.games.worker, machine=self._machine, fault=fault))
        finally:
            del self._scopes[key]

    # --- the thread of the games ------------------------------------------------------------------

    def _run(self, started: "Promise[trio.lowlevel.TrioToken]") -> None:
        """Play games until this worker ends."""
        # The coordinator blocked it for its own workers; bots inherit that from this thread.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        trio.run(self.games.serve, started)


@click.command()
@click.option("--jobs", type=int, help="Games at a time on this machine.")
@click.option("--machine", help="The machine of the coordinator, which has started this worker.")
async def dask_setup(worker: Worker, jobs: int | None, machine: str | None) -> None:
    """Prepare a worker of Dask for games, before it joins the scheduler."""
    await asyncio.to_thread(remove_leftovers, UNPACKED)
    if machine is None:
        longest_s = dask.config.get("arbiter.idle-s", _IDLE_S)
        await asyncio.to_thread(wait_until_idle, psutil.cpu_percent, longest_s)
        found = await asyncio.to_thread(measure_machine, jobs)
    else:
        found = replace(msgspec.json.decode(machine, type=Machine), process=secrets.token_hex(8))
        # Ctrl-C is for the coordinator, which then ends the games in progress or lets them finish.
        signal.signal(signal.SIGINT, lambda *_: None)  # bots do not inherit that
        with suppress(PermissionError):  # it leads a session
            os.setpgid(0, 0)
        shutil.rmtree(worker.local_directory, ignore_errors=True)  # nothing needs it, and kills would leave it
    worker.startup_information[NAME] = lambda _worker: msgspec.to_builtins(found)
    await worker.plugin_add(ArbiterPlugin(found))

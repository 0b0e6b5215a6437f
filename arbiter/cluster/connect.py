"""Connections to clusters: worker processes on this machine, or a running cluster of Dask."""

import logging
import secrets
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any, Final, TypeVar

import dask
from distributed import Client, Future, LocalCluster, Nanny, Scheduler, wait
from distributed.comm.core import CommClosedError
from distributed.versions import VersionMismatchWarning
from msgspec import Struct

from arbiter.cluster.addresses import check_answer, explain_failure, find_address, is_protected
from arbiter.errors import ConfigError, write_count

LOOPBACK: Final = "127.0.0.1"
FROZEN_S: Final = 30.0
"""A worker that is silent for this long is given up, and its games are played elsewhere."""
_CONNECT_S: Final = 10
_RESTART_S: Final = 5
_LOOK_S: Final = 2

_SETTINGS: Final = {
    "distributed.comm.timeouts.connect": f"{_CONNECT_S}s",
    "distributed.worker.profile.enabled": False,  # it takes samples of all threads all the time
    "distributed.admin.low-level-log-length": 10,  # messages of each connection, and events, that Dask keeps
    "distributed.admin.tick.interval": "10s",
    "distributed.admin.tick.cycle": "10s",
    "distributed.admin.system-monitor.interval": "60s",  # it reads many files of /proc
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.client.scheduler-info-interval": "30s",
    "distributed.scheduler.active-memory-manager.start": False,  # for results, which games do not have
    "distributed.scheduler.work-stealing": False,  # each game has its worker
    "distributed.worker.memory.terminate": False,
    "distributed.scheduler.worker-ttl": f"{FROZEN_S}s",
}

Answer = TypeVar("Answer")


class WorkerState(Struct, frozen=True):
    """A worker as the scheduler sees it."""

    silent_s: float
    """Seconds since its last sign of life, counted from the latest one of any worker."""
    threads: int
    """Number of tasks that Dask lets it run at a time."""


class Cluster:
    """A connection to the scheduler of a cluster.  All methods may block for seconds, and raise ConfigError."""

    def __init__(self, client: Client, name: str, scheduler: Scheduler | None = None) -> None:
        """Use a client; `name` is the address as the operator knows it, `scheduler` the one in this process, if any."""
        self.client = client
        self.name = name
        self.scheduler = scheduler
        self.run = f"arbiter-{secrets.token_hex(8)}"
        """Identification of the run on the cluster."""

    def find_warning(self) -> str | None:
        """Return a warning if other machines can reach the scheduler without encryption."""
        # Its own address: a scheduler that listens on all networks is also reached by 127.0.0.1.
        address = str(self._call("identity", n_workers=0)["address"])
        if is_protected(address):
            return None
        return (
            f"{self.name}: anyone who reaches the scheduler at {address} controls the workers, because its connections "
            "are not encrypted; use TLS (`arbiter certificates`), or start it with --host 127.0.0.1 if all workers are "
            "on its machine"
        )

    def list_workers(self) -> dict[str, WorkerState]:
        """List the workers by their addresses."""
        self.check()
        try:
            found: dict[str, tuple[float, int]]
            if self.scheduler is not None:
                workers = self.scheduler.workers

                async def look() -> dict[str, tuple[float, int]]:
                    return {address: (worker.last_seen, worker.nthreads) for address, worker in workers.items()}

                found = self.client.sync(look)
            else:
                states: dict[str, Any] = self._call("identity", n_workers=-1)["workers"]
                found = {address: (state["last_seen"], state["nthreads"]) for address, state in states.items()}
        except (OSError, CommClosedError):
            raise self._lost() from None
        latest = max((last_seen for last_seen, _ in found.values()), default=0.0)
        return {address: WorkerState(latest - last_seen, threads) for address, (last_seen, threads) in found.items()}

    def check(self) -> None:
        """Raise ConfigError if the connection is lost."""
        if self.client.status != "running":
            raise self._lost()

    def ask(self, question: Callable[..., Answer], *args: object, workers: Sequence[str]) -> Mapping[str, Answer]:
        """Call a function on workers; those that fail are left out."""
        return dict(self.client.run(question, *args, workers=list(workers), on_error="ignore"))

    def submit(self, address: str, function: Callable[..., Answer], *args: object, key: str = "") -> Future[Answer]:
        """Call a function in a thread of one worker, and nowhere else."""
        return self.client.submit(
            function, *args, key=key or None, workers=[address], allow_other_workers=False, pure=False, retries=0
        )

    def wait_for(self, tasks: Mapping[str, Future[Any]], longest_s: float) -> set[str]:
        """Wait until tasks on workers are done, given by their addresses; return the workers that have left.

        Their tasks would wait for workers with the same addresses.
        """
        limit = time.monotonic() + longest_s
        gone: set[str] = set()
        while pending := [one for address, one in tasks.items() if one.status == "pending" and address not in gone]:
            left_s = limit - time.monotonic()
            if left_s <= 0:
                break
            with self.client.as_current(), suppress(TimeoutError):
                wait(pending, timeout=min(left_s, _LOOK_S))
            gone = tasks.keys() - self.list_workers().keys()
        return gone

    def give_up(self, address: str) -> None:
        """Restart a worker that does not answer, or remove it from the cluster if it cannot be restarted."""
        with suppress(OSError, CommClosedError):
            self._call(
                "restart_workers",
                workers=[address],
                timeout=_RESTART_S,
                wait_for_workers=False,
                on_error="return",
                stimulus_id=f"{self.run}-frozen",
            )

    def _call(self, operation: str, **arguments: object) -> Any:  # noqa: ANN401 - whatever the scheduler answers
        return self.client.sync(getattr(self.client.scheduler, operation), **arguments)

    def _lost(self) -> ConfigError:
        return ConfigError(
            f"{self.name}: the connection to the scheduler is lost; finished games are stored, run again to continue"
        )


def describe_failure(task: Future[Any]) -> str:
    """Return why a task of a worker has no result; '' if it has one."""
    if task.status == "error":
        return f"it failed: {' '.join(str(task.exception()).split())}"
    return "" if task.status == "finished" else "it did not answer"


@contextmanager
def open_local(workers: int, slots: int) -> Iterator[Cluster]:
    """Start worker processes on this machine, which end with this process; each plays up to `slots` games at a time."""
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="arbiter-workers-", ignore_cleanup_errors=True))
        # Delay Ctrl-C, also in threads that are started, and forever in their processes: they would print tracebacks.
        resource_tracker.ensure_running()  # otherwise the first process that is started lets Ctrl-C through again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=workers,
                    threads_per_worker=slots,
                    processes=True,
                    host=LOOPBACK,
                    dashboard_address=f"{LOOPBACK}:0",
                    worker_dashboard_address=None,
                    memory_limit=None,
                    local_directory=folder,
                    silence_logs=logging.CRITICAL,
                    scheduler_sync_interval=60,  # seconds; for its representation in notebooks
                )
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        client = stack.enter_context(Client(cluster, set_as_default=False))
        client.sync(_calm_down, client, cluster.scheduler, cluster.workers.values())
        yield Cluster(client, write_count(workers, "worker"), cluster.scheduler)


async def _calm_down(client: Client, scheduler: Scheduler, nannies: Iterable[Nanny]) -> None:
    """Stop what this process does again and again, but does not need: statistics, and tests for idle clusters."""
    for server in (scheduler, *nannies):
        for name, callback in server.periodic_callbacks.items():
            if name != "worker-ttl":
                callback.stop()
    for callback in client._periodic_callbacks.values():  # its heartbeat, and a copy of the scheduler's state
        callback.stop()
    for stream in scheduler.stream_comms.values():
        stream.interval = 0.0  # it would wake up after each message, in case there are more


@contextmanager
def open_running(given: str) -> Iterator[Cluster]:
    """Connect to a running cluster, given by the address of its scheduler or a scheduler file.  Raises ConfigError."""
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        address = find_address(given, "--cluster")
        check_answer(address, given, "--cluster", "client", _CONNECT_S)
        try:
            client = stack.enter_context(Client(address, timeout=_CONNECT_S, set_as_default=False, name="arbiter"))
        except (OSError, ValueError, TypeError, RuntimeError, CommClosedError) as error:
            raise explain_failure(given, "--cluster", error) from None
        cluster = Cluster(client, given)
        if not cluster.list_workers():
            raise ConfigError(f"--cluster {given}: it has no workers; start some with `arbiter worker {given}`")
        yield cluster


@contextmanager
def _quiet() -> Iterator[None]:
    """Set what this program needs of Dask, and keep its messages out of the output."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with dask.config.set(_SETTINGS), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Creating scratch directories is taking")  # on a busy disk
            warnings.simplefilter("ignore", VersionMismatchWarning)  # `doctor --cluster` lists what matters
            yield
    finally:
        logging.disable(before)

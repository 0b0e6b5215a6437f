"""Connections to clusters: worker processes on this machine, or a running cluster of Dask."""

import asyncio
import hashlib
import logging
import secrets
import signal
import threading
import warnings
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Future as Promise
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any, Final, TypeVar

import dask
import msgspec
import trio
from distributed import Client, LocalCluster, Security
from distributed.versions import VersionMismatchWarning

from arbiter import __version__
from arbiter.cluster import dask_setup
from arbiter.cluster.addresses import LOOPBACK, Access, find_reason
from arbiter.cluster.settings import SETTINGS, make_dask_folder
from arbiter.cluster.worker import NAME, close_run, play
from arbiter.errors import ConfigError, write_count
from arbiter.tournament.execution.machines import Machine

_CONNECT_S: Final = 10
_CLOSE_S: Final = 5.0
_END_S: Final = 2.0
_OPEN_S: Final = 30.0

Answer = TypeVar("Answer")


class _Client(Client):
    """A client that is closed once, in its loop, within a limited time."""

    def __del__(self) -> None:
        """Do nothing: Dask would close a client that reconnects once more, and wait for that at the end of a run."""


class Cluster:
    """A connection to the scheduler of a cluster.  Its coroutines run in the event loop of `Loop`."""

    def __init__(self, client: Client, name: str, loop: "Loop") -> None:
        """Use a client in a loop; `name` is the address as the operator knows it."""
        self.name = name
        self.loop = loop
        self.run = f"{NAME}-{secrets.token_hex(8)}"
        """Identification of the run on the cluster."""
        self._bots: dict[str, Any] = {}
        """The futures of the bots, which Dask keeps as long as these live."""
        self.client: Any = client  # the types of Dask do not know that it is asynchronous

    async def list_workers(self) -> dict[str, dict[str, Any]]:
        """Return what the scheduler reports about the workers, by their addresses.  Raises ConfigError."""
        found = (await self.describe())["workers"]
        return {address: one for address, one in found.items() if one["status"] == "running"}

    async def describe(self) -> dict[str, Any]:
        """Return what the scheduler reports about itself and all workers.  Raises ConfigError."""
        self.check()
        try:
            found: dict[str, Any] = await self.client.scheduler.identity(n_workers=-1)
        except OSError:
            raise self._lost() from None
        return found

    def check(self) -> None:
        """Raise ConfigError if the connection is lost, or was: then Dask has made a new one, but taken all back."""
        if self.client.status != "running" or any(bot.cancelled() for bot in self._bots.values()):
            raise self._lost()

    async def play(
        self, key: tuple[str, ...], assignment: bytes, workers: Sequence[str] | None, bots: Collection[str], near: str
    ) -> tuple[bytes, Any]:
        """Play an assignment in a Dask task, on some workers.  Default: on any, and if possible on the worker `near`.

        The task depends on those that hold `bots`, so that Dask sends these to its worker.
        Return the result, and its future, which is to be released; if this is cancelled, Dask takes the task back.
        Raises what Dask raises.
        """
        future = self.client.submit(
            *(play, assignment, __version__, tuple(bots), *(self._bots[bot] for bot in bots)),
            key=key,
            workers=[near] if workers is None and near else workers,
            allow_other_workers=workers is None and bool(near),
            pure=False,
            retries=0,
        )
        try:
            return await future, future
        except BaseException:
            future.release()
            raise

    async def find_player(self, future: Any) -> str:  # noqa: ANN401 - one of Dask
        """Return the address of the worker that has a result, by the scheduler; '' if it has left."""
        with suppress(KeyError, OSError):
            holders = await self.client.who_has([future])
            return next((address for addresses in holders.values() for address in addresses), "")
        return ""

    async def hold(self, bot: str, data: bytes) -> None:
        """Let a worker hold a bot, as the result of a task whose key is the digest of the data."""
        key = f"arbiter-bot-{hashlib.sha256(data).hexdigest()}"
        # A function that workers of somebody else have too.
        self._bots[bot] = self.client.submit(bytes, data, key=key, priority=1, pure=False)

    async def listen(self, receive: Callable[[bytes], object]) -> None:
        """Receive the news of this run from now on, in the loop of Dask."""
        self.client.subscribe_topic(self.run, lambda event: receive(event[1]))

    async def close_run(self) -> None:
        """Let no second game of a pair begin any more, and let workers forget the run when they play no game of it.

        Those that do not answer soon forget it when it has had no games for a while.
        """
        with suppress(TimeoutError, OSError):
            await asyncio.wait_for(self.client.run(close_run, self.run, on_error="ignore"), _END_S)

    def _lost(self) -> ConfigError:
        return ConfigError(
            f"{self.name}: the connection to the scheduler is lost; finished games are stored, run again to continue"
        )


class Loop:
    """An event loop of asyncio in a thread of its own, for Dask.

    It ends with the process: a scheduler that was stopped cannot hold it up.
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        # Ctrl-C is for the main thread.  The processes that Dask starts inherit this, and would print tracebacks.
        resource_tracker.ensure_running()  # otherwise the first process that is started lets Ctrl-C through again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            threading.Thread(target=self._loop.run_forever, name="dask", daemon=True).start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def start(self, work: Coroutine[Any, Any, Answer]) -> Promise[Answer]:
        """Run a coroutine."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Run a coroutine and wait for it; Ctrl-C cancels it."""
        promise = self.start(work)
        try:
            return promise.result()
        finally:
            promise.cancel()

    async def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Run a coroutine and wait for it in trio; it is cancelled with this."""
        return (await self.finish(work)).result()

    async def finish(self, work: Coroutine[Any, Any, Answer]) -> Promise[Answer]:
        """Do the same, and return what has the result, or the exception."""
        over = trio.Event()
        promise = self.start(work)
        promise.add_done_callback(call_in_trio(lambda _promise: over.set()))
        try:
            await over.wait()
        finally:
            promise.cancel()
        return promise


def call_in_trio(function: Callable[[Any], object]) -> Callable[[Any], None]:
    """Return a function for other threads that calls one in the loop of trio which runs now, as long as it runs."""
    token = trio.lowlevel.current_trio_token()

    def call(value: Any) -> None:  # noqa: ANN401 - passed on
        with suppress(trio.RunFinishedError):
            token.run_sync_soon(function, value)

    return call


# --- clusters -------------------------------------------------------------------------------------


Connect = Callable[[AsyncExitStack], Coroutine[Any, Any, Client]]
"""Connects to a cluster; the stack closes what it opens."""


def open_local(workers: int, slots: int, machine: Machine) -> AbstractContextManager[Cluster]:
    """Start worker processes on this machine, which end with this process; each plays up to `slots` games at a time.

    Other users of this machine cannot connect to them.  Raises ConfigError.
    """

    async def connect(stack: AsyncExitStack) -> Client:
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=slots,
            host=LOOPBACK,
            protocol="tls",
            security=Security.temporary(),
            dashboard_address=f"{LOOPBACK}:0",
            worker_dashboard_address=f"{LOOPBACK}:0",
            memory_limit=None,
            silence_logs=logging.CRITICAL,
            preload=["arbiter.cluster", "arbiter.cluster.worker"],
            preload_argv=["--machine", msgspec.json.encode(machine).decode()],
            asynchronous=True,
        )
        try:
            await stack.enter_async_context(cluster)
        except (OSError, RuntimeError) as error:
            raise ConfigError(f"--workers: the workers cannot be started: {find_reason(error)}") from None
        dask_setup(cluster.scheduler)
        return await stack.enter_async_context(_Client(cluster, asynchronous=True, set_as_default=False))  # type: ignore[no-untyped-call]

    settings = {"temporary-directory": make_dask_folder("--workers")}
    return _open(connect, write_count(workers, "worker"), settings)


def open_running(access: Access) -> AbstractContextManager[Cluster]:
    """Connect to a running cluster.  Raises ConfigError."""

    async def connect(stack: AsyncExitStack) -> Client:
        address, _host = await access.reach(_CONNECT_S)
        client = _Client(address, timeout=_CONNECT_S, asynchronous=True, set_as_default=False, name=NAME)  # type: ignore[no-untyped-call]
        try:
            return await stack.enter_async_context(client)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise access.explain(error) from None

    return _open(connect, access.given, access.settings())


@contextmanager
def _open(connect: Connect, name: str, settings: Mapping[str, Any]) -> Iterator[Cluster]:
    """Connect to a cluster, and close the connection at the end, which takes a limited time."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with dask.config.set({**SETTINGS, **settings}), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Creating scratch directories is taking")  # on a busy disk
            warnings.filterwarnings("ignore", "Sending large graph")  # the files of a bot
            warnings.simplefilter("ignore", VersionMismatchWarning)  # `doctor --cluster` lists what matters
            loop = Loop()
            stack = AsyncExitStack()
            opened = loop.start(connect(stack))
            try:
                yield Cluster(opened.result(), name, loop)
            finally:
                with suppress(Exception):
                    opened.result(_OPEN_S)  # at Ctrl-C: half a cluster cannot be closed
                with suppress(Exception):
                    loop.start(stack.aclose()).result(_CLOSE_S)
    finally:
        logging.disable(before)

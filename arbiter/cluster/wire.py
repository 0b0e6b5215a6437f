"""Wire: orders to the workers of a run, and their reports, over the connections of Dask.

Dask needs about two milliseconds of processor time for a task.  So games are not tasks: each worker has one task that
lasts as long as the run, and its games are messages on the connections that Dask has anyway.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from distributed import Scheduler
from distributed.comm.core import CommClosedError
from distributed.diagnostics.plugin import SchedulerPlugin

from arbiter import __version__
from arbiter.cluster.connect import Cluster
from arbiter.cluster.messages import Order, encode
from arbiter.errors import ConfigError

ORDERS: Final = "arbiter-orders"
"""Operation of the messages to the scheduler and to the workers."""
REPORTS: Final = "arbiter-reports"
"""Operation of the messages of the workers to the scheduler."""
_PAUSE_S: Final = 0.005  # reports that arrive this soon after others are collected

Reports = Sequence[tuple[str, bytes]]
"""Encoded reports, each with the address of its worker."""


class Relay(SchedulerPlugin):
    """Passes on the orders and reports of one run, until the connection with its coordinator ends."""

    def __init__(self, run: str, client: str) -> None:
        """Serve a run; `client` is the id of its coordinator in Dask."""
        self.name = self.run = run
        self.receive: Callable[[Reports], object] | None = None
        """Called with the reports, if the coordinator is in the process of the scheduler."""
        self._client = client
        self._reports: list[tuple[str, bytes]] = []
        self._sent = 0.0

    async def start(self, scheduler: Scheduler) -> None:
        """Serve a scheduler: receive orders from clients, and reports from workers."""
        self._scheduler = scheduler

        def forward(run: str, orders: Mapping[str, Sequence[bytes]], client: str) -> None:
            if isinstance(relay := scheduler.plugins.get(run), Relay):
                relay.forward(orders)

        def collect(run: str, reports: bytes, worker: str) -> None:
            if isinstance(relay := scheduler.plugins.get(run), Relay):
                relay.collect(worker, reports)

        # They stay: an unknown message ends a connection.
        scheduler.stream_handlers |= {ORDERS: forward, REPORTS: collect}

    def forward(self, orders: Mapping[str, Sequence[bytes]]) -> None:
        """Send orders, given by the addresses of their workers, in the event loop of the scheduler."""
        messages = {worker: [{"op": ORDERS, "run": self.run, "orders": own}] for worker, own in orders.items()}
        self._scheduler.send_all({}, messages)

    def collect(self, worker: str, reports: bytes) -> None:
        """Pass on reports of a worker at once, or soon with those of others if there are many."""
        self._reports.append((worker, reports))
        if len(self._reports) == 1:
            pause = self._sent + _PAUSE_S - time.monotonic()
            if pause <= 0:
                self._send_reports()
            else:
                self._scheduler.loop.call_later(pause, self._send_reports)

    def _send_reports(self) -> None:
        self._sent = time.monotonic()
        reports, self._reports = self._reports, []
        if self.receive is not None:
            self.receive(reports)
        else:  # as an event of the run, but one that the scheduler does not keep
            event = {"op": "event", "topic": self.run, "event": (0.0, reports)}
            self._scheduler.send_all({self._client: [event]}, {})

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        """End with the coordinator."""
        if client == self._client:
            scheduler.remove_plugin(self.name)


# --- the part of the coordinator ------------------------------------------------------------------


Receive = Callable[[Reports], object]
"""Receives reports in a thread of Dask."""


class Wire:
    """Connection of a coordinator with its workers, through the scheduler.

    Orders to one worker arrive in the order in which they were sent, and so do its reports.  Orders that are made at
    about the same time are sent together.
    """

    def __init__(self, cluster: Cluster) -> None:
        """Prepare the scheduler.  It may block for a while.  Raises ConfigError."""
        self._cluster = cluster
        self._client: Any = cluster.client  # Dask declares its loop as optional
        self._lock = threading.Lock()
        self._waiting: dict[str, list[bytes]] = {}
        self._relay: Relay | None = None
        """The relay, if the scheduler is in this process."""
        relay = Relay(cluster.run, self._client.id)
        if cluster.scheduler is not None:
            self._relay = relay
            self._client.sync(cluster.scheduler.register_scheduler_plugin, relay, idempotent=False)
            return
        try:
            self._client.register_plugin(relay, name=cluster.run)
        except ImportError:
            raise ConfigError(
                f"{cluster.name}: the scheduler has no arbiter; install stratego-arbiter {__version__} there, and "
                "start it again"
            ) from None
        except (ValueError, OSError, CommClosedError) as error:
            raise ConfigError(f"{cluster.name}: the scheduler does not pass on orders: {error}") from None

    def listen(self, receive: Receive) -> None:
        """Receive reports from now on, until this is closed."""
        if self._relay is not None:
            self._relay.receive = receive
        else:
            self._client.subscribe_topic(self._cluster.run, lambda event: receive(event[1]))

    def close(self) -> None:
        """Receive no more reports."""
        if self._relay is not None:
            self._relay.receive = None
        else:
            self._client.unsubscribe_topic(self._cluster.run)

    def send(self, address: str, order: Order) -> None:
        """Send an order to a worker soon."""
        data = encode(order)
        with self._lock:
            is_first = not self._waiting
            self._waiting.setdefault(address, []).append(data)
        if is_first:
            self._client.loop.add_callback(self._send_all)

    def _send_all(self) -> None:
        """Send all orders, in the event loop of Dask."""
        with self._lock:
            orders, self._waiting = self._waiting, {}
        if self._relay is not None:
            self._relay.forward(orders)
        elif self._client.status == "running":  # otherwise the coordinator notices that the connection is lost
            self._client._send_to_scheduler({"op": ORDERS, "run": self._cluster.run, "orders": orders})

"""Relay: part of the scheduler that passes on the orders of a coordinator to its workers, and their reports.

Dask needs about two milliseconds of processor time for a task.  So games are not tasks: each worker has one task that
lasts as long as the run, and its games are messages on the connections that Dask has anyway.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from distributed import Scheduler
from distributed.diagnostics.plugin import SchedulerPlugin

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
        """Receive orders from clients, and reports from workers."""
        self.attach(scheduler)

    def attach(self, scheduler: Scheduler) -> None:
        """Serve a scheduler."""
        self._scheduler = scheduler
        # They stay: an unknown message ends a connection.
        scheduler.stream_handlers[ORDERS] = partial(_forward, scheduler)
        scheduler.stream_handlers[REPORTS] = partial(_collect, scheduler)

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


def _collect(scheduler: Scheduler, run: str, reports: bytes, worker: str) -> None:
    relay = scheduler.plugins.get(run)
    if isinstance(relay, Relay):
        relay.collect(worker, reports)


def _forward(scheduler: Scheduler, run: str, orders: Mapping[str, Sequence[bytes]], client: str) -> None:
    relay = scheduler.plugins.get(run)
    if isinstance(relay, Relay):
        relay.forward(orders)

"""Relay: part of the scheduler that passes the orders of a coordinator on to its workers.

Dask needs about two milliseconds of processor time for a task.  So games are no tasks: each worker has one task that
lasts as long as the run, and its games are messages on the connections that Dask has anyway.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from distributed import Scheduler
from distributed.diagnostics.plugin import SchedulerPlugin

ORDERS: Final = "arbiter-orders"
"""Operation of the messages to the scheduler and to the workers."""


class Relay(SchedulerPlugin):
    """Passes on the orders of one run, until the connection with its coordinator ends."""

    def __init__(self, run: str, client: str) -> None:
        """Serve a run; `client` is the id of its coordinator in Dask."""
        self.name = self.run = run
        self.receive: Callable[[Any], object] | None = None
        """Called with each event of the run, if the coordinator is in the process of the scheduler."""
        self._client = client

    async def start(self, scheduler: Scheduler) -> None:
        """Receive orders from clients."""
        self.attach(scheduler)

    def attach(self, scheduler: Scheduler) -> None:
        """Serve a scheduler."""
        self._scheduler = scheduler
        scheduler.stream_handlers[ORDERS] = partial(_forward, scheduler)  # stays: an unknown message ends a connection

    def forward(self, orders: Mapping[str, Sequence[bytes]]) -> None:
        """Send orders, given by the addresses of their workers, in the event loop of the scheduler."""
        messages = {worker: [{"op": ORDERS, "run": self.run, "orders": own}] for worker, own in orders.items()}
        self._scheduler.send_all({}, messages)

    def log_event(self, topic: str, msg: Any) -> None:  # noqa: ANN401 - other topics have other messages
        """Pass on an event of the run."""
        if self.receive is not None and topic == self.run:
            self.receive(msg)

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        """End with the coordinator."""
        if client == self._client:
            scheduler.remove_plugin(self.name)


def _forward(scheduler: Scheduler, run: str, orders: Mapping[str, Sequence[bytes]], client: str) -> None:
    relay = scheduler.plugins.get(run)
    if isinstance(relay, Relay):
        relay.forward(orders)

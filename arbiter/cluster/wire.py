"""Wire: orders to the workers of a run, and their reports, over the connections of Dask."""

import threading
from collections.abc import Callable
from typing import Any

from distributed import Scheduler
from distributed.comm.core import CommClosedError

from arbiter import __version__
from arbiter.cluster.connect import Cluster
from arbiter.cluster.messages import Order, encode
from arbiter.cluster.relay import ORDERS, Relay, Reports
from arbiter.errors import ConfigError

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
            self._client.sync(_add, cluster.scheduler, relay)
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


async def _add(scheduler: Scheduler, relay: Relay) -> None:
    relay.attach(scheduler)
    scheduler.add_plugin(relay)

"""Simulated workers of Dask, a thousand of them in one process: they wait instead of playing.

To the scheduler they are ordinary workers: each has a connection of its own, and sends heartbeats as often as a worker
does.  But they speak the protocol of Dask directly on their sockets, because the workers of Dask themselves would need
more processor time than everything that is measured.
"""

import asyncio
import os
import pickle
import struct
import sys
import time
import zlib
from typing import Any, Final

import msgpack
from distributed.scheduler import heartbeat_interval
from distributed.versions import get_versions

from arbiter.cluster.messages import Assignment, GameBegan, GameReport, decode_order, encode, report_played
from arbiter.cluster.wire import ORDERS, REPORTS
from arbiter.record import GameResult, RecordWriter
from arbiter.referee.game import PlayedGame
from arbiter.tournament.execution.executor import Played
from arbiter.tournament.machine import PlayingConditions, observe_conditions
from arbiter.transcript import GameLog

_LENGTH: Final = struct.Struct("Q")
_START: Final = struct.Struct("QQQ")  # bytes of the rest, number of frames, bytes of the only frame
_FIRST_PORT: Final = 10_000  # of their addresses, at which nobody calls
_HANDSHAKE: Final = {"compression": None, "python": sys.version_info[:3], "pickle-protocol": pickle.HIGHEST_PROTOCOL}
_METRICS: Final = {
    "task_counts": {},
    "bandwidth": {"total": 100_000_000, "workers": {}, "types": {}},
    "digests_total_since_heartbeat": {"latency": 0.01},
    "managed_bytes": 0,
    "spilled_bytes": {"memory": 0, "disk": 0},
    "transfer": {
        "incoming_bytes": 0,
        "incoming_count": 0,
        "incoming_count_total": 0,
        "outgoing_bytes": 0,
        "outgoing_count": 0,
        "outgoing_count_total": 0,
    },
    "event_loop_interval": 0.02,
    "cpu": 2.0,
    "memory": 100_000_000,
    "time": 0.0,
    "host_net_io": {"read_bps": 0.0, "write_bps": 0.0},
    "host_disk_io": {"read_bps": 0.0, "write_bps": 0.0},
    "num_fds": 20,
}


def find_duration(game_id: str, seconds: float) -> float:
    """Return the duration of a game: the longest is three times as long as the shortest."""
    return seconds * (0.5 + zlib.crc32(game_id.encode()) / 2**32)


class _Connection(asyncio.Protocol):
    """A connection to the scheduler, with messages of one frame in each direction."""

    def __init__(self) -> None:
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.send(_HANDSHAKE)

    def connection_lost(self, exc: Exception | None) -> None:
        """End with the scheduler."""
        del exc
        asyncio.get_running_loop().stop()

    def data_received(self, data: bytes) -> None:
        """Read whole messages."""
        self._received += data
        while len(self._received) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._received)[0]
            if len(self._received) < end:
                break
            content = bytes(self._received[_START.size : end])
            del self._received[:end]
            self.receive(msgpack.loads(content, use_list=False, strict_map_key=False))

    def receive(self, message: Any) -> None:  # noqa: ANN401 - whatever the scheduler sends
        """Receive a message."""

    def send(self, message: object) -> None:
        """Send a message."""
        content = msgpack.dumps(message)
        self._transport.write(_START.pack(2 * _LENGTH.size + len(content), 1, len(content)) + content)


class _SimulatedWorker(_Connection):
    """A worker that waits as long as its games would take, one after the other, and reports them."""

    def __init__(
        self, number: int, seconds: float, registration: dict[str, Any], conditions: PlayingConditions
    ) -> None:
        super().__init__()
        self.address = f"tcp://127.0.0.1:{_FIRST_PORT + number}"
        self._seconds = seconds
        self._conditions = conditions
        self._registration = registration | {"address": self.address, "name": self.address, "server_id": self.address}
        self._games: list[Assignment] = []
        """The game in progress, and those that wait."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register."""
        super().connection_made(transport)
        self.send(self._registration)

    def receive(self, message: Any) -> None:  # noqa: ANN401 - whatever the scheduler sends
        """Receive orders."""
        for one in message if isinstance(message, tuple) else ():
            if one["op"] == ORDERS:
                for order in map(decode_order, one["orders"]):
                    assert isinstance(order, Assignment)
                    self._games.append(order)
                    if len(self._games) == 1:
                        self._report(one["run"], self._begin(one["run"]))

    def _begin(self, run: str) -> GameBegan:
        game = self._games[0]
        duration = find_duration(game.fixture.id, self._seconds)
        asyncio.get_running_loop().call_later(duration, self._end, run)
        return GameBegan(game.key)

    def _end(self, run: str) -> None:
        assignment = self._games.pop(0)
        unfinished = RecordWriter(assignment.header).unfinished()
        game = PlayedGame(result=GameResult(winner="red", ending="flag_taken", plies=0), unfinished=unfinished)
        report = report_played(assignment.key, Played(game, self._conditions), GameLog(), {})
        self._report(run, report, *([self._begin(run)] if self._games else []))

    def _report(self, run: str, *reports: GameReport) -> None:
        self.send([{"op": REPORTS, "run": run, "reports": encode(reports)}])


def run_workers(address: str, count: int, seconds: float) -> None:
    """Run workers whose games take `seconds` on average, in this process, until the scheduler ends."""
    asyncio.run(_run(address, count, seconds))


async def _run(address: str, count: int, seconds: float) -> None:
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    loop = asyncio.get_running_loop()
    conditions = observe_conditions(1, 0.0, {}, "process")
    registration = {
        "op": "register-worker",
        "reply": False,
        "status": "running",
        "nthreads": 1,
        "now": time.time(),
        "resources": {},
        "memory_limit": None,
        "local_directory": "",
        "services": {},
        "nanny": None,
        "pid": os.getpid(),
        "versions": get_versions(),
        "metrics": _METRICS,
        "extra": {},
        "stimulus_id": "registration",
    }
    workers = [_SimulatedWorker(number, seconds, registration, conditions) for number in range(count)]
    for worker in workers:
        await loop.create_connection(lambda worker=worker: worker, host, int(port))
    _, heart = await loop.create_connection(_Connection, host, int(port))
    while True:
        for worker in workers:
            await asyncio.sleep(heartbeat_interval(count) / count)
            heart.send(
                {
                    "op": "heartbeat_worker",
                    "reply": True,
                    "address": worker.address,
                    "now": time.time(),
                    "metrics": _METRICS,
                    "executing": {},
                    "extensions": {},
                }
            )

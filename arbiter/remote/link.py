"""The link between the gateway, which has the connections of remote programs, and the process that plays their games.

Times are those of `time.perf_counter`, which all processes of a machine share.
"""

import socket
from collections import deque
from typing import Any, Final, Generic, TypeVar

import msgspec
import trio
from msgspec import Struct

from protocol.envelope import PlayProgress

_CHUNK: Final = 1 << 16
_PREFIX: Final = 4  # bytes with the length of a message


class Connected(Struct, frozen=True, tag=1, array_like=True):
    """A program has logged in; a connection that it had before is replaced."""

    bot: str
    connection: int
    games: list[PlayProgress]
    most_games: int
    """Number of games that it plays at a time."""


class Received(Struct, frozen=True, tag=2, array_like=True):
    """A message has arrived from a program."""

    bot: str
    connection: int
    message: bytes
    at: float


class Measured(Struct, frozen=True, tag=3, array_like=True):
    """A program has answered a ping."""

    bot: str
    connection: int
    round_trip_ms: float
    """A low percentile of the latest round trips."""


class Lost(Struct, frozen=True, tag=4, array_like=True):
    """A connection was lost."""

    bot: str
    connection: int
    at: float


class Stalled(Struct, frozen=True, tag=5, array_like=True):
    """The gateway has stalled."""

    begin: float
    end: float


class Alive(Struct, frozen=True, tag=6, array_like=True):
    """The gateway works, and has reported all that arrived before."""

    number: int
    """The number of the question."""


class Send(Struct, frozen=True, tag=11, array_like=True):
    """Send a message to a program."""

    connection: int
    message: bytes


class Close(Struct, frozen=True, tag=12, array_like=True):
    """Close a connection."""

    connection: int
    code: int
    why: str


class AskAlive(Struct, frozen=True, tag=13, array_like=True):
    """Ask if the gateway works."""

    number: int


Report = Connected | Received | Measured | Lost | Stalled | Alive
"""A message of the gateway."""
Order = Send | Close | AskAlive
"""A message to the gateway."""

_Incoming = TypeVar("_Incoming")


class Link(Generic[_Incoming]):
    """One end of the link.  Sending never waits; a task must run `carry`."""

    def __init__(self, end: socket.socket, incoming: Any) -> None:  # noqa: ANN401 - a union is no type
        """Take over a connected socket; `incoming` is the kind of messages that arrive."""
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(incoming)
        end.settimeout(0)
        self._socket = end
        self._buffer = bytearray()
        self._received: deque[_Incoming] = deque()
        self._unsent = bytearray()
        self._has_unsent = trio.Event()

    def send(self, message: Report | Order) -> None:
        """Send a message, now or as soon as the other end reads."""
        data = self._encoder.encode(message)
        self._unsent += len(data).to_bytes(_PREFIX, "big") + data
        if not self._has_unsent.is_set():
            self._send_now()

    def _send_now(self) -> None:
        try:
            sent = self._socket.send(self._unsent)
            del self._unsent[:sent]
        except BlockingIOError:
            pass
        except OSError:  # the other end has ended; `receive` reports it
            self._unsent.clear()
        if self._unsent:
            self._has_unsent.set()

    async def carry(self) -> None:
        """Send what waits until the other end reads it; this lasts until it is cancelled."""
        while True:
            await self._has_unsent.wait()
            await trio.lowlevel.wait_writable(self._socket)
            self._has_unsent = trio.Event()
            self._send_now()

    async def receive(self) -> _Incoming | None:
        """Wait for a message; return None if the other end has ended."""
        while not self._received:
            await trio.lowlevel.wait_readable(self._socket)
            try:
                data = self._socket.recv(_CHUNK)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                return None
            self._buffer += data
            start = 0
            while len(self._buffer) - start >= _PREFIX:
                end = start + _PREFIX + int.from_bytes(self._buffer[start : start + _PREFIX], "big")
                if len(self._buffer) < end:
                    break
                self._received.append(self._decoder.decode(memoryview(self._buffer)[start + _PREFIX : end]))
                start = end
            del self._buffer[:start]
        return self._received.popleft()

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

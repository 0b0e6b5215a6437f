"""A WebSocket as an ASGI connection: a bounded queue, one task that writes with a time limit, and pings."""

from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import trio
from starlette.types import ASGIApp, Message
from wsproto.connection import Connection, ConnectionState, ConnectionType
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Pong,
    RejectConnection,
    TextMessage,
)
from wsproto.handshake import H11Handshake
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

MOST_MESSAGE: Final = 1 << 16  # bytes of a message from the client
MOST_WAITING: Final = 4 << 20  # bytes for a client that reads slowly
PING_EVERY_S: Final = 3.0  # if the client is silent
SILENCE_S: Final = 9.0  # after which it is gone
WRITE_TIMEOUT_S: Final = 10.0  # for each part of what waits
CLOSE_TIMEOUT_S: Final = 1.0
_CHUNK: Final = 1 << 12  # bytes that are read before other connections get their turn
_PART: Final = 1 << 16  # bytes
_NORMAL: Final = 1000
_GOING_AWAY: Final = 1001
_TOO_BIG: Final = 1009
_ABNORMAL: Final = 1006  # never sent


class TooManyWaiting(Exception):
    """The client reads too slowly: more than MOST_WAITING bytes wait for it."""


class WebSocket:
    """One WebSocket, from the request for it to its end.

    The application must keep receiving: the client is found to be gone while the application waits for a message.
    """

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._handshake = H11Handshake(ConnectionType.SERVER)
        self._protocol: Connection | None = None
        """None until the application has accepted."""
        self._first: Message | None = {"type": "websocket.connect"}
        self._extra = b""
        self._parts: list[Any] = []
        self._size = 0
        self._is_over = False
        self._unsent = bytearray()
        self._has_unsent = trio.Event()
        self._code = _ABNORMAL

    async def run(self, app: ASGIApp, scope: Mapping[str, Any], extra: bytes) -> None:
        """Let the application talk until either side ends it; `extra` is what the client has sent after the request.

        Raises what the application raises.
        """
        try:
            self._handshake.initiate_upgrade_connection(scope["headers"], scope["raw_path"])
        except RemoteProtocolError as error:
            refusal = error.event_hint if isinstance(error.event_hint, RejectConnection) else RejectConnection()
            await self._stream.send_all(self._handshake.send(refusal))
            return
        self._extra = extra
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write)
            await app({**scope, "type": "websocket", "subprotocols": []}, self.receive, self.send)
            self._end(CloseConnection(_GOING_AWAY))
        with trio.move_on_after(CLOSE_TIMEOUT_S):  # without an answer, the client may lose the last frame
            while self._protocol is None or self._protocol.state is not ConnectionState.CLOSED:
                if not (data := await self._stream.receive_some(_CHUNK)):
                    break
                if self._protocol is not None:
                    self._protocol.receive_data(bytes(data))
                    deque(self._protocol.events(), maxlen=0)

    async def receive(self) -> Message:
        """Return the next message of the client, or that it is gone."""
        if self._first is not None:
            message, self._first = self._first, None
            return message
        silent_s = 0.0
        while not self._is_over and self._protocol is not None:
            for event in self._protocol.events():
                if (found := self._take(event)) is not None:
                    return found
            if self._is_over:
                break
            data: bytes | bytearray | None = None
            with trio.move_on_after(PING_EVERY_S):
                data = await self._stream.receive_some(_CHUNK)
            if data:
                silent_s = 0.0
                self._protocol.receive_data(bytes(data))
            elif data is None and silent_s + PING_EVERY_S < SILENCE_S:
                silent_s += PING_EVERY_S
                self._send(Ping())
            else:
                break
        self._is_over = True
        self._has_unsent.set()
        return {"type": "websocket.disconnect", "code": self._code}

    def _take(self, event: Event) -> Message | None:
        """Take an event of the protocol; return the message that it completes."""
        match event:
            case TextMessage() | BytesMessage():
                self._size += len(event.data) + 1  # frames without data are not free
                if self._size > MOST_MESSAGE:
                    self._end(CloseConnection(_TOO_BIG, "the message is too long"))
                    return None
                self._parts.append(event.data)
                if event.message_finished:
                    parts, self._parts = self._parts, []
                    self._size = 0
                    whole = {"text": "".join(parts)} if isinstance(event, TextMessage) else {"bytes": b"".join(parts)}
                    return {"type": "websocket.receive", **whole}
            case Ping():
                self._send(event.response())
            case Pong():
                pass
            case CloseConnection():
                self._code = event.code
                self._end(event.response())
        return None

    async def send(self, message: Message) -> None:
        """Queue a message of the application.  Raises TooManyWaiting."""
        match message["type"]:
            case "websocket.accept":
                self._queue(self._handshake.send(AcceptConnection()))
                self._protocol = self._handshake.connection
                assert self._protocol is not None  # noqa: S101 - it is accepted
                self._protocol.receive_data(self._extra)
                del self._handshake, self._extra
            case "websocket.send":
                text = message.get("text")
                self._send(BytesMessage(message["bytes"]) if text is None else TextMessage(text))
            case "websocket.close":
                self._end(CloseConnection(message.get("code", _NORMAL), message.get("reason") or None))

    def _end(self, event: CloseConnection) -> None:
        """Send the last frame; what the client still sends is not taken."""
        if self._is_over:
            return
        if self._protocol is None:
            self._queue(self._handshake.send(RejectConnection(status_code=403)))
        else:
            self._send(event)
        self._is_over = True
        self._has_unsent.set()

    def _send(self, event: Event) -> None:
        if self._protocol is not None and not self._is_over:
            with suppress(LocalProtocolError):  # the client has closed it
                self._queue(self._protocol.send(event))

    def _queue(self, data: bytes) -> None:
        if len(self._unsent) + len(data) > MOST_WAITING:
            raise TooManyWaiting
        self._unsent += data
        self._has_unsent.set()

    async def _write(self) -> None:
        """Write what waits, until the end.  Raises TooSlowError if the client does not read."""
        while self._unsent or not self._is_over:
            await self._has_unsent.wait()
            self._has_unsent = trio.Event()
            data, self._unsent = self._unsent, bytearray()
            for start in range(0, len(data), _PART):
                with trio.fail_after(WRITE_TIMEOUT_S):
                    await self._stream.send_all(data[start : start + _PART])

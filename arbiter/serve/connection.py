"""HTTP/1.1 for an ASGI application: one request and one response for each connection, or one WebSocket.

Clients are untrusted, so only what is needed is supported: no second request, and request bodies up to a limit.
"""

from contextlib import suppress
from typing import Any, Final
from urllib.parse import unquote

import h11
import trio
from msgspec import Struct
from starlette.types import ASGIApp, Message

from arbiter.serve.places import find_network
from arbiter.serve.websocket import TooManyWaiting, WebSocket

REQUEST_TIMEOUT_S: Final = 5.0  # for the whole head, and for the handshake of TLS; then for each part of the body
CLOSE_TIMEOUT_S: Final = 1.0
WRITE_TIMEOUT_S: Final = 20.0  # for each chunk of the response
MOST_BODY: Final = 1 << 20  # bytes of the body of a request
ALLOW_BODY: Final = "arbiter.allow_body"  # in the scope: a function with which the application accepts a longer body
_CHUNK: Final = 1 << 16  # bytes
_LONGEST_REQUEST: Final = 1 << 14  # bytes
_CLOSE: Final = (b"connection", b"close")

# The client has closed the connection, is too slow, or does not speak TLS, HTTP or WebSocket.
_CLIENT_ERRORS: Final = (
    OSError,
    trio.BrokenResourceError,
    trio.ClosedResourceError,
    trio.TooSlowError,
    h11.ProtocolError,
    TooManyWaiting,
)


class Peer(Struct, frozen=True):
    """The other end of a connection."""

    address: str = ""
    is_encrypted: bool = False
    """True if this server has decrypted the connection."""
    is_proxy: bool = False
    """True for the proxy that the operator has named: the client is the one that it reports."""


async def handle_connection(app: ASGIApp, stream: trio.abc.Stream, peer: Peer = Peer()) -> None:  # noqa: B008 - frozen
    """Read a request, let the application respond and close.  Raises what the application raises."""
    try:
        await _Connection(stream, peer).respond(app)
    except* _CLIENT_ERRORS:
        pass
    finally:
        with trio.move_on_after(CLOSE_TIMEOUT_S), suppress(trio.BrokenResourceError):
            await stream.aclose()


class _BodyTooLong(Exception):
    """The body of a request exceeds MOST_BODY."""


class _Connection:
    def __init__(self, stream: trio.abc.Stream, peer: Peer) -> None:
        self._stream = stream
        self._peer = peer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_LONGEST_REQUEST)
        self._sends_body = True  # not in answer to HEAD
        self._body_left = MOST_BODY
        self._has_whole_request = False

    async def respond(self, app: ASGIApp) -> None:
        try:
            with trio.fail_after(REQUEST_TIMEOUT_S):
                if isinstance(self._stream, trio.SSLStream):
                    await self._stream.do_handshake()
                request = await self._next_event()
            if not isinstance(request, h11.Request):
                return
            scope = self._make_scope(request)
            if any(name == b"upgrade" and value.lower() == b"websocket" for name, value in request.headers):
                if request.method != b"GET" or not isinstance(self._http.next_event(), h11.EndOfMessage):
                    raise h11.RemoteProtocolError("a request for a WebSocket is a GET without a body")
                await WebSocket(self._stream).run(app, scope, self._http.trailing_data[0])
                return
            self._sends_body = request.method != b"HEAD"
            await app(scope, self.receive, self.send)
        except h11.RemoteProtocolError as error:
            await self._refuse(error.error_status_hint)
        except _BodyTooLong:
            await self._refuse(413)

    def _make_scope(self, request: h11.Request) -> dict[str, Any]:
        path, _, query = request.target.partition(b"?")
        fields = dict(request.headers)
        client, scheme = self._peer.address, "https" if self._peer.is_encrypted else "http"
        if self._peer.is_proxy:  # what it appends is the last entry; those before it are the client's own claims
            client = fields.get(b"x-forwarded-for", b"").decode("latin-1").rpartition(",")[2].strip() or client
            scheme = "https" if fields.get(b"x-forwarded-proto") == b"https" else "http"

        def allow_body(most: int) -> None:
            """Accept a body of up to `most` bytes; the application calls it before it reads the body."""
            self._body_left = most

        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.1"},
            "http_version": request.http_version.decode(),
            "method": request.method.decode(),
            "scheme": scheme,
            "path": unquote(path.decode()),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": list(request.headers),
            "client": (find_network(client), 0),
            "server": None,
            ALLOW_BODY: allow_body,
        }

    async def _next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                await self._write(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(bytes(await self._stream.receive_some(_CHUNK)))
        return event

    async def receive(self) -> Message:
        """Return the next part of the body; after it, wait until the client closes the connection or sends more."""
        if self._has_whole_request:
            await self._stream.receive_some(1)
            return {"type": "http.disconnect"}
        with trio.fail_after(REQUEST_TIMEOUT_S):
            event = await self._next_event()
        if isinstance(event, h11.Data):
            self._body_left -= len(event.data)
            if self._body_left < 0:
                raise _BodyTooLong
            return {"type": "http.request", "body": bytes(event.data), "more_body": True}
        self._has_whole_request = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._write(h11.Response(status_code=message["status"], headers=[*message["headers"], _CLOSE]))
            return
        if self._sends_body and (body := message.get("body", b"")):
            await self._write(h11.Data(data=body))
        if not message.get("more_body", False):
            await self._write(h11.EndOfMessage())

    async def _refuse(self, status: int) -> None:
        """Answer with a status and no body, unless the response has begun."""
        if self._http.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            await self._write(h11.Response(status_code=status, headers=[_CLOSE, (b"content-length", b"0")]))

    async def _write(self, event: h11.Event) -> None:
        data = memoryview(self._http.send(event) or b"")
        for start in range(0, len(data), _CHUNK):
            with trio.fail_after(WRITE_TIMEOUT_S):
                await self._stream.send_all(data[start : start + _CHUNK])

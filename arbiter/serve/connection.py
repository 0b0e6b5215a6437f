"""HTTP/1.1 for an ASGI application: one request and one response for each connection.

Clients are untrusted, so only what a browser needs is supported: no request body, no second request, no upgrade to
another protocol.
"""

from typing import Final
from urllib.parse import unquote

import h11
import trio
from starlette.types import ASGIApp, Message

REQUEST_TIMEOUT_S: Final = 5.0  # for the whole request
WRITE_TIMEOUT_S: Final = 20.0  # for each chunk of the response
_CHUNK: Final = 1 << 16  # bytes
_LONGEST_REQUEST: Final = 1 << 14  # bytes
_CLOSE: Final = (b"connection", b"close")

# The client has closed the connection, is too slow, or does not speak HTTP.
_CLIENT_ERRORS: Final = (
    OSError,
    trio.BrokenResourceError,
    trio.ClosedResourceError,
    trio.TooSlowError,
    h11.ProtocolError,
)


async def handle_connection(app: ASGIApp, stream: trio.abc.Stream) -> None:
    """Read a request, send the response of the application and close.  Raises what the application raises."""
    async with stream:
        try:
            await _Connection(stream).respond(app)
        except* _CLIENT_ERRORS:
            pass


class _Connection:
    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_LONGEST_REQUEST)
        self._sends_body = True  # not in answer to HEAD

    async def respond(self, app: ASGIApp) -> None:
        try:
            with trio.fail_after(REQUEST_TIMEOUT_S):
                while (request := self._http.next_event()) is h11.NEED_DATA:
                    self._http.receive_data(bytes(await self._stream.receive_some(_CHUNK)))
        except h11.RemoteProtocolError as error:
            headers = [_CLOSE, (b"content-length", b"0")]
            await self._write(h11.Response(status_code=error.error_status_hint, headers=headers))
            return
        if not isinstance(request, h11.Request):
            return
        self._sends_body = request.method != b"HEAD"
        path, _, query = request.target.partition(b"?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.1"},
            "http_version": request.http_version.decode(),
            "method": request.method.decode(),
            "scheme": "http",
            "path": unquote(path.decode()),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": list(request.headers),
            "client": None,
            "server": None,
        }
        await app(scope, self.receive, self.send)

    async def receive(self) -> Message:
        """Wait until the client closes the connection or sends anything else."""
        await self._stream.receive_some(1)
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._write(h11.Response(status_code=message["status"], headers=[*message["headers"], _CLOSE]))
            return
        if self._sends_body and (body := message.get("body", b"")):
            await self._write(h11.Data(data=body))
        if not message.get("more_body", False):
            await self._write(h11.EndOfMessage())

    async def _write(self, event: h11.Event) -> None:
        data = memoryview(self._http.send(event) or b"")
        for start in range(0, len(data), _CHUNK):
            with trio.fail_after(WRITE_TIMEOUT_S):
                await self._stream.send_all(data[start : start + _CHUNK])

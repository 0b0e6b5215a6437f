"""A call of whoever likes to: one question, one answer, in HTTP/1.1 and nothing else; knows no page.

Strangers call, so no more is understood than a browser needs: no body, no second question, no other protocol.
"""

from typing import Any, Final
from urllib.parse import unquote

import h11
import trio
from starlette.types import ASGIApp, Message, Scope

ASKING_S: Final = 5.0  # who has not asked by then is let go
TAKING_S: Final = 20.0  # and who does not take a piece of his answer in that time
_PIECE: Final = 1 << 16  # bytes
_LONGEST: Final = 1 << 14  # bytes of a question

# Who called no longer listens, is too slow, or speaks no HTTP.
_Lost: Final = (OSError, trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError, h11.ProtocolError)


async def take_call(app: ASGIApp, stream: trio.abc.Stream) -> None:
    """Hear what is asked, let an application answer it, and hang up; raises what the application raises."""
    async with stream:
        try:
            await _Call(stream).answer(app)
        except* _Lost:
            pass


class _Call:
    """One call."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_LONGEST)
        self._is_for_head = False

    async def answer(self, app: ASGIApp) -> None:
        try:
            asked = await self._asked()
        except h11.RemoteProtocolError as error:
            await self._say(
                h11.Response(status_code=error.error_status_hint, headers=[_LAST, (b"content-length", b"0")])
            )
            return
        if asked is not None:
            self._is_for_head = asked.method == b"HEAD"
            await app(_scope(asked), self._hung_up, self._send)

    async def _asked(self) -> h11.Request | None:
        with trio.fail_after(ASKING_S):
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._http.receive_data(bytes(await self._stream.receive_some(_PIECE)))
        return event if isinstance(event, h11.Request) else None

    async def _hung_up(self) -> Message:
        """Wait until whoever called hangs up, or says more than he should."""
        await self._stream.receive_some(1)
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._say(h11.Response(status_code=message["status"], headers=[*message["headers"], _LAST]))
            return
        if body := b"" if self._is_for_head else message.get("body", b""):
            await self._say(h11.Data(data=body))
        if not message.get("more_body", False):
            await self._say(h11.EndOfMessage())

    async def _say(self, event: h11.Event) -> None:
        said = memoryview(self._http.send(event) or b"")
        for start in range(0, len(said), _PIECE):
            with trio.fail_after(TAKING_S):
                await self._stream.send_all(said[start : start + _PIECE])


_LAST: Final = (b"connection", b"close")


def _scope(asked: h11.Request) -> Scope:
    path, _, query = asked.target.partition(b"?")
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.1"},
        "http_version": asked.http_version.decode(),
        "method": asked.method.decode(),
        "scheme": "http",
        "path": unquote(path.decode()),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": list(asked.headers),
        "client": None,
        "server": None,
    }
    return scope

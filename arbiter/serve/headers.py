"""Headers of all responses: browsers run no scripts but those of the pages, and store nothing."""

from collections.abc import Callable
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_MAY_BE_EMBEDDED: Final = "X-Frame-Options"


class AddHeaders:
    """Middleware that adds headers to every response."""

    def __init__(self, app: ASGIApp, policy: str, may_embed: Callable[[Scope], bool] | None = None) -> None:
        """Use a Content Security Policy; other sites may embed the pages for which `may_embed` returns True."""
        self._app = app
        self._policy = policy
        self._may_embed = may_embed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                ancestors = "'none'"
                if self._may_embed is not None and self._may_embed(scope):
                    ancestors = "*"
                    del headers[_MAY_BE_EMBEDDED]
                headers["Content-Security-Policy"] = f"{self._policy}; frame-ancestors {ancestors}"
            await send(message)

        await self._app(scope, receive, send_with_headers)

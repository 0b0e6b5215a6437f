"""The common parts of all servers: limited connections, TLS, a proxy, and the headers of their responses."""

import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arbiter.errors import ConfigError
from arbiter.serve.connection import Peer, handle_connection
from arbiter.serve.places import PLACE, Places, Visitor, find_network

MOST_CONNECTIONS: Final = 200  # more take the places of others
HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_MAY_BE_EMBEDDED: Final = "X-Frame-Options"


class Front(Struct, frozen=True):
    """TLS and a proxy between the clients and the application."""

    tls: ssl.SSLContext | None = None
    proxy: str | None = None
    """Address of the proxy, which reports the addresses of its clients."""

    def open(self, stream: trio.SocketStream) -> tuple[trio.abc.Stream, Peer]:
        """Return the stream to talk on, and who is at its other end."""
        address = find_address(stream)
        peer = Peer(address, is_encrypted=self.tls is not None, is_proxy=address == self.proxy)
        if self.tls is None:
            return stream, peer
        return trio.SSLStream(stream, self.tls, server_side=True, https_compatible=True), peer


def find_address(stream: trio.SocketStream) -> str:
    """Return the address of the other end; "" if it has left already."""
    try:
        address: str = stream.socket.getpeername()[0]
    except OSError:
        return ""
    return address.removeprefix("::ffff:")  # of IPv4 at a socket of both


def load_tls(certificate: Path, key: Path) -> ssl.SSLContext:
    """Load the certificate of a server, with those between it and its authority, and its key.  Raises ConfigError."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except ssl.SSLError as error:
        raise ConfigError(
            f"--tls-cert {certificate}: cannot be used with --tls-key {key}: {error.reason or error}; both are PEM "
            "files, and the key belongs to the certificate"
        ) from None
    except OSError as error:
        raise ConfigError(f"--tls-cert {certificate}, --tls-key {key}: {error.strerror}") from None
    return context


class Server:
    """Handles a limited number of connections, which clients share; a request that fails does not affect others."""

    def __init__(self, app: ASGIApp, front: Front, most_connections: int | None = None) -> None:
        self._app = app
        self._front = front
        self._places = Places(most_connections or MOST_CONNECTIONS)
        self._has_failed = False

    async def handle(self, stream: trio.SocketStream) -> None:
        """Handle a connection; if there are too many, it takes the place of another one."""
        opened, peer = self._front.open(stream)
        try:
            with self._places.take(Visitor(find_network(peer.address))) as place:

                async def respond(scope: Scope, receive: Receive, send: Send) -> None:
                    place.move(Visitor(scope["client"][0]))  # behind a proxy, it is known only now
                    await self._app({**scope, PLACE: place}, receive, send)

                await handle_connection(respond, opened, peer)
        except Exception as error:  # noqa: BLE001 - a bug in one page must not end the server
            if not self._has_failed:  # the first is enough: a failure is likely to repeat
                sys.stderr.write(f"a request failed: {error!r}\n")
            self._has_failed = True


# --- headers --------------------------------------------------------------------------------------


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

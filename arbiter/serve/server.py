"""The web server; it runs in a process of its own with low priority, so that spectators do not slow down the games."""

import os
import resource
import socket
import ssl
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct
from starlette.types import ASGIApp

from arbiter.errors import ConfigError
from arbiter.serve.app import MOST_STREAMS, keep_updating, make_application
from arbiter.serve.connection import Peer, handle_connection
from arbiter.serve.live_games import SpectatorSettings
from arbiter.serve.pages import UPDATE_EVERY_S, Pages, ServedTournament

NICENESS: Final = 10
MOST_CONNECTIONS: Final = 200  # more are closed at once
MOST_DESCRIPTORS: Final = 256  # for the connections, and for the files that pages are made from
# Linux only.  With autogroups, niceness has no effect on other sessions; the kernel kills the process with the highest
# oom_score_adj first if memory runs out.
_LOW_PRIORITY_FILES: Final = {"/proc/self/autogroup": str(NICENESS), "/proc/self/oom_score_adj": "1000"}
_LAST_UPDATE_S: Final = 2 * UPDATE_EVERY_S
_LOCAL_HOSTS: Final = ("localhost", "127.0.0.1", "[::1]", "::1")


def is_local(listening: socket.socket) -> bool:
    """Return True if a socket can be reached only from this machine."""
    return ip_address(listening.getsockname()[0]).is_loopback


def lower_priority() -> None:
    """Give this process low priority for processors and memory, and limit its open files."""
    os.nice(NICENESS)
    for file, value in _LOW_PRIORITY_FILES.items():
        with suppress(OSError):
            Path(file).write_text(value, encoding="ascii")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(MOST_DESCRIPTORS, most), most))


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


async def serve(
    source: ServedTournament,
    settings: SpectatorSettings,
    listening: socket.socket,
    wait_for_end: Callable[[], Awaitable[object]] | None = None,
    front: Front = Front(),  # noqa: B008 - it is frozen
) -> None:
    """Serve the pages of a tournament until `wait_for_end` returns; forever without it."""
    pages = Pages(source, settings)
    streams = trio.CapacityLimiter(MOST_STREAMS)
    hosts = _LOCAL_HOSTS if is_local(listening) and front.proxy is None else ("*",)
    server = Server(make_application(pages, hosts, streams), front)
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(listening))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep_updating, pages, streams)
        nursery.start_soon(trio.serve_listeners, server.handle, [listener])
        if wait_for_end is not None:
            await wait_for_end()
            nursery.cancel_scope.cancel()


class Server:
    """Handles a limited number of connections at a time; a request that fails does not affect others."""

    def __init__(self, app: ASGIApp, front: Front, most_connections: int | None = None) -> None:
        self._app = app
        self._front = front
        self._connections = trio.CapacityLimiter(most_connections or MOST_CONNECTIONS)
        self._has_failed = False

    async def handle(self, stream: trio.SocketStream) -> None:
        """Handle a connection, or close it if there are too many."""
        try:
            self._connections.acquire_on_behalf_of_nowait(stream)
        except trio.WouldBlock:
            await stream.aclose()
            return
        try:
            await handle_connection(self._app, *self._front.open(stream))
        except Exception as error:  # noqa: BLE001 - a bug in one page must not end the server
            if not self._has_failed:  # the first is enough: a failure is likely to repeat
                sys.stderr.write(f"a request failed: {error!r}\n")
            self._has_failed = True
        finally:
            self._connections.release_on_behalf_of(stream)


async def wait_for_farewell() -> None:
    """Wait for FAREWELL on stdin, and until spectators have the last changes.

    If stdin ends without it, the process that started the server was killed: exit at once, so that the port is free.
    """
    async with trio.lowlevel.FdStream(os.dup(0)) as stdin:
        if not await stdin.receive_some():
            os._exit(1)
    await trio.sleep(_LAST_UPDATE_S)

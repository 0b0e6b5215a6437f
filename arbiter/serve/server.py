"""The server: in a process of its own, so that however many look, the games are played as if nobody did."""

import os
import resource
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import trio
from starlette.types import ASGIApp

from arbiter.serve.app import application, keep_looking, places
from arbiter.serve.call import take_call
from arbiter.serve.pages import LOOK_EVERY_S, Pages
from arbiter.serve.source import ServedTournament, SpectatorSettings

NICENESS: Final = 10
# On Linux: within a session niceness counts among its own processes alone; and who is to go when memory runs out.
_LAST_IN_LINE: Final = {"/proc/self/autogroup": str(NICENESS), "/proc/self/oom_score_adj": "1000"}
MOST_CALLS: Final = 200  # who calls then is not heard
MOST_DESCRIPTORS: Final = 256  # for them, and for what pages are made from
_LAST_LOOK_S: Final = 2 * LOOK_EVERY_S
_LOCAL: Final = ("localhost", "127.0.0.1", "[::1]", "::1")


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that pages can be asked for at; port 0 takes a free one.  Raises OSError."""
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listening = socket.socket(family, kind)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def address_of(listening: socket.socket) -> str:
    """Write where a socket is found by a browser."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def is_local(listening: socket.socket) -> bool:
    """Say whether only this machine reaches a socket."""
    return ip_address(listening.getsockname()[0]).is_loopback


def step_back() -> None:
    """Leave the processors and the memory to the games, and never have more open than a server needs."""
    os.nice(NICENESS)
    for file, value in _LAST_IN_LINE.items():
        with suppress(OSError):
            Path(file).write_text(value, encoding="ascii")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(MOST_DESCRIPTORS, most), most))


async def serve(
    source: ServedTournament, terms: SpectatorSettings, listening: socket.socket, until: Callable[[], Awaitable[object]]
) -> None:
    """Serve a tournament's pages until something has come to its end."""
    pages, listeners = Pages(source, terms), places()
    exchange = _Exchange(application(pages, _LOCAL if is_local(listening) else ("*",), listeners))
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(listening))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep_looking, pages, listeners)
        nursery.start_soon(trio.serve_listeners, exchange.take, [listener])
        await until()
        nursery.cancel_scope.cancel()


class _Exchange:
    """Takes calls, as many as there are places for; whatever one asks, the next one is answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._places = trio.CapacityLimiter(MOST_CALLS)
        self._has_failed = False

    async def take(self, stream: trio.SocketStream) -> None:
        """Take a call, or hang up where there is no place left."""
        try:
            self._places.acquire_on_behalf_of_nowait(stream)
        except trio.WouldBlock:
            await stream.aclose()
            return
        try:
            await take_call(self._app, stream)
        except Exception as error:  # noqa: BLE001 - a bug of ours spoils a page, not all of them
            self._tell(error)
        finally:
            self._places.release_on_behalf_of(stream)

    def _tell(self, error: Exception) -> None:
        """Tell of the first failure; of one that comes again and again nobody needs to read more."""
        if not self._has_failed:
            sys.stderr.write(f"a page failed: {error!r}\n")
        self._has_failed = True


async def for_ever() -> None:
    """Wait for no end but a signal's."""
    await trio.sleep_forever()


async def until_stdin_ends() -> None:
    """Wait for the end of whoever started us, and until spectators have seen what it did last."""
    async with trio.lowlevel.FdStream(os.dup(0)) as stdin:
        while await stdin.receive_some():
            pass
    await trio.sleep(_LAST_LOOK_S)

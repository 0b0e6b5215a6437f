"""The server: in a process of its own, so that however many look, the games are played as if nobody did."""

import os
import resource
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from ipaddress import ip_address
from typing import Final

import trio
from hypercorn.config import Config
from hypercorn.trio import serve as serve_application

from arbiter.serve.app import application, keep_looking
from arbiter.serve.pages import LOOK_EVERY_S, Pages
from arbiter.serve.source import Source, Terms

NICENESS: Final = 10
MOST_DESCRIPTORS: Final = 256  # and so many connections, less a few; who comes then waits for one to end
_UNSENT_MS: Final = 20_000  # who takes nothing for so long is let go
_LAST_LOOK_S: Final = 2 * LOOK_EVERY_S
_LOCAL: Final = ("localhost", "127.0.0.1", "[::1]", "::1")


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that pages can be asked for at; port 0 takes a free one.  Raises OSError."""
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listening = socket.socket(family, kind)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNSENT_MS)
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
    """Leave the processors to the games, and never have more open than a server needs."""
    os.nice(NICENESS)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(MOST_DESCRIPTORS, most), most))


async def serve(source: Source, terms: Terms, listening: socket.socket, until: Callable[[], Awaitable[object]]) -> None:
    """Serve a tournament's pages until something has come to its end."""
    pages = Pages(source, terms)
    app = application(pages, _LOCAL if is_local(listening) else ("*",))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep_looking, pages)
        await serve_application(app, _config(listening), shutdown_trigger=partial(_ended, until))  # type: ignore[arg-type]
        nursery.cancel_scope.cancel()


async def for_ever() -> None:
    """Wait for no end but a signal's."""
    await trio.sleep_forever()


async def until_stdin_ends() -> None:
    """Wait for the end of whoever started us, and until spectators have seen what it did last."""
    async with trio.lowlevel.FdStream(os.dup(0)) as stdin:
        while await stdin.receive_some():
            pass
    await trio.sleep(_LAST_LOOK_S)


async def _ended(until: Callable[[], Awaitable[object]]) -> None:
    await until()


def _config(listening: socket.socket) -> Config:
    config = Config()
    config.bind = [f"fd://{listening.detach()}"]
    config.errorlog = config.accesslog = None
    config.include_server_header = False
    config.graceful_timeout = 1.0
    return config

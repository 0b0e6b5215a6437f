"""The web server; it runs in a process of its own with low priority, so that spectators do not slow down the games."""

import os
import resource
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import trio

from arbiter.resources import lower_priority
from arbiter.serve.app import MOST_STREAMS, keep_updating, make_application
from arbiter.serve.authors import Authors
from arbiter.serve.front import Front, Server
from arbiter.serve.guests import Guests
from arbiter.serve.live_games import UNAVAILABLE, SpectatorSettings
from arbiter.serve.organisers import Organisers
from arbiter.serve.pages import Pages, ServedTournament
from arbiter.serve.places import Places

MOST_DESCRIPTORS: Final = 512  # for the connections, those that end, and the files that pages are made from
_FIRST_KILLED: Final = Path("/proc/self/oom_score_adj")  # Linux kills the process with the highest one first
_LAST_CHANGES_S: Final = 1.0  # to send them to spectators
_LOCAL_HOSTS: Final = ("localhost", "127.0.0.1", "[::1]", "::1")


def is_local(listening: socket.socket) -> bool:
    """Return True if a socket can be reached only from this machine."""
    return ip_address(listening.getsockname()[0]).is_loopback


def restrain_process() -> None:
    """Give this process low priority for processors and memory, and limit its open files."""
    lower_priority()
    with suppress(OSError):
        _FIRST_KILLED.write_text("1000", encoding="ascii")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(MOST_DESCRIPTORS, most), most))


async def serve(
    source: ServedTournament,
    settings: SpectatorSettings,
    listening: socket.socket,
    wait_for_end: Callable[[], Awaitable[object]] | None = None,
    front: Front = Front(),  # noqa: B008 - it is frozen
    *,
    authors: Authors | None = None,
    guests: Guests | None = None,
    organisers: Organisers | None = None,
) -> None:
    """Serve the pages of a tournament until `wait_for_end` returns; forever without it."""
    pages = Pages(source, settings)
    streams = Places(MOST_STREAMS)
    hosts = _LOCAL_HOSTS if is_local(listening) and front.proxy is None else ("*",)
    server = Server(make_application(pages, hosts, streams, authors, guests, organisers=organisers), front)
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(listening))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep_updating, pages, streams)
        if guests is not None:
            await nursery.start(guests.run)
        nursery.start_soon(trio.serve_listeners, server.handle, [listener])
        if wait_for_end is not None:
            await wait_for_end()
            with suppress(*UNAVAILABLE):
                await pages.update(at_once=True)
            await trio.sleep(_LAST_CHANGES_S)
            nursery.cancel_scope.cancel()


async def wait_for_farewell() -> None:
    """Wait for FAREWELL on stdin.

    If stdin ends without it, the process that started the server was killed: exit at once, so that the port is free.
    """
    async with trio.lowlevel.FdStream(os.dup(0)) as stdin:
        if not await stdin.receive_some():
            os._exit(1)

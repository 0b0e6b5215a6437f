"""Guests of the web server, who choose a bot and play against it, each at a table of its own in another process."""

import math
import re
import socket
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from itertools import count
from typing import Final

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from arbiter.remote.invitations import SUFFIX, Invitations
from arbiter.remote.link import Link, Order
from arbiter.sandbox.files.temporary import open_temporary
from arbiter.serve.accounts import Accounts, Attempts, RequestRefused, read_body, refuse_foreign
from arbiter.serve.background import run_table
from arbiter.serve.gateway import Gateway
from arbiter.serve.people import TableSettings, list_fixed_routes, send_page
from arbiter.serve.places import PLACE, find_client

GUEST: Final = "you"
"""Name of a guest at the own table."""
MOST_STARTS: Final = 5  # tables of one address within a minute
START_S: Final = 60.0  # for a table to be ready
MOST_S: Final = 90 * 60.0  # of a game
READY: Final = b"ready"
"""The line that the process of a table prints when it is ready."""
_KNOWN_S: Final = 3.0  # until the bots are read again: without a limit, requests could occupy the server
_MOST_TEXT: Final = 1 << 16
_PATH: Final = re.compile("/play/(?P<id>[0-9a-f]{8})/(?P<rest>.*)")


class _Choice(Struct, frozen=True):
    """The body of a request for a table."""

    bot: str


class Guests:
    """Guests who play against a bot.  `run` must be running."""

    def __init__(
        self, command: Sequence[str], list_bots: Callable[[], Collection[str]], most: int, settings: TableSettings
    ) -> None:
        """Open at most so many tables by a command, to which a link to the gateway and the name of a bot are added."""
        self._command = command
        self._list_bots = list_bots
        self._reading = trio.Lock()
        self._bots: Collection[str] = ()
        self._known_until = -math.inf
        self._most = most
        self._settings = settings
        self._starts = Attempts()
        self._closing = ExitStack()
        self._folder = self._closing.enter_context(open_temporary("arbiter-guests-"))
        self._numbers = count(1)
        self._accounts = Accounts(self._make_invitations(), "play")
        self._open: dict[object, str] = {}
        """The addresses of the guests at the tables."""
        self._gateways: dict[object, Gateway] = {}
        """The gateways of the tables that are ready."""

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep the tables until this is cancelled."""
        with self._closing:
            async with trio.open_nursery() as self._nursery:
                task_status.started()
                await trio.sleep_forever()

    def list_routes(self, others: Sequence[Accounts] = ()) -> list[BaseRoute]:
        """List the addresses at which guests choose a bot and play; links of `others` are exchanged there too."""

        async def exchange(request: Request) -> Response:
            tables = [gateway.accounts for gateway in self._gateways.values()]
            return await self._accounts.exchange(request, [*others, *tables])

        async def send_bots(_: Request) -> Response:
            return JSONResponse({"lang": self._settings.lang, "bots": sorted(await self._find_bots())})

        return [
            Route("/guests/", send_page("guests")),
            Route("/guests/bots", send_bots),
            Route("/guests/tables", self._open_table, methods=["POST"]),
            Route("/session", exchange, methods=["POST"]),
            *list_fixed_routes(self._settings),
            Mount("/play", self._respond),
        ]

    async def _find_bots(self) -> Collection[str]:
        """Return the bots to choose from, which are read once for all requests of some seconds."""
        async with self._reading:
            if trio.current_time() >= self._known_until:
                self._bots = await trio.to_thread.run_sync(self._list_bots)
                self._known_until = trio.current_time() + _KNOWN_S
        return self._bots

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a page of a table, or what the page asks for."""
        found = _PATH.fullmatch(scope["path"])
        for gateway in self._gateways.values():
            if found is not None and gateway.accounts.knows(found["id"]):
                # Anyone can be a guest, so guests count for their addresses, and not for an entrant who is invited.
                await gateway.respond({**scope, "root_path": "", PLACE: None}, receive, send)
                return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
        elif found is not None and not found["rest"]:
            await RedirectResponse("/guests/")(scope, receive, send)
        else:
            raise RequestRefused(401, "the table is closed; choose a bot again")

    # --- tables -----------------------------------------------------------------------------------

    async def _open_table(self, request: Request) -> Response:
        """Open a table, and answer with its address and the cookie of a session."""
        address = find_client(request.scope).name
        refuse_foreign(request)
        self._check_tables(address)
        if not self._starts.allow(address, MOST_STARTS):
            raise RequestRefused(429, "too many games were begun from here; try again in a minute")
        try:
            bot = msgspec.json.decode(await read_body(request), type=_Choice).bot
        except msgspec.MsgspecError:
            raise RequestRefused(400, 'the body is not {"bot": NAME} in JSON') from None
        if bot not in await self._find_bots():
            raise RequestRefused(404, "there is no such bot to play against")
        self._check_tables(address)  # another request may have been faster
        key = object()
        self._open[key] = address  # at once, so that requests that arrive together count each other
        accounts: Accounts | None = await self._nursery.start(self._keep_table, key, bot)
        if accounts is not None:
            token = await trio.to_thread.run_sync(accounts.invitations.add, GUEST, "play")
            return await accounts.begin(request, token)
        raise RequestRefused(502, "the game could not begin; ask the organiser")

    def _check_tables(self, address: str) -> None:
        """Check that another table may be opened for an address.  Raises RequestRefused."""
        if address in self._open.values():
            raise RequestRefused(409, "a game from this address is open; finish it, or close its page for five minutes")
        if len(self._open) >= self._most:
            raise RequestRefused(503, "all tables are taken; try again later")

    async def _keep_table(
        self, key: object, bot: str, task_status: trio.TaskStatus[Accounts | None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Keep an open table until its game is over; report its accounts, or None if it does not get ready."""
        is_ready = False
        try:
            near, far = socket.socketpair()
            with near, far:
                title = f"{self._settings.title}: {bot}"
                settings = replace(self._settings, title=title, opponents={GUEST: bot})
                gateway = Gateway(self._make_invitations(), Link(near, Order), settings)
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(gateway.run)
                    command = [*self._command, "--guest", str(far.fileno()), "--", bot]
                    process: trio.Process = await nursery.start(run_table, command, far.fileno())
                    far.close()
                    with trio.move_on_after(START_S):
                        is_ready = await _is_ready(process)
                    if is_ready:
                        self._gateways[key] = gateway
                        task_status.started(gateway.accounts)
                        with trio.move_on_after(MOST_S):
                            await process.wait()
                    nursery.cancel_scope.cancel()
        except* OSError as errors:  # no process could be started
            sys.stderr.write(f"a table of a guest: {errors.exceptions[0]}\n")
        finally:
            del self._open[key]
            self._gateways.pop(key, None)
        if not is_ready:
            task_status.started(None)

    def _make_invitations(self) -> Invitations:
        """Make the invitations of one table."""
        return Invitations(self._folder / f"{next(self._numbers)}{SUFFIX}")


async def _is_ready(process: trio.Process) -> bool:
    """Wait until the process of a table is ready; return False if it ends instead."""
    data = b""
    while process.stdout is not None and len(data) < _MOST_TEXT:
        more = await process.stdout.receive_some()
        data += more
        if READY in data.split(b"\n"):
            return True
        if not more:
            break
    return False

"""The pages of people: at the gateway those on which they play, at the web server that of guests who choose a bot."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final, Literal

import msgspec
import trio
from msgspec import Struct, to_builtins
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import RULE_SETS
from arbiter.remote.invitations import Invitation
from arbiter.serve.accounts import Accounts, Attempts, read_body, refuse, refuse_foreign
from arbiter.serve.background import run_table
from arbiter.serve.front import AddHeaders
from arbiter.show.language import DEFAULT_LANGUAGE, LANGUAGES
from arbiter.show.play.files import find_type, read_asset, read_page
from arbiter.show.play.words import write_words
from arbiter.show.report.files import LIVE_POLICY
from protocol.words import RED

MOST_STARTS: Final = 5  # tables of one address within a minute
START_S: Final = 60.0  # for a table to be ready
MOST_S: Final = 90 * 60.0  # of a game
_LINK: Final = b"open http"
_MOST_LINE: Final = 1 << 16
_GUEST_ASSETS: Final = ("guests.js", "authors.css")
_PROGRAMS: Final = "Remote programs connect here, with arbiter-connect.\n"


class TableSettings(Struct, frozen=True, kw_only=True):
    """Texts of the page on which people play, besides the game."""

    title: str
    lang: str = DEFAULT_LANGUAGE
    aids: Literal["none", "seen", "marks"] = "marks"
    """Memory that the page lends: nothing, ranks that were shown, or also the player's own marks on enemy pieces."""
    opponents: dict[str, str] = {}
    """Name of the opponent of each person, if it is always the same one."""
    rematches: bool = False
    """True if the same players play again and again, as long as they want."""
    timed: bool = True
    """False if the time of people is not limited."""
    presets: tuple[str, ...] = ()
    """Deployments of a book, drawn as rows."""


def make_people_application(accounts: Accounts, settings: TableSettings) -> Starlette:
    """Make the application of the pages."""

    def send_words(request: Request) -> Response:
        lang = request.path_params["lang"]
        if lang not in LANGUAGES:
            return refuse(404, "there is no such language")
        return Response(write_words(lang, settings.presets), media_type="application/json")

    def describe_table(request: Request) -> Response:
        found = accounts.find(request.headers, request.path_params["id"], "play")
        if found is None:
            return refuse(401, "this browser has no session here; open the link of an invitation")
        return JSONResponse({"name": found.bot, **to_builtins(settings)})

    async def make_link(request: Request) -> Response:
        found = accounts.admit_change(request, "play")
        return await accounts.make_link(found) if isinstance(found, Invitation) else found

    async def end_session(request: Request) -> Response:
        found = accounts.admit_change(request, "play")
        return await accounts.end(found) if isinstance(found, Invitation) else found

    return Starlette(
        routes=[
            Route("/", lambda _: PlainTextResponse(_PROGRAMS)),
            Route("/session", accounts.exchange, methods=["POST"]),
            Route("/play/", send_page("join")),
            Route("/play/{id}/", send_page("play")),
            Route("/deployments", send_page("editor")),
            Route("/rules", _send_rules),
            Route("/words/{lang}", send_words),
            Route("/play/{id}/table", describe_table),
            Route("/play/{id}/link", make_link, methods=["POST"]),
            Route("/play/{id}/leave", end_session, methods=["POST"]),
            Route("/assets/{name}", lambda request: send_asset(request.path_params["name"], request)),
        ],
        middleware=[Middleware(AddHeaders, LIVE_POLICY)],
    )


def send_page(name: str) -> Callable[[Request], Response]:
    """Make the function that answers a request for a page with a name."""
    return lambda _: Response(read_page(name), media_type="text/html")


def send_asset(name: str, _: Request) -> Response:
    """Answer a request for a file with a name."""
    content = read_asset(name)
    return refuse(404, "there is no such file") if content is None else Response(content, media_type=find_type(name))


def _send_rules(_: Request) -> Response:
    described = [rules.describe(rules.first or RED) for rules in RULE_SETS if isinstance(rules, BoardRules)]
    return Response(msgspec.json.encode(described), media_type="application/json")


# --- guests ---------------------------------------------------------------------------------------


class _Choice(Struct, frozen=True):
    """The body of a request for a table."""

    bot: str


class Guests:
    """Guests who play against a bot, each at a table of its own in another process.  `run` must be running."""

    def __init__(self, command: Sequence[str], list_bots: Callable[[], Collection[str]], most: int) -> None:
        """Open at most so many tables by a command, to which the name of a bot is added."""
        self._command = command
        self._list_bots = list_bots
        self._most = most
        self._starts = Attempts()
        self._open: dict[object, str] = {}
        """The addresses of the guests at the tables."""

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep the tables until this is cancelled."""
        async with trio.open_nursery() as self._nursery:
            task_status.started()
            await trio.sleep_forever()

    def list_routes(self) -> list[Route]:
        """List the addresses at which guests choose a bot."""
        return [
            Route("/guests/", send_page("guests")),
            Route("/guests/bots", self._send_bots),
            Route("/guests/tables", self._open_table, methods=["POST"]),
            *(Route(f"/assets/{name}", partial(send_asset, name)) for name in _GUEST_ASSETS),
        ]

    async def _send_bots(self, _: Request) -> Response:
        return JSONResponse(sorted(await trio.to_thread.run_sync(self._list_bots)))

    async def _open_table(self, request: Request) -> Response:
        """Open a table, and answer with its address."""
        address = "" if request.client is None else request.client.host
        refusal = refuse_foreign(request) or self._refuse(address)
        if refusal is not None:
            return refusal
        self._starts.note(address)
        try:
            bot = msgspec.json.decode(await read_body(request), type=_Choice).bot
        except msgspec.MsgspecError:
            return refuse(400, 'the body is not {"bot": NAME} in JSON')
        if bot not in await trio.to_thread.run_sync(self._list_bots):
            return refuse(404, "there is no such bot to play against")
        link = "" if len(self._open) >= self._most else await self._nursery.start(self._keep_table, bot, address)
        return JSONResponse({"address": link}) if link else refuse(503, "the game could not begin; ask the organiser")

    def _refuse(self, address: str) -> Response | None:
        """Refuse another table for an address."""
        if self._starts.are_too_many(address, MOST_STARTS):
            return refuse(429, "too many games were begun from here; try again in a minute")
        if address in self._open.values():
            return refuse(409, "a game from this address is open; finish it, or close its page for five minutes")
        if len(self._open) >= self._most:
            return refuse(503, "all tables are taken; try again later")
        return None

    async def _keep_table(
        self, bot: str, address: str, task_status: trio.TaskStatus[str] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Keep a table until its game is over; report its address once it is ready; empty if it is not."""
        key = object()
        self._open[key] = address
        link = ""
        try:
            async with trio.open_nursery() as nursery:
                process: trio.Process = await nursery.start(run_table, [*self._command, "--", bot])
                with trio.move_on_after(START_S):
                    link = await _read_link(process)
                if link:
                    task_status.started(link)
                    with trio.move_on_after(MOST_S):
                        await process.wait()
                nursery.cancel_scope.cancel()
        finally:
            del self._open[key]
        if not link:
            task_status.started("")


async def _read_link(process: trio.Process) -> str:
    """Read the address of a table; empty if its process ends."""
    data = b""
    while process.stdout is not None and len(data) < _MOST_LINE:
        more = await process.stdout.receive_some()
        if not more:
            break
        data += more
        for line in data.split(b"\n")[:-1]:
            if line.startswith(_LINK):
                return line.split()[-1].decode("ascii", "replace")
    return ""

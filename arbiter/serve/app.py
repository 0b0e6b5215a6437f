"""The web application: read-only pages, and event streams that announce changes."""

import re
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, suppress
from typing import Final

import msgspec
import trio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from arbiter.serve import live_games
from arbiter.serve.accounts import RequestRefused, answer_refusal
from arbiter.serve.api import make_api_routes
from arbiter.serve.authors import Authors
from arbiter.serve.front import AddHeaders
from arbiter.serve.guests import Guests
from arbiter.serve.live_games import UNAVAILABLE
from arbiter.serve.organisers import Organisers
from arbiter.serve.pages import ORIGIN, UPDATE_EVERY_S, Pages
from arbiter.serve.places import Full, Places, find_client
from arbiter.show.report.files import FOLLOW, LIVE_POLICY, WALL
from arbiter.show.report.values import MOST_BOARDS, MOST_ON_WALL

MOST_STREAMS: Final = 100
AGE_EVERY_S: Final = 5.0  # also a heartbeat: a proxy may close a connection that is silent for longer
BOARDS_EVERY_S: Final = 2.0
_TYPES: Final = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "png": "image/png",
    "xz": "application/x-xz",
    "csv": "text/csv",
    "whl": "application/octet-stream",
}
_GAMES: Final = "games/"


def make_application(
    pages: Pages,
    hosts: Iterable[str],
    streams: Places,
    authors: Authors | None = None,
    guests: Guests | None = None,
    *,
    organisers: Organisers | None = None,
) -> Starlette:
    """Make the application; it refuses requests for any host name but these, `*` allows all.

    With `authors`, authors submit programs; with `guests`, guests play against bots; `organisers` need `authors`.
    """
    accounts = [one.accounts for one in (authors, organisers) if one is not None]

    async def send_page(request: Request) -> Response:
        path = request.path_params["path"]
        content = await pages.page(path)
        if content is None:
            return Response(await pages.missing_page(path), 404, media_type="text/html")
        if path.endswith(".html"):
            host = request.headers.get("host", "")
            origin = f"{request.url.scheme}://{host}/" if re.fullmatch(r"[A-Za-z0-9.:\[\]-]+", host) else "/"
            content = content.replace(ORIGIN.encode(), origin.encode())
        return Response(content, media_type=_TYPES[path.rpartition(".")[2]])

    async def stream_changes(request: Request) -> Response:
        with_boards = "boards" in request.query_params
        path = request.query_params.get("page", "")
        return _EventStream(change_events(pages, path, with_boards=with_boards), streams)

    async def follow(request: Request) -> Response:
        path = await pages.find_game_to_follow(request.query_params.get("after", ""))
        if path is None:
            return Response(await pages.missing_page(FOLLOW), media_type="text/html")
        return RedirectResponse(path)

    async def stream_game(request: Request) -> Response:
        await pages.update()
        shown = request.headers.get("last-event-id") or request.query_params.get("shown", "0")
        frames = int(shown) if re.fullmatch("[0-9]{1,6}", shown) else 0
        began_at = request.query_params.get("at")
        return _EventStream(game_events(pages, f"games/{request.path_params['name']}.html", frames, began_at), streams)

    async def report_unavailable(*_: object) -> Response:
        return PlainTextResponse("This page is not available at the moment; try again in a minute.\n", 503)

    return Starlette(
        routes=[
            Route("/", lambda _: RedirectResponse("/index.html")),
            Route("/events", stream_changes),
            Route(f"/{FOLLOW}", follow),
            Route("/games/{name}.events", stream_game),
            *make_api_routes(pages),
            *([] if guests is None else guests.list_routes(accounts)),
            *([] if authors is None else authors.list_routes(accounts[1:])),
            *([] if organisers is None else organisers.list_routes()),
            Route("/{path:path}", send_page),
        ],
        exception_handlers={**dict.fromkeys(UNAVAILABLE, report_unavailable), RequestRefused: answer_refusal},
        middleware=[
            Middleware(AddHeaders, LIVE_POLICY, _may_be_embedded),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
        ],
    )


async def keep_updating(pages: Pages, streams: Places) -> None:
    """Update the pages while somebody listens to an event stream; a request for a page updates them itself."""
    while True:
        if len(streams):
            with suppress(*UNAVAILABLE):
                await pages.update()
        await trio.sleep(UPDATE_EVERY_S)


async def change_events(pages: Pages, path: str = "", *, with_boards: bool = False) -> AsyncGenerator[bytes]:
    """Yield an event at once and after each change of the results: how the page at a path changes, if that is known.

    `with_boards`, the boards are sent too when they change.
    """
    boards = b"{}"
    most = MOST_ON_WALL if path == WALL else MOST_BOARDS
    seen = -1
    with pages.watch(path):
        while True:
            changed = pages.changed
            seen, change = pages.find_change(path, seen)
            yield _write_event("news", b"%d" % seen) if change is None else _write_event("change", change)
            next_age = trio.current_time()
            while pages.changes == seen:
                if pages.as_of and trio.current_time() >= next_age:
                    next_age = trio.current_time() + AGE_EVERY_S
                    yield _write_age(pages.as_of)
                if with_boards and (latest := await pages.boards(most)) != boards:
                    boards = latest
                    yield _write_event("boards", boards)
                with trio.move_on_after(BOARDS_EVERY_S if with_boards else AGE_EVERY_S):
                    await changed.wait()


async def game_events(pages: Pages, path: str, shown: int, began_at: str | None = None) -> AsyncGenerator[bytes]:
    """Yield the frames of a game in progress that follow after `shown` frames, until the game is over.

    It is over for a page that shows another attempt to play it, which began at another time.
    """
    next_age = trio.current_time()
    while (began := pages.live.get(path)) and began_at in {None, began.at}:
        game = await pages.live_games.read(began.fixture.id)
        data = game.data
        if data is not None and len(data["frames"]) != shown:
            more = msgspec.json.encode(live_games.frames_after(data, shown))
            shown = len(data["frames"])
            yield _write_event("more", more, shown)
            next_age = trio.current_time()
        if trio.current_time() >= next_age:
            next_age = trio.current_time() + AGE_EVERY_S
            yield _write_age(game.as_of)
        await trio.sleep(live_games.UPDATE_EVERY_S)
    yield _write_event("over", b"")


def _write_age(as_of: float) -> bytes:
    """Write the Unix times at which the data was read and of now: the clock of a spectator may be wrong."""
    return _write_event("age", msgspec.json.encode({"as_of": as_of, "now": time.time()}))


def _write_event(kind: str, data: bytes, event_id: int | None = None) -> bytes:
    head = "" if event_id is None else f"id: {event_id}\n"
    return b"%sevent: %s\ndata: %s\n\n" % (head.encode(), kind.encode(), data)


class _EventStream(StreamingResponse):
    """A stream of server-sent events; status 503 if there are too many, and its client has no fewer than others."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes], streams: Places) -> None:
        super().__init__(events)
        self._events = events
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._streams.take(find_client(scope), is_patient=True):
                async with aclosing(self._events):
                    await super().__call__(scope, receive, send)
        except Full:
            await PlainTextResponse("Too many spectators; try again in a minute.\n", 503)(scope, receive, send)


def _may_be_embedded(scope: Scope) -> bool:
    """Return True if a reader watches a game in another page."""
    names = {part.partition(b"=")[0] for part in scope["query_string"].split(b"&")}
    return scope["path"].startswith(f"/{_GAMES}") and b"embed" in names

"""The web application: pages, and streams of what is new; whatever is asked, nothing is changed by it."""

import re
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
from arbiter.serve.headers import Headers
from arbiter.serve.pages import LOOK_EVERY_S, Pages, Trouble

MOST_STREAMS: Final = 100
HEARTBEAT_S: Final = 15.0  # lest somebody between us and the browser takes silence for the end
_TYPES: Final = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "bz2": "application/x-bzip2",
}
_BUSY: Final = "Too many are watching; try again in a minute.\n"
_NO_PAGE: Final = "There is no such page; the first one is /index.html\n"
_TROUBLE: Final = "This page cannot be made at the moment; try again in a minute.\n"


def places() -> trio.CapacityLimiter:
    """Make the places of those who listen for what is new."""
    return trio.CapacityLimiter(MOST_STREAMS)


def application(pages: Pages, hosts: Iterable[str], listeners: trio.CapacityLimiter) -> Starlette:
    """Make the application; it answers to whom calls it by one of these names, `*` being any."""
    desk = _Desk(pages, listeners)
    return Starlette(
        routes=[
            Route("/", lambda _: RedirectResponse("/index.html")),
            Route("/events", desk.news),
            Route("/games/{name}.events", desk.game),
            Route("/{path:path}", desk.page),
        ],
        exception_handlers=dict.fromkeys(Trouble, _in_trouble),
        middleware=[
            Middleware(Headers),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
        ],
    )


def _in_trouble(_: Request, error: Exception) -> Response:
    return PlainTextResponse(_TROUBLE, 503)


class _Desk:
    """Answers what is asked for, and tells listeners what is new."""

    def __init__(self, pages: Pages, listeners: trio.CapacityLimiter) -> None:
        self._pages = pages
        self._listeners = listeners

    async def page(self, request: Request) -> Response:
        path = request.path_params["path"]
        content = await self._pages.page(path)
        if content is None:
            return PlainTextResponse(_NO_PAGE, 404)
        return Response(content, media_type=_TYPES[path.rpartition(".")[2]])

    async def news(self, _: Request) -> Response:
        """Tell whenever the pages are made anew."""
        return _Stream(self._news(), self._listeners)

    async def _news(self) -> AsyncGenerator[bytes]:
        while True:
            yield _event("news", str(self._pages.news))
            seen, changed = self._pages.news, self._pages.changed
            while self._pages.news == seen:
                with trio.move_on_after(HEARTBEAT_S):
                    await changed.wait()
                if self._pages.news == seen:
                    yield _HEARTBEAT

    async def game(self, request: Request) -> Response:
        """Tell what is new of a game under way, to one who has been shown so many frames of it."""
        await self._pages.look()
        shown = request.headers.get("last-event-id") or request.query_params.get("shown", "0")
        path = f"games/{request.path_params['name']}.html"
        return _Stream(self._game(path, _count(shown)), self._listeners)

    async def _game(self, path: str, shown: int) -> AsyncGenerator[bytes]:
        quiet_since = trio.current_time()
        while began := self._pages.game_under_way(path):
            film = await self._pages.films.film(began.fixture.id)
            if film is not None and len(film["frames"]) != shown:
                yield _event("more", msgspec.json.encode(live_games.rest(film, shown)).decode(), len(film["frames"]))
                shown, quiet_since = len(film["frames"]), trio.current_time()
            elif trio.current_time() > quiet_since + HEARTBEAT_S:
                yield _HEARTBEAT
                quiet_since = trio.current_time()
            await trio.sleep(live_games.LOOK_EVERY_S)
        yield _event("over", "")


class _Stream(StreamingResponse):
    """Tells one after the other, where there is a place left to do so."""

    media_type = "text/event-stream"

    def __init__(self, told: AsyncGenerator[bytes], places: trio.CapacityLimiter) -> None:
        super().__init__(told)
        self._told = told
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._places.acquire_on_behalf_of_nowait(self)
        except trio.WouldBlock:
            await PlainTextResponse(_BUSY, 503)(scope, receive, send)
            return
        try:
            async with aclosing(self._told):
                await super().__call__(scope, receive, send)
        finally:
            self._places.release_on_behalf_of(self)


_HEARTBEAT: Final = b":\n\n"


def _count(text: str) -> int:
    """Read how many frames somebody says that he was shown; none where that is no number."""
    return int(text) if re.fullmatch("[0-9]{1,6}", text) else 0


def _event(kind: str, data: str, number: int | None = None) -> bytes:
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {kind}\ndata: {data}\n\n".encode()


async def keep_looking(pages: Pages, listeners: trio.CapacityLimiter) -> None:
    """Look for what has changed, for ever, while anybody listens; who asks for a page looks himself."""
    while True:
        if listeners.borrowed_tokens:
            with suppress(*Trouble):
                await pages.look()
        await trio.sleep(LOOK_EVERY_S)

"""The pages on which people play, at the gateway, and at the web server those of guests."""

from collections.abc import Callable
from typing import Final, Literal

import msgspec
from msgspec import Struct, to_builtins
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import RULE_SETS
from arbiter.languages.catalogue import DEFAULT_LANGUAGE, LANGUAGES
from arbiter.serve.accounts import Accounts, RequestRefused, answer_refusal
from arbiter.serve.front import AddHeaders
from arbiter.show.play.files import ASSETS, find_type, read_asset, read_page
from arbiter.show.play.words import write_texts, write_words
from arbiter.show.report.files import LIVE_POLICY
from protocol.words import RED

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

    def describe_table(request: Request) -> Response:
        found = accounts.find_session(request, request.path_params["id"])
        return JSONResponse({"name": found.name, **to_builtins(settings)})

    async def make_link(request: Request) -> Response:
        return await accounts.make_link(accounts.admit_change(request))

    async def end_session(request: Request) -> Response:
        return await accounts.end(accounts.admit_change(request))

    return Starlette(
        routes=[
            Route("/", lambda _: PlainTextResponse(_PROGRAMS)),
            Route("/session", accounts.exchange, methods=["POST"]),
            *list_fixed_routes(settings),
            Route("/play/{id}/", send_page("play")),
            Route("/play/{id}/table", describe_table),
            Route("/play/{id}/link", make_link, methods=["POST"]),
            Route("/play/{id}/leave", end_session, methods=["POST"]),
        ],
        exception_handlers={RequestRefused: answer_refusal},
        middleware=[Middleware(AddHeaders, LIVE_POLICY)],
    )


def list_fixed_routes(settings: TableSettings) -> list[Route]:
    """List the addresses of what is the same for all people."""

    def send_words(request: Request) -> Response:
        lang = request.path_params["lang"]
        if lang not in LANGUAGES:
            raise RequestRefused(404, "there is no such language")
        return Response(write_words(lang, settings.presets), media_type="application/json")

    def send_rules(_: Request) -> Response:
        described = [rules.describe(rules.first or RED) for rules in RULE_SETS if isinstance(rules, BoardRules)]
        return Response(msgspec.json.encode(described), media_type="application/json")

    return [
        Route("/play/", send_page("join")),
        Route("/deployments", send_page("editor")),
        Route("/rules", send_rules),
        Route("/words/{lang}", send_words),
        *list_text_routes(settings.lang),
    ]


def list_text_routes(usual: str) -> list[Route]:
    """List the addresses of texts and other files of the pages on which nobody plays; `usual` is their language."""

    def send_texts(request: Request) -> Response:
        lang = request.path_params["lang"]
        return Response(write_texts(lang if lang in LANGUAGES else usual), media_type="application/json")

    return [Route("/texts/{lang}", send_texts), Route(f"{ASSETS}{{name}}", send_file)]


def send_page(name: str) -> Callable[[Request], Response]:
    """Make the function that answers a request for a page with a name."""
    return lambda _: Response(read_page(name), media_type="text/html")


def send_file(request: Request) -> Response:
    """Answer a request for a file that these pages use."""
    name = request.path_params["name"]
    content = read_asset(name)
    if content is None:
        raise RequestRefused(404, "there is no such file")
    return Response(content, media_type=find_type(name))

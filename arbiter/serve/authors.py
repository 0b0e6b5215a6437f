"""Programs that authors submit, from a terminal with the token of an invitation, or from a page with a session.

Archives are stored unopened.
"""

import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, Final

import msgspec
import trio
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arbiter.errors import ConfigError
from arbiter.languages.catalogue import DEFAULT_LANGUAGE, LANGUAGES
from arbiter.languages.sentences import describe_reason
from arbiter.remote.invitations import Invitation, Invitations
from arbiter.sandbox.files.untrusted import open_to_write
from arbiter.serve.accounts import Accounts, RequestRefused, is_own_origin, read_body, read_number
from arbiter.serve.connection import ALLOW_BODY, MOST_BODY
from arbiter.serve.people import list_text_routes, send_page
from arbiter.show.language import SentenceWriter
from arbiter.submissions.desk import MOST_REASON, Desk
from arbiter.submissions.store import BUILD, COMMAND, Command, Submission

MOST_S: Final = 600.0  # for an archive to arrive
MOST_AT_A_TIME: Final = 8  # archives that arrive
SESSION: Final = "X-Arbiter-Session"
"""Header of a request of a page: the id of its invitation, whose cookie the browser adds."""
_MOST_REASON: Final = 8 * MOST_REASON  # bytes of a request
_BEARER: Final = "Bearer"

Work = Callable[[Request, Invitation], Awaitable[object]]


class _Reason(Struct, frozen=True):
    """The body of a request to contest a game."""

    why: str


class Authors:
    """The submissions of a tournament, for their authors."""

    def __init__(self, desk: Desk, invitations: Invitations, lang: str = DEFAULT_LANGUAGE) -> None:
        """Serve a desk; `lang` is the language of authors who have chosen none."""
        self._lang = lang
        self._desk = desk
        self._submissions = desk.submissions
        self._invitations = invitations
        self._most = desk.settings.max_mb << 20
        self.accounts: Final = Accounts(invitations, "submit")
        self._receiving: set[str] = set()

    def list_routes(self, others: Sequence[Accounts] = ()) -> list[Route]:
        """List the addresses at which programs are submitted; links of `others` are exchanged there too."""

        async def exchange(request: Request) -> Response:
            return await self.accounts.exchange(request, others)

        def post(path: str, work: Work) -> Route:
            return Route(path, self._answer(work), methods=["POST"])

        return [
            Route("/session", exchange, methods=["POST"]),
            Route("/submit/", send_page("join")),
            Route("/submit/{id}/", send_page("authors")),
            post("/submissions/leave", self._leave),
            *list_text_routes(self._lang),
            Route("/submissions", self._answer(self._describe_limits)),
            post("/submissions", self._receive),
            Route("/submissions/own", self._answer(self._list_own)),
            Route("/submissions/lost", self._answer(self._list_lost)),
            Route("/submissions/lost/{game}", self._answer(self._read_log)),
            post("/submissions/lost/{game}/contest", self._contest),
            Route("/submissions/{number}", self._answer(self._describe)),
            post("/submissions/{number}/promote", self._switch(self._desk.promote)),
            post("/submissions/{number}/rollback", self._switch(self._desk.roll_back)),
        ]

    def _answer(self, work: Work) -> Callable[[Request], Awaitable[Response]]:
        """Make the function that answers a request, which needs the token of an invitation or a session."""

        async def answer(request: Request) -> Response:
            session = request.headers.get(SESSION)
            needs_origin = "origin" in request.headers or (session is not None and request.method == "POST")
            if needs_origin and not is_own_origin(request.headers, request.url.scheme):
                raise RequestRefused(403, "the request does not come from a page of this server")
            try:
                await trio.to_thread.run_sync(self._invitations.reload)
                if session is not None:
                    author = self.accounts.find_session(request, session)
                else:
                    kind, _, token = request.headers.get("authorization", "").partition(" ")
                    author = self.accounts.find_token(request, token.strip() if kind == _BEARER else "", "submit")
                if request.method == "POST":
                    self.accounts.count_change(author)
                found = await work(request, author)
            except ConfigError as error:
                raise RequestRefused(409, str(error)) from None
            return JSONResponse(found, 202 if request.method == "POST" else 200)

        return answer

    async def _leave(self, _: Request, author: Invitation) -> object:
        """End the session of a page, and the invitation with it."""
        await trio.to_thread.run_sync(self._invitations.revoke_one, author.id)
        return {}

    # --- programs ---------------------------------------------------------------------------------

    async def _describe_limits(self, _: Request, author: Invitation) -> object:
        """Show an author what can be submitted now."""
        await trio.to_thread.run_sync(self._check_quota, author.name)
        settings = self._desk.settings
        return {"bot": author.name, "max_mb": settings.max_mb, "per_day": settings.per_day}

    async def _list_own(self, _: Request, author: Invitation) -> object:
        """Show an author all own programs, and why no other one can be submitted now, if so."""
        own = await trio.to_thread.run_sync(self._desk.list_own, author.name)
        try:
            await trio.to_thread.run_sync(self._check_quota, author.name)
        except RequestRefused as refusal:
            return own | {"refusal": str(refusal)}
        return own

    async def _describe(self, request: Request, author: Invitation) -> object:
        """Show an author how far the check of one of his programs is."""
        found = self._find(request, author)
        return await trio.to_thread.run_sync(self._desk.describe, found)

    def _switch(self, work: Callable[[str, int], Any]) -> Work:
        """Make the function that lets another version of a program play."""

        async def switch(request: Request, author: Invitation) -> object:
            change = await trio.to_thread.run_sync(work, author.name, self._find(request, author).number)
            return {"plays": change.new, "instead_of": change.old}

        return switch

    def _find(self, request: Request, author: Invitation) -> Submission:
        """Find the program that a request is about.  Raises RequestRefused."""
        try:
            return self._desk.find(author.name, read_number(request))
        except ConfigError as error:
            raise RequestRefused(404, str(error)) from None

    async def _receive(self, request: Request, author: Invitation) -> object:
        """Store the archive of a program."""
        command = _read_words(request, COMMAND)
        build = _read_words(request, BUILD) if BUILD in request.headers else ()
        if author.name in self._receiving:
            raise RequestRefused(409, f"another version of {author.name} is arriving; wait until it is there")
        if len(self._receiving) >= MOST_AT_A_TIME:
            raise RequestRefused(503, "too many programs are arriving; try again in a minute")
        self._receiving.add(author.name)
        try:
            await trio.to_thread.run_sync(self._check_quota, author.name)
            stored = await self._store(request, self._submissions.create(author.name, command, author.id, build))
        finally:
            self._receiving.discard(author.name)
        return await trio.to_thread.run_sync(self._desk.describe, stored)

    async def _store(self, request: Request, submission: Submission) -> Submission:
        """Write the archive as it arrives; a submission that does not arrive is removed.  Raises RequestRefused."""
        request.scope[ALLOW_BODY](self._most + MOST_BODY)  # so that the limit is explained
        size = 0
        is_whole = False
        place = self._submissions.find_archive(submission.number)
        file = open_to_write(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600)
        try:
            with os.fdopen(file, "wb") as opened, trio.fail_after(MOST_S):
                async with aclosing(request.stream()) as chunks:
                    async for chunk in chunks:
                        size += len(chunk)
                        if size > self._most:
                            raise RequestRefused(413, f"the archive has more than {self._most >> 20} MiB")
                        opened.write(chunk)
            is_whole = size > 0
        finally:
            if not is_whole:
                self._submissions.remove(submission)
        if not is_whole:
            raise RequestRefused(400, "the archive is empty")
        return self._submissions.change(submission, "waiting")

    def _check_quota(self, bot: str) -> None:
        """Check that an author may submit another version now.  Raises RequestRefused."""
        if (why := self._submissions.read_decisions().banned.get(bot)) is not None:
            raise RequestRefused(403, f"{bot} is banned from submitting programs: {why}")
        if why := self._submissions.explain_quota(bot, self._desk.settings.per_day):
            raise RequestRefused(429, why)
        if not self._submissions.has_room((1 + len(self._receiving)) * self._most):
            raise RequestRefused(507, "there is no more room for programs; ask the organiser")

    # --- lost games -------------------------------------------------------------------------------

    async def _list_lost(self, request: Request, author: Invitation) -> object:
        """List lost games; `description` is how each ended, in the language of the author's page."""
        lang = request.query_params.get("lang")
        sentences = SentenceWriter(lang if lang in LANGUAGES else self._lang)
        games = await trio.to_thread.run_sync(self._desk.list_lost, author.name)
        for game in games:
            parts = (sentences.write_ending(game["ending"]), sentences.write_reason(game["reason"]))
            game["description"] = ": ".join(filter(None, parts))
            game.update(describe_reason(game["reason"]))
        return games

    async def _read_log(self, request: Request, author: Invitation) -> object:
        log = await trio.to_thread.run_sync(self._desk.read_log, author.name, request.path_params["game"])
        return {"stderr": log}

    async def _contest(self, request: Request, author: Invitation) -> object:
        try:
            given = msgspec.json.decode(await read_body(request, _MOST_REASON), type=_Reason)
        except msgspec.MsgspecError:
            raise RequestRefused(400, 'the body is not {"why": REASON} in JSON, or is too long') from None
        made = await trio.to_thread.run_sync(self._desk.contest, author.name, request.path_params["game"], given.why)
        return made.describe()


def _read_words(request: Request, header: str) -> tuple[str, ...]:
    """Read a command in a header.  Raises RequestRefused."""
    try:
        return msgspec.json.decode(request.headers.get(header, ""), type=Command)
    except (msgspec.MsgspecError, UnicodeError):
        raise RequestRefused(400, f"the header {header} is not a list of words in JSON") from None

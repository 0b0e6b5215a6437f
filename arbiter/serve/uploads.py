"""Programs that authors hand in: each request has the token of an invitation, and archives are stored unopened."""

import os
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arbiter.errors import write_count
from arbiter.remote.invitations import Invitation, Invitations
from arbiter.sandbox.files.untrusted import open_to_write
from arbiter.serve.accounts import MOST_CHANGES, MOST_WRONG, Attempts, is_own_origin, refuse
from arbiter.serve.connection import ALLOW_BODY, MOST_BODY
from arbiter.submissions.store import COMMAND, MOST_STORED, OVER, Command, Submission, Submissions

MOST_S: Final = 600.0  # for an archive to arrive
MOST_AT_A_TIME: Final = 8  # archives that arrive
_BEARER: Final = "Bearer "
_MOST_DIGITS: Final = 10


class _Refused(Exception):
    """A request is refused with a status of HTTP and a reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Uploads:
    """The submissions of a tournament, for their authors."""

    def __init__(self, submissions: Submissions, invitations: Invitations, *, max_mb: int, per_day: int) -> None:
        """Accept archives of up to `max_mb` MiB, and `per_day` of one author within 24 hours."""
        self._submissions = submissions
        self._invitations = invitations
        self._most = max_mb << 20
        self._per_day = per_day
        self._wrong = Attempts()
        self._requests = Attempts()
        self._receiving: set[str] = set()

    def list_routes(self) -> list[Route]:
        """List the addresses at which programs are handed in."""
        return [
            Route("/uploads", self._answer(self._describe_limits)),
            Route("/uploads", self._answer(self._receive), methods=["POST"]),
            Route("/uploads/{number}", self._answer(self._describe)),
        ]

    def _answer(
        self, work: Callable[[Request, Invitation], Awaitable[dict[str, Any]]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Make the function that answers a request, which needs the token of an invitation."""

        async def answer(request: Request) -> Response:
            try:
                found = await work(request, await self._admit(request))
            except _Refused as refusal:
                return refuse(refusal.status, str(refusal))
            return JSONResponse(found, 202 if request.method == "POST" else 200)

        return answer

    async def _admit(self, request: Request) -> Invitation:
        """Find the invitation of a request by its token.  Raises _Refused."""
        if "origin" in request.headers and not is_own_origin(request.headers, request.url.scheme):
            raise _Refused(403, "the request does not come from a page of this server")
        address = "" if request.client is None else request.client.host
        if self._wrong.are_too_many(address, MOST_WRONG):
            raise _Refused(429, "too many wrong tokens from this address; try again in a minute")
        given = request.headers.get("authorization", "")
        if given.startswith(_BEARER):
            await trio.to_thread.run_sync(self._invitations.reload)
            if (found := self._invitations.find(given.removeprefix(_BEARER).strip(), "upload")) is not None:
                return found
        self._wrong.note(address)
        raise _Refused(401, "the token is unknown, has expired or was revoked; ask the organiser for a new one")

    async def _describe_limits(self, _: Request, author: Invitation) -> dict[str, Any]:
        """Show an author what can be handed in now."""
        await trio.to_thread.run_sync(self._check_quota, author.bot)
        return {"bot": author.bot, "max_mb": self._most >> 20, "per_day": self._per_day}

    async def _describe(self, request: Request, author: Invitation) -> dict[str, Any]:
        """Show an author how far the check of one of his programs is."""
        given = request.path_params["number"]
        is_number = given.isascii() and given.isdigit() and len(given) < _MOST_DIGITS
        submission = self._submissions.find(int(given)) if is_number else None
        if submission is None or submission.bot != author.bot:
            raise _Refused(404, "you have handed in no program with this number")
        return await trio.to_thread.run_sync(self._write, submission)

    async def _receive(self, request: Request, author: Invitation) -> dict[str, Any]:
        """Store the archive of a program."""
        if self._requests.are_too_many(author.id, MOST_CHANGES):
            raise _Refused(429, "too many uploads; try again in a minute")
        self._requests.note(author.id)
        try:
            command = msgspec.json.decode(request.headers.get(COMMAND, ""), type=Command)
        except (msgspec.MsgspecError, UnicodeError):
            raise _Refused(400, f"the header {COMMAND} is not a list of words in JSON") from None
        if author.bot in self._receiving:
            raise _Refused(409, f"another version of {author.bot} is arriving; wait until it is there")
        if len(self._receiving) >= MOST_AT_A_TIME:
            raise _Refused(503, "too many programs are arriving; try again in a minute")
        self._receiving.add(author.bot)
        try:
            await trio.to_thread.run_sync(self._check_quota, author.bot)
            stored = await self._store(request, self._submissions.create(author.bot, command, author.id))
        finally:
            self._receiving.discard(author.bot)
        return await trio.to_thread.run_sync(self._write, stored)

    async def _store(self, request: Request, submission: Submission) -> Submission:
        """Write the archive as it arrives; a submission that does not arrive is removed.  Raises _Refused."""
        request.scope[ALLOW_BODY](self._most + MOST_BODY)  # so that the limit is explained
        size, is_whole = 0, False
        place = self._submissions.find_archive(submission.number)
        file = open_to_write(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600)
        try:
            with os.fdopen(file, "wb") as opened, trio.fail_after(MOST_S):
                async with aclosing(request.stream()) as chunks:
                    async for chunk in chunks:
                        size += len(chunk)
                        if size > self._most:
                            raise _Refused(413, f"the archive has more than {self._most >> 20} MiB")
                        opened.write(chunk)
            is_whole = size > 0
        finally:
            if not is_whole:
                self._submissions.remove(submission)
        if not is_whole:
            raise _Refused(400, "the archive is empty")
        return self._submissions.change(submission, "waiting", size=size)

    def _check_quota(self, bot: str) -> None:
        """Check that an author may hand in another version now.  Raises _Refused."""
        if (why := self._submissions.read_decisions().banned.get(bot)) is not None:
            raise _Refused(403, f"{bot} is banned from handing in programs: {why}")
        if (time := self._submissions.find_next_time(bot, self._per_day)) is not None:
            most = write_count(self._per_day, "version")
            raise _Refused(429, f"{most} of {bot} in 24 hours are allowed; the next one at {time:%d %B %H:%M} UTC")
        if self._submissions.count_bytes() > MOST_STORED - self._most:
            raise _Refused(507, "there is no more room for programs; ask the organiser")

    def _write(self, submission: Submission) -> dict[str, Any]:
        """Describe a submission, with the number of those that are examined before it."""
        earlier = [one for one in self._submissions.list_all() if one.number < submission.number]
        before = sum(one.state in ("waiting", "checking") for one in earlier)
        facts = {key: getattr(submission, key) for key in ("number", "bot", "state", "why", "digest", "created")}
        steps = self._submissions.list_steps(submission.number)
        return {**facts, "is_over": submission.state in OVER, "before": before, "steps": steps}

"""The page of an organiser, with a session: programs, authors, contests, invitations, and the journal.

It decides what `arbiter submissions` and `arbiter invite` decide, with the same functions; it makes no rulings on
games, invites nobody, and changes neither the tournament file nor the results.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Protocol

import msgspec
import trio
from msgspec import Meta, Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from arbiter.errors import ConfigError
from arbiter.remote.invitations import Invitation, Invitations
from arbiter.sandbox.files.untrusted import read_start
from arbiter.serve.accounts import Accounts, RequestRefused, read_body, read_number
from arbiter.serve.people import send_page
from arbiter.submissions import organiser
from arbiter.submissions.desk import MOST_REASON
from arbiter.submissions.store import Submission, Submissions
from arbiter.submissions.versions import Change, find_before, promote, reject, roll_back
from arbiter.submissions.watch import BUNDLES

SCOPE: Final = "organise"
_MOST_BODY: Final = 8 * MOST_REASON  # bytes
_MOST_LISTED: Final = 200  # programs, contests and invitations: the last ones
_GZIP: Final = b"\x1f\x8b"
_ARCHIVE: Final = "application/octet-stream"

Found = Response | dict[str, Any] | list[dict[str, Any]]


class LadderRulings(Protocol):
    """The bots of a ladder and the rulings on its games.  All methods may raise ConfigError."""

    def list_bots(self) -> Sequence[str]:
        """List the bots, with versions that have joined."""

    def find_ruled_games(self) -> dict[str, str]:
        """Return the time of the ruling in force on each game that has one."""


class _Decision(Struct, frozen=True):
    """The body of a request that decides something."""

    author: Annotated[str, Meta(max_length=100)] = ""
    why: Annotated[str, Meta(max_length=MOST_REASON)] = ""


Read = Callable[[Request, Invitation], Found]
Decide = Callable[[Request, Invitation, _Decision], Found]


class Organisers:
    """The programs, authors, contests and invitations of a tournament, for its organisers."""

    def __init__(self, submissions: Submissions, invitations: Invitations, results: LadderRulings, mode: str) -> None:
        """Use the submissions of a tournament, which are promoted in a `mode`."""
        self._submissions = submissions
        self._invitations = invitations
        self._results = results
        self._mode = mode
        self.accounts: Final = Accounts(invitations, SCOPE)

    def list_routes(self) -> list[Route]:
        """List the addresses of the page and of what it asks for."""
        base = f"/{SCOPE}/{{id}}/"

        def get(path: str, work: Read) -> Route:
            async def answer(request: Request) -> Response:
                await trio.to_thread.run_sync(self._invitations.reload)
                return await _respond(work, request, self.accounts.find_session(request, request.path_params["id"]))

            return Route(base + path, answer)

        def post(path: str, work: Decide) -> Route:
            async def answer(request: Request) -> Response:
                await trio.to_thread.run_sync(self._invitations.reload)
                found = self.accounts.admit_change(request)
                try:
                    decision = msgspec.json.decode(await read_body(request, _MOST_BODY), type=_Decision)
                except msgspec.MsgspecError:
                    raise RequestRefused(400, "the body is not a decision in JSON, or is too long") from None
                return await _respond(work, request, found, replace(decision, why=" ".join(decision.why.split())))

            return Route(base + path, answer, methods=["POST"])

        return [
            Route(f"/{SCOPE}/", send_page("join")),
            Route(base, send_page(SCOPE)),
            get("all", self._list_all),
            get("programs/{number}", lambda request, _: self._submissions.list_steps(self._find(request).number)),
            get("programs/{number}/archive", self._send_archive),
            get("contests/{number}/evidence", self._send_evidence),
            post("programs/{number}/promote", self._switch(promote)),
            post("programs/{number}/rollback", self._switch(roll_back)),
            post("programs/{number}/reject", self._reject),
            post("contests/{number}/dismiss", self._dismiss),
            post("ban", self._ban),
            post("lift-ban", self._lift_ban),
            post("invitations/{which}/revoke", self._revoke),
            Route(f"{base}leave", self._leave, methods=["POST"]),
        ]

    async def _leave(self, request: Request) -> Response:
        """End a session."""
        await trio.to_thread.run_sync(self._invitations.reload)
        return await self.accounts.end(self.accounts.admit_change(request))

    # --- what they see ----------------------------------------------------------------------------

    def _list_all(self, _: Request, who: Invitation) -> Found:
        decisions = self._submissions.read_decisions()
        bots = self._results.list_bots()
        contests = organiser.list_contests(
            self._submissions, self._results.find_ruled_games() if decisions.contests else {}
        )
        for one in contests:
            one["evidence"] = Path(one["evidence"]).exists()
        return {
            "name": who.name,
            "id": who.id,
            "mode": self._mode,
            "programs": organiser.list_programs(self._submissions)[: -_MOST_LISTED - 1 : -1],
            "may_roll_back": [
                author for author in decisions.lines if find_before(self._submissions, decisions, author, bots)
            ],
            "banned": decisions.banned,
            "contests": contests[: -_MOST_LISTED - 1 : -1],
            "invitations": organiser.list_invitations(self._invitations, self._submissions)[: -_MOST_LISTED - 1 : -1],
            "journal": self._submissions.read_journal()[:_MOST_LISTED],
        }

    def _send_archive(self, request: Request, who: Invitation) -> Found:
        """Send a program as its author has submitted it."""
        found = self._find(request)
        file = self._submissions.find_archive(found.number)
        if not file.is_file():
            raise RequestRefused(404, f"number {found.number} has no archive")
        self._submissions.note(_name(who), "downloaded", number=found.number)
        kind = ".tar.gz" if read_start(file, len(_GZIP)) == _GZIP else ".tar"
        return FileResponse(file, media_type=_ARCHIVE, filename=f"{found.bot}-{found.number}{kind}")

    def _send_evidence(self, request: Request, _: Invitation) -> Found:
        number = read_number(request)
        file = self._submissions.folder / BUNDLES / f"{number}.zip"
        if not file.is_file():
            raise RequestRefused(404, f"contest {number} has no evidence")
        return FileResponse(file, media_type="application/zip", filename=f"contest-{number}.zip")

    def _find(self, request: Request) -> Submission:
        """Find the program that a request is about.  Raises RequestRefused."""
        number = read_number(request)
        found = self._submissions.find(number)
        if found is None:
            raise RequestRefused(404, "no program with this number was submitted")
        return found

    # --- what they decide -------------------------------------------------------------------------

    def _switch(self, work: Callable[[Submissions, int, Sequence[str], str], Change]) -> Decide:
        """Make the function that lets another version of a program play."""

        def switch(request: Request, who: Invitation, _: _Decision) -> Found:
            change = work(self._submissions, self._find(request).number, self._results.list_bots(), _name(who))
            return {"plays": change.new, "instead_of": change.old}

        return switch

    def _reject(self, request: Request, who: Invitation, decision: _Decision) -> Found:
        reject(self._submissions, self._find(request).number, _need_reason(decision), _name(who))
        return {}

    def _dismiss(self, request: Request, who: Invitation, decision: _Decision) -> Found:
        organiser.dismiss(self._submissions, read_number(request), _need_reason(decision), _name(who))
        return {}

    def _ban(self, _: Request, who: Invitation, decision: _Decision) -> Found:
        if not decision.author:
            raise ConfigError("the name of the author is missing")
        organiser.ban(self._submissions, decision.author, _need_reason(decision), _name(who))
        return {}

    def _lift_ban(self, _: Request, who: Invitation, decision: _Decision) -> Found:
        organiser.lift_ban(self._submissions, decision.author, _name(who))
        return {}

    def _revoke(self, request: Request, who: Invitation, _: _Decision) -> Found:
        which = request.path_params["which"]
        if not self.accounts.knows(which):
            raise RequestRefused(404, "there is no such invitation")
        return {"revoked": len(organiser.revoke(self._invitations, self._submissions, which, _name(who)))}


async def _respond(work: Callable[..., Found], *words: Request | Invitation | _Decision) -> Response:
    """Answer a request by work in a thread."""
    try:
        found = await trio.to_thread.run_sync(work, *words)
    except ConfigError as error:
        raise RequestRefused(409, str(error)) from None
    return found if isinstance(found, Response) else JSONResponse(found)


def _name(who: Invitation) -> str:
    """Name an organiser in the journal, so that nobody takes him for an author of the same name."""
    return f"organiser {who.name}"


def _need_reason(decision: _Decision) -> str:
    """Return the reason of a decision.  Raises ConfigError."""
    if not decision.why:
        raise ConfigError("the reason is missing; the author sees it")
    return decision.why

"""Sessions of browsers: the token of an invitation is exchanged for a cookie, which later requests are checked by.

Everything that changes something, and every WebSocket, needs the cookie and comes from a page of this server.
"""

import time
from collections import deque
from collections.abc import Iterable
from contextlib import aclosing
from typing import Final, Literal
from urllib.parse import urlsplit

import trio
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response

from arbiter.remote.invitations import SESSION_DAYS, Invitation, Invitations, Scope
from arbiter.serve.places import find_client, keep_place

MOST_ADDRESSES: Final = 10_000
MOST_WRONG: Final = 10  # tokens from one address within a minute
MOST_CHANGES: Final = 30  # by one session within a minute
MOST_LINKS: Final = 5  # that wait to be opened, for one entrant
LINK_DAYS: Final = 1 / 96  # 15 minutes: for another device
_MINUTE_S: Final = 60.0
_DAY_S: Final = 86_400
_MOST_BODY: Final = 1 << 10  # bytes of a request, such as that to exchange a token
_BODY_S: Final = 5.0  # for it to arrive
_MOST_DIGITS: Final = 10  # of a number in an address
_JSON: Final = "application/json"


class RequestRefused(Exception):
    """A request is refused with a status of HTTP and a reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


async def answer_refusal(_: Request, refusal: Exception) -> Response:
    """Answer a request that is refused; applications handle RequestRefused with it."""
    assert isinstance(refusal, RequestRefused)  # noqa: S101 - it is registered for that
    return JSONResponse({"error": str(refusal)}, refusal.status)


class Attempts:
    """Counts attempts within the last minute, by address or by session."""

    def __init__(self) -> None:
        self._times: dict[str, deque[float]] = {}

    def allow(self, key: str, most: int) -> bool:
        """Note an attempt; return False instead if there were so many."""
        now = time.perf_counter()
        if key not in self._times and len(self._times) >= MOST_ADDRESSES:
            del self._times[next(iter(self._times))]
        times = self._times.setdefault(key, deque(maxlen=max(MOST_WRONG, MOST_CHANGES)))
        if len(times) >= most and times[-most] > now - _MINUTE_S:
            return False
        times.append(now)
        return True


def is_own_origin(headers: Headers, scheme: str) -> bool:
    """Return True for a request of a page of this server, as the browser states it."""
    try:
        origin = urlsplit(headers.get("origin", ""))
    except ValueError:
        return False
    schemes = ("https",) if scheme in ("https", "wss") else ("http", "https")  # a proxy may decrypt
    return origin.scheme in schemes and origin.netloc != "" and origin.netloc == headers.get("host")


class Accounts:
    """The sessions of browsers of one tournament."""

    def __init__(self, invitations: Invitations, scope: Scope) -> None:
        """Use the invitations of a scope."""
        self.invitations: Final = invitations
        self._scope = scope
        self._wrong = Attempts()
        self._changes = Attempts()

    def find_session(self, request: HTTPConnection, invitation_id: str) -> Invitation:
        """Find the session of a request by its cookie.  Raises RequestRefused.

        A wrong cookie is not counted: browsers send it with requests that no person has made.
        """
        # A library would take seconds for quotes of a hostile client.
        cookies = (one.strip().partition("=") for one in request.headers.get("cookie", "").split(";"))
        cookie = next((value for name, _, value in cookies if name == name_cookie(invitation_id)), None)
        found = None if cookie is None else self.invitations.find_session(cookie)
        if found is None or (found.id, found.scope) != (invitation_id, self._scope):
            raise RequestRefused(401, "this browser has no session here; open the link of an invitation")
        keep_place(request.scope, found.name)
        return found

    def find_token(self, request: HTTPConnection, token: str, scope: Literal["program", "submit"]) -> Invitation:
        """Find the invitation of a request by its token, which stays valid.  Raises RequestRefused."""
        found = self.invitations.find(token, scope)
        if found is None:
            raise self.refuse_token(request, token)
        keep_place(request.scope, found.name)
        return found

    def refuse_token(self, request: HTTPConnection, token: str) -> RequestRefused:
        """Return the refusal of a wrong token, which is counted by address; valid ones are found before."""
        if token and not self._wrong.allow(find_client(request.scope).name, MOST_WRONG):
            return RequestRefused(429, "too many wrong tokens from this address; try again in a minute")
        return RequestRefused(
            401, "the token is unknown, was used before, has expired or was revoked; ask for a new one"
        )

    def knows(self, invitation_id: str) -> bool:
        """Return True if there is an invitation with an id."""
        return any(one.id == invitation_id for one in self.invitations.all)

    def admit_change(self, request: Request) -> Invitation:
        """Return the session of a request that changes something.  Raises RequestRefused."""
        refuse_foreign(request)
        found = self.find_session(request, request.path_params["id"])
        self.count_change(found)
        return found

    def count_change(self, invitation: Invitation) -> None:
        """Count a change that a session or the holder of a token makes.  Raises RequestRefused."""
        if not self._changes.allow(invitation.id, MOST_CHANGES):
            raise RequestRefused(429, "too many changes; try again in a minute")

    async def exchange(self, request: Request, others: "Iterable[Accounts]" = ()) -> Response:
        """Exchange the token of an invitation, also one of `others`, for a session.  Raises RequestRefused."""
        refuse_foreign(request)
        token = (await read_body(request)).decode("utf-8", "replace").strip('"')
        for accounts in (self, *others):
            await trio.to_thread.run_sync(accounts.invitations.reload)
            found = accounts.invitations.find(token, accounts._scope)
            if found is not None and found.state == "pending":
                keep_place(request.scope, found.name)  # the answer must arrive, because a token is used once
                return await accounts.begin(request, token)
        raise self.refuse_token(request, token)

    async def begin(self, request: Request, token: str) -> Response:
        """Begin a session by a token: the answer has its cookie and the address of its page.

        Raises RequestRefused.
        """
        exchanged = await trio.to_thread.run_sync(self.invitations.exchange, token, self._scope)
        if exchanged is None:
            raise self.refuse_token(request, token)
        invitation, secret = exchanged
        response = JSONResponse({"address": f"/{invitation.scope}/{invitation.id}/"})
        response.set_cookie(
            name_cookie(invitation.id),
            secret,
            max_age=round(SESSION_DAYS * _DAY_S),
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return response

    async def make_link(self, invitation: Invitation) -> Response:
        """Make the link with which another device joins, as a token for one use within minutes.

        Raises RequestRefused.
        """
        known = [one for one in self.invitations.all if (one.name, one.scope) == (invitation.name, invitation.scope)]
        if sum(one.state == "pending" for one in known) >= MOST_LINKS:
            raise RequestRefused(429, "too many links wait to be opened; open one of them, or wait until they expire")
        add = self.invitations.add
        token = await trio.to_thread.run_sync(add, invitation.name, invitation.scope, LINK_DAYS)
        return JSONResponse({"address": f"/{invitation.scope}/#{token}"})

    async def end(self, invitation: Invitation) -> Response:
        """End a session."""
        await trio.to_thread.run_sync(self.invitations.revoke_one, invitation.id)
        response = JSONResponse({})
        response.delete_cookie(name_cookie(invitation.id))
        return response


def name_cookie(invitation_id: str) -> str:
    """Return the name of the cookie of a session: a browser may have several, also of servers at other ports."""
    return f"arbiter-{invitation_id}"


async def read_body(request: Request, most: int = _MOST_BODY) -> bytes:
    """Read a short body; return b"" for one that is too long or too slow, so that nobody fills the memory."""
    body = b""
    with trio.move_on_after(_BODY_S):
        async with aclosing(request.stream()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > most:
                    return b""
        return body
    return b""


def read_number(request: Request) -> int:
    """Read a number in an address; return 0, which nothing has, for anything else."""
    given = request.path_params["number"]
    is_number = given.isascii() and given.isdigit() and len(given) < _MOST_DIGITS
    return int(given) if is_number else 0


def refuse_foreign(request: Request) -> None:
    """Refuse a request that a page of another site may have made.  Raises RequestRefused."""
    if not is_own_origin(request.headers, request.url.scheme):
        raise RequestRefused(403, "the request does not come from a page of this server")
    if request.headers.get("content-type") != _JSON:
        raise RequestRefused(415, f"the content is not {_JSON}")

"""Sessions of browsers: the token of an invitation is exchanged for a cookie, which later requests are checked by.

Everything that changes something, and every WebSocket, needs the cookie and comes from a page of this server.
"""

import time
from collections import deque
from collections.abc import Iterable
from contextlib import aclosing
from typing import Final
from urllib.parse import urlsplit

import trio
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arbiter.remote.invitations import SESSION_DAYS, Invitation, Invitations, Scope

MOST_ADDRESSES: Final = 10_000
MOST_WRONG: Final = 10  # tokens from one address within a minute
MOST_CHANGES: Final = 30  # by one session within a minute
MOST_LINKS: Final = 5  # that wait to be opened, for one entrant
LINK_DAYS: Final = 1 / 96  # 15 minutes: for another device
_MINUTE_S: Final = 60.0
_DAY_S: Final = 86_400
_MOST_BODY: Final = 1 << 10  # bytes of a request, such as that to exchange a token
_BODY_S: Final = 5.0  # for it to arrive
_JSON: Final = "application/json"


class Attempts:
    """Counts attempts within the last minute, by address or by session."""

    def __init__(self) -> None:
        self._times: dict[str, deque[float]] = {}

    def are_too_many(self, key: str, most: int) -> bool:
        """Return True if there were so many attempts."""
        times = self._times.get(key)
        return times is not None and len(times) >= most and times[-most] > time.perf_counter() - _MINUTE_S

    def note(self, key: str) -> None:
        """Note an attempt."""
        if key not in self._times and len(self._times) >= MOST_ADDRESSES:
            del self._times[next(iter(self._times))]
        self._times.setdefault(key, deque(maxlen=max(MOST_WRONG, MOST_CHANGES))).append(time.perf_counter())


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

    def __init__(self, invitations: Invitations, wrong: Attempts, scope: Scope) -> None:
        """Use the invitations of a scope; `wrong` counts wrong tokens by address, also those of programs."""
        self.invitations: Final = invitations
        self._scope = scope
        self._wrong = wrong
        self._changes = Attempts()

    def find(self, headers: Headers, invitation_id: str, scope: Scope) -> Invitation | None:
        """Find the session of a request by its cookie; None if it is not valid for an invitation and a scope."""
        cookie = _find_cookie(headers.get("cookie", ""), name_cookie(invitation_id))
        found = None if cookie is None else self.invitations.find_session(cookie)
        return found if found is not None and (found.id, found.scope) == (invitation_id, scope) else None

    def knows(self, invitation_id: str) -> bool:
        """Return True if there is an invitation with an id."""
        return any(one.id == invitation_id for one in self.invitations.all)

    def admit_change(self, request: Request, scope: Scope) -> Invitation | Response:
        """Return the session of a request that changes something, or the refusal of the request."""
        if (refusal := refuse_foreign(request)) is not None:
            return refusal
        found = self.find(request.headers, request.path_params["id"], scope)
        if found is None:
            return refuse(401, "this browser has no session here; open the link of an invitation")
        if self._changes.are_too_many(found.id, MOST_CHANGES):
            return refuse(429, "too many changes; try again in a minute")
        self._changes.note(found.id)
        return found

    async def exchange(self, request: Request, others: "Iterable[Accounts]" = ()) -> Response:
        """Exchange the token of an invitation, also one of others, for a session, and set its cookie."""
        if (refusal := refuse_foreign(request)) is not None:
            return refusal
        address = "" if request.client is None else request.client.host
        if self._wrong.are_too_many(address, MOST_WRONG):
            return refuse(429, "too many wrong links from this address; try again in a minute")
        token = (await read_body(request)).decode("utf-8", "replace").strip('"')
        for accounts in (self, *others):
            if (response := await accounts.begin(request, token)) is not None:
                return response
        self._wrong.note(address)
        return refuse(403, "the link is unknown, was used before, has expired or was revoked; ask for a new one")

    async def begin(self, request: Request, token: str) -> Response | None:
        """Begin a session by a token: the answer has its cookie, and the address of its page."""
        exchanged = await trio.to_thread.run_sync(self.invitations.exchange, token, self._scope)
        if exchanged is None:
            return None
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
        """Make the link with which another device joins, as a token that can be used once and soon."""
        known = [one for one in self.invitations.all if (one.bot, one.scope) == (invitation.bot, invitation.scope)]
        if sum(one.state == "pending" for one in known) >= MOST_LINKS:
            return refuse(429, "too many links wait to be opened; open one of them, or wait until they expire")
        add = self.invitations.add
        token = await trio.to_thread.run_sync(add, invitation.bot, invitation.scope, LINK_DAYS)
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


def _find_cookie(header: str, name: str) -> str | None:
    """Find the value of a cookie, as written; a library would take seconds for quotes of a hostile client."""
    cookies = (one.strip().partition("=") for one in header.split(";"))
    return next((value for found, _, value in cookies if found == name), None)


def refuse(status: int, why: str) -> Response:
    """Refuse a request."""
    return JSONResponse({"error": why}, status)


def refuse_foreign(request: Request) -> Response | None:
    """Refuse a request that a page of another site may have made."""
    if not is_own_origin(request.headers, request.url.scheme):
        return refuse(403, "the request does not come from a page of this server")
    if request.headers.get("content-type") != _JSON:
        return refuse(415, f"the content is not {_JSON}")
    return None

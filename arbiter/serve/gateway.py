"""The gateway: the connections of remote programs, in a process of its own, with the times at which lines arrive.

It knows tokens and heartbeats but no game: whatever else a program sends goes to the process that plays the games.
"""

import itertools
import re
import socket
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from typing import Final

import trio
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Scope, Send

from arbiter.errors import ConfigError
from arbiter.remote.invitations import Invitation, Invitations
from arbiter.remote.link import Alive, AskAlive, Close, Connected, Link, Lost, Measured, Order, Received, Stalled
from arbiter.remote.link import Send as SendOrder
from arbiter.sandbox.beat import BEAT_S, find_beat
from arbiter.serve.accounts import Accounts, RequestRefused, is_own_origin
from arbiter.serve.front import Front, Server
from arbiter.serve.people import TableSettings, make_people_application
from arbiter.serve.websocket import CLOSE_TIMEOUT_S, TooManyWaiting
from protocol.codec import ProtocolError
from protocol.envelope import (
    BROKEN,
    PING_EVERY_S,
    REPLACED,
    SILENCE_S,
    SILENT,
    TRY_LATER,
    UNKNOWN_TOKEN,
    AnyEnvelope,
    EnvelopePing,
    EnvelopePong,
    EnvelopeSync,
    pack,
    unpack,
)

MOST_CONNECTIONS: Final = 2000
LOGIN_S: Final = 5.0
MESSAGES_PER_S: Final = 2000.0  # of one program; more are read later
BURST: Final = 4000.0
MESSAGE_SIZE: Final = 1024  # bytes; a longer message counts as several
STALL_S: Final = 0.005  # a beat that is less late than this was only waiting for its turn
_ROUND_TRIPS: Final = 20
_LOW: Final = 5  # the percentile of round trips: one in five is shorter
_LOOK_S: Final = 0.5
_MS_PER_S: Final = 1000.0
_SOCKET: Final = re.compile("/play/(?P<id>[0-9a-f]{8})/socket")
_PAGE: Final = b"Remote programs connect here, with arbiter-connect.\n"


class _Connection:
    """The connection of a program that has logged in."""

    def __init__(self, number: int, invitation: Invitation, send: Send) -> None:
        self.number = number
        self.invitation = invitation
        self.send = send
        self.heard_at = time.perf_counter()
        self.is_closed = False
        self.synchronised = trio.Event()
        """Set when it was sent the first message, `sync`, which comes from the process that plays the games."""
        self._pings: dict[int, float] = {}
        self._numbers = itertools.count(1)
        self._round_trips: deque[float] = deque(maxlen=_ROUND_TRIPS)
        self._allowed = BURST
        self._counted_at = self.heard_at
        self.scope = trio.CancelScope()
        """Cancelled to end the connection at once."""

    @contextmanager
    def end_if_it_fails(self) -> Iterator[None]:
        """End this connection, and no other, if it cannot be written to."""
        try:
            yield
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError, TooManyWaiting):
            self.scope.cancel()

    async def ping(self) -> None:
        """Send a ping; at most a few wait for their pongs."""
        number = next(self._numbers)
        if len(self._pings) >= _ROUND_TRIPS:
            self._pings.clear()
        self._pings[number] = time.perf_counter()
        await self.tell(EnvelopePing(number))

    def note_pong(self, number: int) -> float | None:
        """Return a low percentile of the latest round trips, in milliseconds; None if there was no such ping."""
        sent_at = self._pings.pop(number, None)
        if sent_at is None:
            return None
        self._round_trips.append(self.heard_at - sent_at)
        return sorted(self._round_trips)[len(self._round_trips) // _LOW] * _MS_PER_S

    def find_delay(self, size: int) -> float:
        """Count a message of so many bytes; return how long to wait before the next one is read."""
        now = self.heard_at
        allowed = min(BURST, self._allowed + (now - self._counted_at) * MESSAGES_PER_S)
        self._allowed = allowed - 1 - size // MESSAGE_SIZE
        self._counted_at = now
        return max(0.0, -self._allowed / MESSAGES_PER_S)

    async def tell(self, envelope: AnyEnvelope) -> None:
        await self.write(pack(envelope))

    async def write(self, message: bytes) -> None:
        """Send a message."""
        await self.send({"type": "websocket.send", "text": message.decode()})

    async def close(self, code: int, why: str) -> None:
        """Close the connection; nothing that the program still sends is read."""
        self.is_closed = True
        await self.send({"type": "websocket.close", "code": code, "reason": why[:100]})
        self.scope.cancel()


class Gateway:
    """The connections of the remote programs of one tournament."""

    def __init__(self, invitations: Invitations, link: Link[Order], people: TableSettings | None = None) -> None:
        """Connect programs, and people if there are settings of their pages."""
        self.accounts: Final = Accounts(invitations, "play")
        self._pages = None if people is None else make_people_application(self.accounts, people)
        self._invitations = invitations
        self._link = link
        self._numbers = itertools.count(1)
        self._connections: dict[int, _Connection] = {}
        self._by_bot: dict[str, _Connection] = {}
        self._beat_at = 0.0

    async def respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Talk to a client; this is the application of the web server."""
        if scope["type"] != "websocket":
            if self._pages is not None:
                await self._pages(scope, receive, send)
                return
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": _PAGE})
            return
        session = _SOCKET.fullmatch(scope["path"])
        if session is not None and not is_own_origin(HTTPConnection(scope).headers, scope["scheme"]):
            await send({"type": "websocket.close"})
            return
        await receive()
        await send({"type": "websocket.accept"})
        logged_in = await self._log_in(HTTPConnection(scope), session and session["id"], receive, send)
        if logged_in is None:
            return
        connection, sync = logged_in
        bot = connection.invitation.name
        older = self._by_bot.get(bot)
        self._connections[connection.number] = self._by_bot[bot] = connection
        self._link.send(Connected(bot, connection.number, sync.games, sync.most_games))
        if older is not None:
            with older.end_if_it_fails():
                await older.close(REPLACED, "replaced by a newer connection with this token")
        try:
            with connection.scope:
                await self._listen(connection, receive)
        finally:
            del self._connections[connection.number]
            if self._by_bot.get(bot) is connection:
                del self._by_bot[bot]
                self._link.send(Lost(bot, connection.number, time.perf_counter()))

    async def _log_in(
        self, request: HTTPConnection, invitation_id: str | None, receive: Receive, send: Send
    ) -> tuple[_Connection, EnvelopeSync] | None:
        """Read the first message; return None if it is not that of an invited program, or of a browser with a session.

        A browser names its invitation.
        """
        code, why = SILENT, f"no message was received within {LOGIN_S:g} s"
        with trio.move_on_after(LOGIN_S):
            try:
                found = None if invitation_id is None else self.accounts.find_session(request, invitation_id)
                first = await receive()
                if first["type"] != "websocket.receive":
                    return None
                envelope, _ = unpack(_read_message(first))
                if not isinstance(envelope, EnvelopeSync):
                    raise ProtocolError("the first message is sync")
                if found is None:
                    with suppress(ConfigError):
                        self._invitations.reload()  # it may have been invited a moment ago
                    token = envelope.token if isinstance(envelope.token, str) else ""
                    found = self.accounts.find_token(request, token, "program")
                return _Connection(next(self._numbers), found, send), envelope
            except ProtocolError as error:
                code, why = BROKEN, str(error)
            except RequestRefused as refusal:
                code, why = TRY_LATER if refusal.status == HTTPStatus.TOO_MANY_REQUESTS else UNKNOWN_TOKEN, str(refusal)
        await send({"type": "websocket.close", "code": code, "reason": why[:100]})
        return None

    async def _listen(self, connection: _Connection, receive: Receive) -> None:
        bot = connection.invitation.name
        number = connection.number
        while (message := await receive())["type"] == "websocket.receive":
            connection.heard_at = at = time.perf_counter()
            data = _read_message(message)
            try:
                envelope, _ = unpack(data)
            except ProtocolError as error:
                await connection.close(BROKEN, str(error))
                return
            if isinstance(envelope, EnvelopePing):
                await connection.synchronised.wait()
                await connection.tell(EnvelopePong(envelope.number))
            elif isinstance(envelope, EnvelopePong):
                if (round_trip_ms := connection.note_pong(envelope.number)) is not None:
                    self._link.send(Measured(bot, number, round_trip_ms))
            elif not isinstance(envelope, EnvelopeSync):
                self._link.send(Received(bot, number, data, at))
            if delay_s := connection.find_delay(len(data)):
                await trio.sleep(delay_s)

    # --- tasks ----------------------------------------------------------------------------------------

    async def obey(self) -> None:
        """Carry out the orders of the process that plays the games, until it ends."""
        while (order := await self._link.receive()) is not None:
            if isinstance(order, AskAlive):
                self._note_stall()
                self._link.send(Alive(order.number))
                continue
            connection = self._connections.get(order.connection)
            if connection is None or connection.is_closed:
                continue
            with connection.end_if_it_fails():
                if isinstance(order, SendOrder):
                    await connection.write(order.message)
                    if not connection.synchronised.is_set():
                        connection.synchronised.set()
                        await connection.ping()
                elif isinstance(order, Close):
                    await connection.close(order.code, order.why)

    async def look_after(self) -> None:
        """Ping all programs, end silent connections and those of revoked tokens; this lasts until it is cancelled."""
        next_ping = 0.0
        while True:
            await trio.sleep(_LOOK_S)
            now = time.perf_counter()
            is_due = now >= next_ping
            valid = None
            with suppress(ConfigError):
                if self._invitations.reload() or is_due:
                    valid = {one.digest for one in self._invitations.all if one.state == "active"}
            if is_due:
                next_ping = now + PING_EVERY_S
            for connection in list(self._connections.values()):
                with connection.end_if_it_fails():
                    if valid is not None and connection.invitation.digest not in valid:
                        await connection.close(UNKNOWN_TOKEN, "the invitation was revoked or has expired")
                    elif now - connection.heard_at > SILENCE_S:
                        await connection.close(SILENT, "nothing was heard for too long")
                    elif is_due and connection.synchronised.is_set():
                        await connection.ping()

    async def run(self) -> None:
        """Carry lines, and report the periods in which this process did not work, until the other process ends."""
        self._beat_at = time.perf_counter()
        find_beat().add(self._on_beat)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._link.carry)
                nursery.start_soon(self.look_after)
                await self.obey()
                nursery.cancel_scope.cancel()
        finally:
            find_beat().remove(self._on_beat)
            for connection in self._connections.values():
                connection.scope.cancel()
            self._link.close()

    def _on_beat(self, _now: float) -> None:
        self._note_stall()
        self._beat_at = time.perf_counter()

    def _note_stall(self) -> None:
        now = time.perf_counter()
        if now - self._beat_at > BEAT_S + STALL_S:
            self._link.send(Stalled(self._beat_at, now))


def _read_message(message: Message) -> bytes:
    text = message.get("text")
    return bytes(message["bytes"]) if text is None else text.encode()


async def serve_gateway(
    listening: socket.socket,
    end: socket.socket,
    invitations: Invitations,
    front: Front,
    people: TableSettings | None = None,
) -> None:
    """Serve remote programs and people until the process that plays the games ends."""
    gateway = Gateway(invitations, Link(end, Order), people)
    server = Server(gateway.respond, front, MOST_CONNECTIONS)
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(listening))
    async with trio.open_nursery() as connections:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(trio.serve_listeners, server.handle, [listener], handler_nursery=connections))
            await gateway.run()
            nursery.cancel_scope.cancel()
        # A connection that is closed before its client has answered the last frame may lose that frame.
        connections.cancel_scope.deadline = trio.current_time() + CLOSE_TIMEOUT_S

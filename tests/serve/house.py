"""All servers of a tournament at once, on real sockets, with people and programs that knock at their doors."""

import json
import socket
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from itertools import count
from typing import NamedTuple

import trio
from serve.author import COMMAND, Author
from serve.client import PATIENCE_S, FakeTournament, Reply, run_in_thread
from starlette.routing import Mount
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from arbiter.remote.invitations import Invitations
from arbiter.serve.accounts import Accounts
from arbiter.serve.app import make_application
from arbiter.serve.background import listen
from arbiter.serve.front import Front
from arbiter.serve.gateway import serve_gateway
from arbiter.serve.guests import Guests
from arbiter.serve.live_games import SpectatorSettings
from arbiter.serve.pages import Pages
from arbiter.serve.people import TableSettings, make_people_application
from arbiter.serve.places import Places
from arbiter.serve.server import serve

TABLE = ("/bin/sh", "-c", "echo ready; exec cat >/dev/null")
BOTS = {"program": "bot", "play": "ann", "submit": "deep", "organise": "eva"}
DIRECT = Front()
LONG_AGO = "2026-01-01T00:00:00+00:00"
FAULTS = {"revoked": {"revoked": LONG_AGO}, "expired": {"expires": LONG_AGO}}
JSON = "application/json"


class Holder(NamedTuple):
    """The session of a browser, and the token with which it began."""

    id: str = "00000000"
    secret: str = "x" * 43
    token: str = ""

    @property
    def cookie(self):
        return f"arbiter-{self.id}={self.secret}"


class House:
    """The web server and the gateway of one tournament; each request comes from another address by default."""

    def __init__(self, folder):
        self.folder = folder
        self.author = Author(folder, per_day=1000)
        number = self.author.submit("failed")
        (self.author.folder / str(number) / "archive").write_bytes(b"private")
        (self.author.folder / "contests").mkdir()
        (self.author.folder / "contests" / "1.zip").write_bytes(b"private")
        self.invitations = Invitations(folder / "club.invites")
        self.known, self.links = {}, {}
        """Holders by scope and state, and those of links that nobody has opened."""
        for scope, bot in BOTS.items():
            self.known[scope, "used"] = self.make(scope, bot)
            for state in ("other", *FAULTS):
                self.known[scope, state] = self.make(scope, state)
                self.links[scope, state] = Holder(token=self.invitations.add(state, scope))
        stored = [one | FAULTS.get(one["name"], {}) for one in json.loads(self.invitations.file.read_bytes())]
        self.invitations.file.write_text(json.dumps(stored))
        self.settings = TableSettings(title="Club")
        guests = Guests(TABLE, lambda: ["hunter"], 1000, self.settings)
        self.services = {"authors": self.author.authors, "organisers": self.author.organisers, "guests": guests}
        self.places = {name: listen("127.0.0.1", 0) for name in ("web", "gateway")}
        self.ports = {name: place.getsockname()[1] for name, place in self.places.items()}
        self._numbers = count()
        self._addresses = (f"127.1.{number // 250}.{number % 250 + 1}" for number in count())

    def make(self, scope, bot):
        """Invite somebody and begin a session, without asking a server."""
        token = self.invitations.add(bot, scope)
        if scope == "program":
            return Holder(self.invitations.all[-1].id, token=token)
        found, secret = self.invitations.exchange(token, scope)
        return Holder(found.id, secret, token)

    def new_address(self):
        return next(self._addresses)

    async def serve(self, wait):
        near, far = socket.socketpair()
        web = partial(serve, FakeTournament(), SpectatorSettings(), self.places["web"], **self.services)
        gateway = partial(serve_gateway, self.places["gateway"], far, Invitations(self.invitations.file), DIRECT)
        with near:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(web)
                nursery.start_soon(gateway, self.settings)
                await wait()
                nursery.cancel_scope.cancel()

    def list_routes(self):
        """List all addresses of the servers, except WebSockets: the server, the method and the path."""
        people = make_people_application(Accounts(self.invitations, "play"), self.settings)
        web = make_application(Pages(FakeTournament(), SpectatorSettings()), (), Places(1), **self.services)
        found = [("gateway", route) for route in people.routes]
        for route in web.routes:
            inner = [one for one in people.routes if one.path.startswith(f"{route.path}/{{")]
            found += [("web", one) for one in (inner if isinstance(route, Mount) else [route])]
        return {(server, method, route.path) for server, route in found for method in route.methods - {"HEAD"}}

    # --- requests -------------------------------------------------------------------------------------

    def own_origin(self, server):
        return f"http://localhost:{self.ports[server]}"

    def ask(self, server, method, path, body=b"", source=None, **headers):
        """Send a request, with headers by their names; None leaves one out."""
        port = self.ports[server]
        given = {"host": f"localhost:{port}", "x_arbiter_command": COMMAND} | headers
        sent = {name.replace("_", "-"): value for name, value in given.items() if value is not None}
        connection = HTTPConnection("127.0.0.1", port, PATIENCE_S, (source or self.new_address(), 0))
        try:
            connection.request(method, path, body if method == "POST" else None, sent)
            found = connection.getresponse()
            headers = {name.lower(): value for name, value in found.getheaders()}
            is_stream = headers.get("content-type", "").startswith("text/event-stream")
            return Reply(found.status, headers, b"" if is_stream else found.read())
        finally:
            connection.close()

    def knock(self, server, path, token=None, source=None, host="localhost", **headers):
        """Open a WebSocket and log in; return the status or the code of its end, 4002 for one that was let in.

        A client that was let in sends a message that ends the connection.
        """
        port = self.ports[server]
        raw = socket.create_connection(("127.0.0.1", port), PATIENCE_S, (source or self.new_address(), 0))
        sync = {"kind": "sync", "version": 1, "games": []} | ({} if token is None else {"token": token})
        try:
            with connect(
                f"ws://{host}:{port}{path}",
                sock=raw,
                compression=None,
                open_timeout=PATIENCE_S,
                additional_headers={name: value for name, value in headers.items() if value is not None},
            ) as client:
                client.send(json.dumps(sync))
                client.send(json.dumps({"kind": "bribe"}))
                while True:
                    client.recv(PATIENCE_S)
        except InvalidStatus as refusal:
            return refusal.response.status_code
        except ConnectionClosed as closed:
            return closed.rcvd and closed.rcvd.code
        finally:
            raw.close()

    # --- newcomers ------------------------------------------------------------------------------------

    def send_own(self, server, path, body=b"", **headers):
        """Send a request as a page of a server does, which must succeed."""
        answer = self.ask(server, "POST", path, body, origin=self.own_origin(server), content_type=JSON, **headers)
        assert answer.status == 200, answer
        cookie = answer.headers.get("set-cookie", "").partition(";")[0].partition("=")[2]
        return json.loads(answer.body).get("address", ""), cookie

    def join(self, server, scope):
        """Invite somebody who opens the link, or let a guest open a table."""
        # An entrant may have a few links that nobody has opened.
        bot = f"ann {next(self._numbers)}" if scope == "play" else BOTS.get(scope)
        token = "" if scope == "guest" else self.invitations.add(bot, scope)
        body = b'{"bot": "hunter"}' if scope == "guest" else json.dumps(token).encode()
        place, secret = self.send_own(server, "/guests/tables" if scope == "guest" else "/session", body)
        return Holder(place.split("/")[2], secret, token)

    def find(self, server, scope, state):
        """Find a holder in a state; None if there is none."""
        if scope == "guest" and (scope, state) not in self.known and state != "expired":
            self.known[scope, state] = holder = self.join(server, scope)
            if state == "revoked":
                self.send_own(server, f"/play/{holder.id}/leave", cookie=holder.cookie)
        return self.known.get((scope, state))

    def read_files(self):
        """Return all that is stored."""
        return {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}


@contextmanager
def open_house(folder):
    """Run the servers in a thread."""
    house = House(folder)
    with run_in_thread(house.serve):
        yield house

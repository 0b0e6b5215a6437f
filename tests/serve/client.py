"""Clients that call applications in this process, servers in a thread, and a served tournament made of values."""

import json
import threading
from contextlib import contextmanager
from functools import partial
from inspect import Signature, signature
from typing import NamedTuple

import pytest
import trio
from msgspec.structs import replace
from show.report.sample_reports import GOLDEN, make_game, make_log, make_report_data
from trio.testing import memory_stream_pair

from arbiter.errors import ConfigError
from arbiter.serve import app, live_games, pages
from arbiter.serve.app import MOST_STREAMS, keep_updating, make_application
from arbiter.serve.connection import Peer, handle_connection
from arbiter.serve.live_games import make_spectator_settings
from arbiter.serve.pages import Pages
from arbiter.serve.places import Places
from arbiter.show.report.values import Download, GameFinder
from arbiter.tournament.events import Began
from arbiter.tournament.fixture import make_fixture

DUEL = next(path for path in GOLDEN if path.stem == "duel").read_bytes()
CARDS = next(path for path in GOLDEN if path.stem == "card-game").read_bytes()
PATIENCE_S = 60
OPEN = make_spectator_settings(show_all=False, delay=0, lang="en")
OFTEN_S = 0.02
"""Time between updates: no test needs to wait as long as readers do."""
BOTS = ("hunter", "mine")
LIVE = Began(make_fixture("hunter", "mine", 9, 1), "2026-01-01T12:34:56+00:00")


class FakeTournament:
    """A tournament with one finished game and one game in progress, whose record has `lines` lines."""

    def __init__(self, *, lines=0):
        self.games = [make_game(0, *BOTS)]
        self.lines = lines
        self.whole = DUEL.splitlines(keepends=True)
        self.playing = [LIVE]
        self.watched = True
        self.presence = {}
        self.failure = None
        self.asked = 0

    def report_version(self):
        if self.failure:
            raise self.failure
        return len(self.games)

    def games_in_progress(self):
        return self.playing

    def list_presence(self):
        return self.presence

    def results(self):
        self.asked += 1
        table = Download(
            "downloads/games.csv", "games_file", lambda: "\n".join(game.id for game in self.games).encode()
        )
        finder = GameFinder(self.list_games, self.find_game)
        data = make_report_data(BOTS, self.games)
        return replace(data, total=4, finished=False, downloads=[table], finder=finder)

    def list_games(self, bots, before, most):
        numbered = list(enumerate(self.games, start=1))[::-1]
        chosen = [one for one in numbered if one[0] < before and set(bots) <= {one[1].red, one[1].blue}]
        return dict(chosen[:most]), chosen[most - 1][0] if len(chosen) > most else None

    def find_game(self, game_id):
        return next((one for one in enumerate(self.games, start=1) if one[1].id == game_id), None)

    def record(self, game_id):
        if game_id not in {game.id for game in self.games}:
            raise ConfigError(f"no game {game_id}")
        return DUEL

    def log(self, game_id):
        return make_log(game_id)

    def can_be_watched(self):
        return self.watched

    def live_record(self, game_id):
        assert game_id == LIVE.fixture.id
        return b"".join(self.whole[: self.lines])

    def finish(self):
        self.playing = []
        self.games.append(make_game(1, *BOTS, id=LIVE.fixture.id))


class Answer:
    """Status, headers and body of an answer; the body grows as it arrives."""

    def __init__(self):
        self.status = None
        self.headers = {}
        self.body = b""
        self.received = trio.Event()

    async def send(self, message):
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")
        self.received.set()
        self.received = trio.Event()

    async def wait_for(self, part):
        """Wait until the body contains some bytes."""
        while part not in self.body:
            await self.received.wait()


def make_scope(target, method="GET", host="localhost", **headers):
    """Make the ASGI scope of a request."""
    path, _, query = target.partition("?")
    fields = {"host": host} | {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }


class Client:
    """Calls an application whose pages are kept up to date."""

    def __init__(self, source, settings, nursery):
        self.source = source
        self.pages = Pages(source, settings)
        listeners = Places(MOST_STREAMS)
        self.app = make_application(self.pages, ["localhost"], listeners)
        self._nursery = nursery
        nursery.start_soon(keep_updating, self.pages, listeners)

    async def request(self, target, **options):
        """Send a request and return the complete answer."""
        answer = Answer()
        await self.app(make_scope(target, **options), _wait_forever, answer.send)
        return answer

    def listen(self, target, **options):
        """Request a stream; return its growing answer and the scope that cancels it."""
        answer = Answer()
        scope = trio.CancelScope()

        async def follow():
            with scope:
                await self.app(make_scope(target, **options), _wait_forever, answer.send)

        self._nursery.start_soon(follow)
        return answer, scope


def call_with(run):
    """Call an async test by `run`, which passes its first argument; pytest passes the others."""

    def decorate(test):
        def call(**arguments):
            run(partial(test, **arguments))

        _, *others = signature(test).parameters.values()
        call.__signature__, call.__name__, call.__doc__ = Signature(others), test.__name__, test.__doc__
        return call

    return decorate


def served(settings=OPEN, **words):
    """Call a test with a client of a tournament that is made with some words."""
    return call_with(lambda test: run_with_client(FakeTournament(**words), settings, test))


class Reply(NamedTuple):
    """A complete answer, with the names of its headers in lower case."""

    status: int
    headers: dict
    body: bytes

    @property
    def content(self):
        """Return the body, read if it is JSON."""
        return json.loads(self.body) if self.headers.get("content-type") == "application/json" else self.body


async def send(app, method, target, body=b"", *, peer=Peer("10.0.0.1"), **headers):  # noqa: B008 - it is frozen
    """Send a request through a connection, with headers by their names; None leaves one out."""
    fields = {"host": "club.example", "content_length": len(body)} | headers
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items() if value is not None)
    if "transfer_encoding" in headers:
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    near, far = memory_stream_pair()
    await near.send_all(f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode() + body)
    received = b""
    with trio.fail_after(PATIENCE_S):
        await handle_connection(app, far, peer)
        while more := await near.receive_some():
            received += more
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return Reply(int(status.split()[1]), headers, body)


@contextmanager
def run_in_thread(work):
    """Run an async function in a thread; it receives one that waits until the block ends."""
    ended = threading.Event()
    thread = threading.Thread(target=trio.run, args=[work, partial(trio.to_thread.run_sync, ended.wait)])
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(PATIENCE_S)
    assert not thread.is_alive()


async def _wait_forever():
    await trio.sleep_forever()


def run_with_client(source, settings, talk):
    """Call `talk` with a client of a served tournament."""

    async def main():
        with trio.fail_after(PATIENCE_S):
            async with trio.open_nursery() as nursery:
                await talk(Client(source, settings, nursery))
                nursery.cancel_scope.cancel()

    with pytest.MonkeyPatch.context() as changed:
        for module, name in ((pages, "UPDATE_EVERY_S"), (app, "UPDATE_EVERY_S"), (app, "BOARDS_EVERY_S")):
            changed.setattr(module, name, OFTEN_S)
        changed.setattr(live_games, "UPDATE_EVERY_S", OFTEN_S)
        trio.run(main)

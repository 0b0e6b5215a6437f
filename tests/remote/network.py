"""A gateway and a hub in this trio run, and clients in processes of their own."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import trio
from fork_server import connect_to_server
from referee.real_games import BOTS, TrackedIsolation, check_game, children, make_spec
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from arbiter.referee.game import play_game
from arbiter.referee.log import GameLogWriter
from arbiter.referee.timer import lag_monitor
from arbiter.remote.hub import Hub, NetworkPlayer
from arbiter.remote.invitations import Invitations
from arbiter.serve.background import listen, open_gateway
from arbiter.serve.front import Front
from arbiter.serve.gateway import serve_gateway

PATIENCE_S = 60
OPEN = Front()
ROOT = Path(__file__).parent.parent.parent


class Network:
    """The server's side: a port at which invited programs connect."""

    def __init__(self, hub, invitations, port, nursery):
        self.hub = hub
        self.invitations = invitations
        self.port = port
        self.scheme = "ws"
        self.nursery = nursery
        self.changed = trio.Event()

    def address(self, bot, port=None):
        """Invite a bot; return its address with the token, maybe at the port of a proxy."""
        return f"{self.scheme}://127.0.0.1:{port or self.port}/#{self.invitations.add(bot)}"

    async def wait_for(self, *bots):
        """Wait until programs are connected."""
        with trio.fail_after(PATIENCE_S):
            while not all(map(self.hub.is_ready, bots)):
                await self.changed.wait()
                self.changed = trio.Event()

    async def wait_for_lines(self, count):
        """Wait until so many lines of a program have arrived in a game."""
        with trio.fail_after(PATIENCE_S):
            while not any(one.received >= count for one in self.hub._links.values()):  # noqa: ASYNC110
                await trio.sleep(0.01)

    def note_change(self):
        self.changed.set()

    def program(self, bot):
        return NetworkPlayer(bot, self.hub)


@asynccontextmanager
async def open_network(folder, front=OPEN):
    """Open a gateway at a free port."""
    near, far = socket.socketpair()
    place = listen("127.0.0.1", 0)
    invitations = Invitations(folder / "test.invites")
    async with trio.open_nursery() as nursery:
        hub = Hub(near)
        nursery.start_soon(serve_gateway, place, far, Invitations(folder / "test.invites"), front)
        network = Network(hub, invitations, place.getsockname()[1], nursery)
        nursery.start_soon(hub.run, network.note_change)
        yield network
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def open_whole_network(folder, *words):
    """Open a gateway as `arbiter run` does, in a process of its own, whose number is `gateway`."""
    connect_to_server()  # so that the gateway is the only new child
    invitations, older = Invitations(folder / "test.invites"), set(children())
    with open_gateway(invitations.file, "127.0.0.1", 0, words) as (address, link):
        hub = Hub(link)
        hub.on_stall = lag_monitor().note_stall
        async with trio.open_nursery() as nursery:
            network = Network(hub, invitations, urlsplit(address).port, nursery)
            network.scheme = urlsplit(address).scheme
            (network.gateway,) = set(children()) - older
            nursery.start_soon(hub.run, network.note_change)
            yield network
            nursery.cancel_scope.cancel()


def connect_words(bot, *words):
    """Return the command of a bot of the tests."""
    return [sys.executable, str(BOTS / f"{bot}.py"), *words]


@contextmanager
def start_client(address, command, *options, **settings):
    """Run `arbiter-connect` in a process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "protocol.connect", *options, address, "--", *command],
        cwd=ROOT,
        process_group=0,
        **{"stderr": subprocess.DEVNULL} | settings,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):  # with its bots, which may outlive it
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE_S)


class RawClient:
    """A client that sends what a test wants."""

    def __init__(self, network, token, games=()):
        address = f"ws://127.0.0.1:{network.port}/"
        self._connection = network.clients.enter_context(connect(address, compression=None, close_timeout=1))
        self.send({"kind": "sync", "token": token, "version": 1, "games": list(games)})

    def send(self, envelope, line=None):
        with suppress(ConnectionClosed):
            self._connection.send(json.dumps(envelope) + ("" if line is None else "\n" + line))

    def receive(self, *kinds):
        """Return the next message of some kinds; a ping is answered."""
        while True:
            envelope, line = self.next("ping", *kinds)
            if envelope["kind"] == "ping":
                self.send({"kind": "pong", "number": envelope["number"]})
            if envelope["kind"] in kinds:
                return envelope, line

    def next(self, *kinds):
        """Return the next message of some kinds; pings are not answered."""
        while True:
            head, _, line = self._connection.recv(PATIENCE_S).partition("\n")
            envelope = json.loads(head)
            if envelope["kind"] in kinds:
                return envelope, line

    def close(self):
        self._connection.close()

    def find_code(self):
        """Wait until the server closes the connection; return its code."""
        try:
            while True:
                self._connection.recv(PATIENCE_S)
        except ConnectionClosed as error:
            return error.rcvd and error.rcvd.code


def run_script(script, network, *words):
    """Call a script with a network, and close its clients."""
    with ExitStack() as network.clients:
        script(network, *words)


def talk(folder, script, *words, opened=open_network):
    """Call `script(network, *words)` in a thread while a gateway runs."""

    async def main():
        with trio.fail_after(PATIENCE_S):
            async with opened(folder) as network:
                await trio.to_thread.run_sync(run_script, script, network, *words)

    trio.run(main)


async def play_in(red, blue, **options):
    """Play a game between programs and check it."""
    tracked = TrackedIsolation()
    log = GameLogWriter()
    with trio.fail_after(PATIENCE_S):
        played = await play_game(make_spec(red, blue, **options), tracked, log)
    game = check_game(played, tracked)
    game.log = log.log()
    return game


def sent_lines(game, seat):
    """Return the lines that the arbiter has sent to a seat, without what differs in time."""
    return [line.text for line in game.log.wire[seat].lines if line.sent]

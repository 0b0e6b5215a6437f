"""Tables of guests: who may open one, how many, and what becomes of them."""

import json
import re
import socket
import sys
import tempfile
from functools import partial
from itertools import count

import pytest
import trio
from serve.client import PATIENCE_S, call_with, send
from starlette.applications import Starlette

from arbiter.remote.invitations import SUFFIX, Invitations
from arbiter.remote.link import Link, Order
from arbiter.serve.accounts import RequestRefused, answer_refusal
from arbiter.serve.connection import Peer
from arbiter.serve.gateway import Gateway
from arbiter.serve.guests import MOST_STARTS, Guests
from arbiter.serve.people import TableSettings
from protocol.envelope import ENVELOPE_VERSION, EnvelopeSync, pack

OWN = "http://club.example"
TABLE = "import sys; print('ready', flush=True); sys.stdin.read()"
NO_TABLE = "print('it cannot be opened')"


class Visitors:
    """Visitors of a server, whose tables end when `tables` is left."""

    def __init__(self, program=TABLE, most=2):
        settings = TableSettings(title="club", lang="de", presets=())
        self.readings = 0
        self.guests = Guests([sys.executable, "-c", program], self.list_bots, most, settings)
        self.app = Starlette(routes=self.guests.list_routes(), exception_handlers={RequestRefused: answer_refusal})

    def list_bots(self):
        self.readings += 1
        return ["random", "hunter"]

    async def ask(self, bot="random", address="10.0.0.1", body=None, path="/guests/tables", method="POST", **changed):
        peer = Peer(address, is_proxy=changed.pop("is_proxy", False))
        data = json.dumps({"bot": bot}).encode() if body is None else body
        headers = {"origin": OWN, "content_type": "application/json"} | changed
        answer = await send(self.app, method, path, data, peer=peer, **headers)
        self.cookie = answer.headers.get("set-cookie", "").partition(";")[0]
        return answer.status, answer.content


def run(visitors, work=None):
    """Run the tables of visitors while `work` is done, if there is some."""

    async def work_with_tables():
        with trio.fail_after(PATIENCE_S):
            async with trio.open_nursery() as nursery:
                await nursery.start(visitors.guests.run)
                if work is not None:
                    await work(visitors)
                nursery.cancel_scope.cancel()

    trio.run(work_with_tables)


def visited(*words, **settings):
    """Call a test with visitors who are made with some words."""
    return call_with(lambda test: run(Visitors(*words, **settings), test))


@visited()
async def test_tables_are_limited_in_all_and_by_address(visitors):
    status, answer = await visitors.ask("hunter")
    assert (status, re.fullmatch("/play/[0-9a-f]{8}/", answer["address"]) is not None) == (200, True)
    assert (await visitors.ask())[0] == 409
    assert (await visitors.ask(address="10.0.0.2"))[0] == 200
    status, answer = await visitors.ask(address="10.0.0.3")
    assert (status, answer["error"]) == (503, "all tables are taken; try again later")


@visited(most=3)
async def test_behind_a_proxy_the_client_that_it_reports_counts(visitors):
    for client, expected in [("192.0.2.1", 200), ("192.0.2.1", 409), ("192.0.2.1, 192.0.2.2", 200)]:
        status, _ = await visitors.ask(is_proxy=True, x_forwarded_for=client)
        assert status == expected
    assert (await visitors.ask(x_forwarded_for="192.0.2.3"))[0] == 200
    assert (await visitors.ask(x_forwarded_for="192.0.2.4"))[0] == 409  # only the proxy is believed


@visited()
async def test_requests_that_arrive_together_count_each_other(visitors):
    statuses = []

    async def ask(number):
        statuses.append((await visitors.ask(address=f"10.0.0.{number // 2}"))[0])

    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(ask, number)
    assert statuses.count(200) == 2
    assert statuses.count(409) >= 2  # the others from the same addresses
    assert len(statuses) == 8


@visited(TABLE.replace("sys.stdin.read()", "sys.stdout.close()"), most=1)
async def test_a_table_that_has_ended_is_free(visitors):
    addresses = (f"10.0.0.{number}" for number in count())
    opened = 0
    while opened < 3:
        status, answer = await visitors.ask(address=next(addresses))
        opened += status == 200
    while (await visitors.ask(path=answer["address"], method="GET"))[0] != 307:
        pass


@visited()
async def test_a_guest_and_another_device_see_the_table(visitors):
    own = (await visitors.ask("hunter"))[1]["address"]
    cookie = visitors.cookie
    status, table = await visitors.ask(path=f"{own}table", method="GET", cookie=cookie)
    assert (status, table["name"], table["opponents"]) == (200, "you", {"you": "hunter"})
    assert (await visitors.ask(path="/words/de", method="GET"))[1]["texts"][
        "guest_title"
    ] == "Gegen ein Programm spielen"
    assert (await visitors.ask(path="/guests/bots", method="GET"))[1] == {"lang": "de", "bots": ["hunter", "random"]}
    link = (await visitors.ask(path=f"{own}link", cookie=cookie, body=b""))[1]["address"]
    status, joined = await visitors.ask(path="/session", body=json.dumps(link.partition("#")[2]).encode())
    assert status == 200
    assert (await visitors.ask(path=f"{joined['address']}table", method="GET", cookie=visitors.cookie))[0] == 200


def test_the_end_of_a_table_ends_its_connections(tmp_path):
    near, far = socket.socketpair()
    invitations = Invitations(tmp_path / "table.invites")
    gateway = Gateway(invitations, Link(near, Order))
    sync = pack(EnvelopeSync([], ENVELOPE_VERSION, token=invitations.add("you"), most_games=1))
    messages = [{"type": "websocket.connect"}, {"type": "websocket.receive", "text": sync.decode()}]

    async def receive():
        if messages:
            return messages.pop(0)
        far.close()  # the process of the table ends without a word
        return await trio.sleep_forever()

    async def send(_):
        await trio.lowlevel.checkpoint()

    async def main():
        with trio.fail_after(PATIENCE_S):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(gateway.run)
                scope = {"type": "websocket", "path": "/", "client": ("10.0.0.1", 1), "headers": []}
                await gateway.respond(scope, receive, send)

    trio.run(main)


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"body": b"[]"}, 400), ({"body": bytes(10_000)}, 400), ({"bot": "--help"}, 404), ({"bot": "mine"}, 404)],
)
@visited()
async def test_what_is_refused(visitors, changes, status):
    assert (await visitors.ask(**changes))[0] == status


@visited(NO_TABLE)
async def test_a_table_that_cannot_be_opened_is_explained_and_tried_only_a_few_times(visitors):
    for _ in range(MOST_STARTS):
        assert await visitors.ask() == (502, {"error": "the game could not begin; ask the organiser"})
    assert (await visitors.ask())[0] == 429


@visited()
async def test_requests_that_arrive_together_read_the_bots_once(visitors):
    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(partial(visitors.ask, path="/guests/bots", method="GET"))
    visitors.guests._known_until = 0.0  # as if some seconds had passed
    await visitors.ask(path="/guests/bots", method="GET")
    assert visitors.readings == 2


def test_folders_that_killed_servers_left_are_removed_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / "arbiter-guests-left"
    left.mkdir()
    (left / f"1{SUFFIX}").touch()
    first = Visitors()
    assert not left.exists()
    (kept,) = tmp_path.iterdir()
    second = Visitors()
    assert len(list(tmp_path.iterdir())) == 2
    for visitors in (first, second):
        run(visitors)
    assert list(tmp_path.iterdir()) == []
    assert not kept.exists()

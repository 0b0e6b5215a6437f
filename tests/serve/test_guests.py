"""Tables of guests: who may open one, how many, and what becomes of them."""

import json
import sys
from functools import partial
from itertools import count

import h11
import pytest
import trio
from serve.client import PATIENCE_S
from starlette.applications import Starlette

from arbiter.serve.connection import Peer, handle_connection
from arbiter.serve.people import MOST_STARTS, Guests

OWN = "http://club.example"
TABLE = "import sys; print('open http://127.0.0.1:1/play/#' + sys.argv[-1], flush=True); sys.stdin.read()"
NO_TABLE = "print('it cannot be opened')"


class Visitors:
    """Visitors of a server, whose tables end when `tables` is left."""

    def __init__(self, program=TABLE, most=2):
        self.guests = Guests([sys.executable, "-c", program], lambda: ["random", "hunter"], most)
        self.app = Starlette(routes=self.guests.list_routes())

    async def ask(self, bot="random", address="10.0.0.1", body=None, **changed):
        headers = {"Host": "club.example", "Origin": OWN, "Content-Type": "application/json"}
        headers |= {name.title().replace("_", "-"): value for name, value in changed.items()}
        data = json.dumps({"bot": bot}).encode() if body is None else body
        headers["Content-Length"] = str(len(data))
        given = [(name, value) for name, value in headers.items() if value is not None]
        near, far = trio.testing.memory_stream_pair()
        client = h11.Connection(h11.CLIENT)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(handle_connection, self.app, far, Peer(address)))
            await near.send_all(client.send(h11.Request(method="POST", target="/guests/tables", headers=given)))
            await near.send_all(client.send(h11.Data(data)) + client.send(h11.EndOfMessage()))
            status, answer = 0, b""
            while not isinstance(event := client.next_event(), h11.EndOfMessage):
                if event is h11.NEED_DATA:
                    client.receive_data(await near.receive_some())
                elif isinstance(event, h11.Response):
                    status = event.status_code
                elif isinstance(event, h11.Data):
                    answer += event.data
            nursery.cancel_scope.cancel()
        return status, json.loads(answer)


def run(visitors, work):
    """Run the tables of visitors while `work` is done."""

    async def work_with_tables():
        with trio.fail_after(PATIENCE_S):
            async with trio.open_nursery() as nursery:
                await nursery.start(visitors.guests.run)
                await work()
                nursery.cancel_scope.cancel()

    trio.run(work_with_tables)


def test_tables_are_limited_in_all_and_by_address():
    visitors = Visitors()

    async def work():
        assert await visitors.ask("hunter") == (200, {"address": "http://127.0.0.1:1/play/#hunter"})
        assert (await visitors.ask())[0] == 409
        assert (await visitors.ask(address="10.0.0.2"))[0] == 200
        status, answer = await visitors.ask(address="10.0.0.3")
        assert (status, answer["error"]) == (503, "all tables are taken; try again later")

    run(visitors, work)


def test_a_table_that_has_ended_is_free():
    visitors = Visitors(TABLE.replace("sys.stdin.read()", "sys.stdout.close()"), most=1)

    async def work():
        addresses = (f"10.0.0.{number}" for number in count())
        opened = 0
        while opened < 3:
            opened += (await visitors.ask(address=next(addresses)))[0] == 200

    run(visitors, work)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"origin": None}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"content_type": "text/plain"}, 415),
        ({"body": b"[]"}, 400),
        ({"body": bytes(10_000)}, 400),
        ({"bot": "--help"}, 404),
        ({"bot": "mine"}, 404),
    ],
)
def test_what_is_refused(changes, status):
    visitors = Visitors()

    async def work():
        assert (await visitors.ask(**changes))[0] == status

    run(visitors, work)


def test_a_table_that_cannot_be_opened_is_explained_and_tried_only_a_few_times():
    visitors = Visitors(NO_TABLE)

    async def work():
        for _ in range(MOST_STARTS):
            assert (await visitors.ask())[1] == {"error": "the game could not begin; ask the organiser"}
        assert (await visitors.ask())[0] == 429

    run(visitors, work)

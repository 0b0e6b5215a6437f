"""Faults of connections and clients, and clients that do what they must not."""

import json
import shutil
import socket
import subprocess
import threading
from queue import Queue

import pytest
import trio
from referee.real_games import bot
from remote.network import (
    PATIENCE_S,
    ROOT,
    RawClient,
    connect_words,
    open_network,
    play_in,
    run_script,
    start_client,
    talk,
)
from websockets.sync.server import serve

from arbiter.clock import TimeSettings
from arbiter.games.ruleset import Overrides
from arbiter.remote.compensation import MOST_MS, SHARE, Compensation
from protocol.connect import main as run_connect
from protocol.envelope import BROKEN, REPLACED, UNKNOWN_TOKEN

pytestmark = pytest.mark.usefixtures("adopting")


LONGER = Overrides(no_attack_plies=24)


def test_a_newer_connection_replaces_the_older_one(tmp_path):
    def script(network):
        token = network.invitations.add("deep")
        older = RawClient(network, token)
        older.receive("sync")
        newer = RawClient(network, token)
        assert newer.receive("sync")[0]["name"] == "deep"
        assert older.find_code() == REPLACED
        newer.receive("ping")

    talk(tmp_path, script)


def test_a_revoked_token_ends_its_connection(tmp_path):
    def script(network):
        client = RawClient(network, network.invitations.add("deep"))
        client.receive("sync")
        network.invitations.revoke("deep")
        assert client.find_code() == UNKNOWN_TOKEN

    talk(tmp_path, script)


WRONG = {
    "no JSON": lambda client: client._connection.send("hello"),
    "an unknown kind": lambda client: client.send({"kind": "bribe"}),
    "a number too high": lambda client: client.send({"kind": "line", "game": "x", "seq": 2**80}),
    "not UTF-8": lambda client: client._connection.send(b"\xff\xfe"),
}


@pytest.mark.parametrize("send", WRONG.values(), ids=WRONG)
def test_a_wrong_message_ends_the_connection(tmp_path, send):
    def script(network):
        client = RawClient(network, network.invitations.add("deep"))
        client.receive("sync")
        send(client)
        assert client.find_code() == BROKEN

    talk(tmp_path, script)


def test_lines_count_once_and_those_of_other_games_have_expired(tmp_path):
    async def main():
        with trio.fail_after(PATIENCE_S):
            async with open_network(tmp_path) as network:
                token, other = network.invitations.add("deep"), network.invitations.add("other")
                conversation = network.hub.open_link("deep", TimeSettings())
                conversation.send(b'{"type":"hello"}')
                await trio.to_thread.run_sync(run_script, script, network, token, other, conversation.game)
                assert await conversation.reader.line() == b"first"
                assert conversation.reader.unsolicited() == b""
                assert conversation.received == 1

    def script(network, token, other, game):
        client = RawClient(network, token)
        assert client.receive("line") == ({"kind": "line", "game": game, "seq": 1}, '{"type":"hello"}')
        again = RawClient(network, token, [{"game": game, "seq": 0}])
        assert again.receive("line")[1] == '{"type":"hello"}', "not acknowledged, so repeated"
        line = {"kind": "line", "game": game, "seq": 1, "ack": 1}
        again.send(line, "first")
        again.send(line, "first")
        assert again.receive("ack")[0]["seq"] == 1
        again.send(line, "second")
        assert again.receive("refused")[0]["seq"] == 1
        foreign = RawClient(network, other)
        foreign.send(line, "mine")
        assert foreign.receive("expired")[0]["game"] == game
        again.send({**line, "seq": 7}, "a gap")
        assert again.find_code() == BROKEN

    trio.run(main)


def test_a_client_that_was_started_again_gets_the_lines_of_a_long_game_in_parts(tmp_path):
    lines = [b"%d %s" % (number, b"x" * 8000) for number in range(1, 801)]

    async def main():
        with trio.fail_after(PATIENCE_S):
            async with open_network(tmp_path) as network:
                token = network.invitations.add("deep")
                conversation = network.hub.open_link("deep", TimeSettings())
                await trio.to_thread.run_sync(run_script, script, network, token, conversation)

    def script(network, token, conversation):
        first = RawClient(network, token)
        for line in lines:
            trio.from_thread.run(conversation.writer.send, line + b"\n")
            number, _ = first.receive("line")
            first.send({"kind": "ack", "game": conversation.game, "seq": number["seq"]})
        for received in (0, 123):
            again = RawClient(network, token, [{"game": conversation.game, "seq": received}])
            found = []
            while len(found) < len(lines) - received:
                envelope, line = again.next("line", "ping")
                if envelope["kind"] == "line":
                    found.append(line.encode())
                else:
                    again.send({"kind": "pong", "number": envelope["number"]})
                    again.send({"kind": "ack", "game": conversation.game, "seq": received + len(found)})
            assert found == lines[received:]

    trio.run(main)


@pytest.mark.parametrize("restarts", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3, 5))])
def test_a_client_that_is_killed_and_started_again_plays_on(tmp_path, restarts):
    async def main():
        async with open_network(tmp_path) as network:
            address = network.address("deep")
            with start_client(address, connect_words("base")) as first:
                await network.wait_for("deep")
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(kill_soon, network, first, address)
                    game = await play_in(network.program("deep"), bot("thinks", "0.05"), overrides=LONGER)
                    nursery.cancel_scope.cancel()
        return game

    async def kill_soon(network, first, address):
        await network.wait_for_lines(5)
        first.kill()
        for _ in range(restarts - 1):
            with start_client(address, connect_words("base")):
                await trio.sleep(1.5)
        with start_client(address, connect_words("base")):
            await trio.sleep_forever()

    game = trio.run(main)
    assert game.outcome == ("no_attack_limit", None), game.result


def test_a_client_sends_again_what_did_not_arrive():
    """The server ends the first connection, and has forgotten the answer that it received."""
    known, answers = [], Queue()

    def answer(connection):
        def receive(kind):
            head, _, line = connection.recv(PATIENCE_S, decode=True).partition("\n")
            return line if json.loads(head)["kind"] == kind else receive(kind)

        receive("sync")
        connection.send(json.dumps({"kind": "sync", "version": 1, "name": "deep", "games": known}))
        if not known:
            known.append({"game": "one", "seq": 0})
            connection.send('{"kind":"line","game":"one","seq":1}\nfirst')
        answers.put(receive("line"))
        connection.socket.shutdown(socket.SHUT_RDWR)

    with serve(answer, "127.0.0.1", 0, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        with start_client(f"ws://127.0.0.1:{server.socket.getsockname()[1]}/#sab_token", ["cat"]):
            assert [answers.get(timeout=PATIENCE_S) for _ in range(2)] == ["first", "first"]
        server.shutdown()
        thread.join(PATIENCE_S)


def test_the_gain_by_false_round_trips_is_bounded():
    settings = TimeSettings(bank_s=60, increment_s=0.1)
    compensation, gained_ms, turns = Compensation(settings), 0.0, 1000
    for _ in range(turns):
        allowed_ms = compensation.allow(10_000)
        assert allowed_ms <= MOST_MS
        compensation.note(allowed_ms, 0, allowed_ms)
        gained_ms += allowed_ms
    assert gained_ms <= SHARE * (60_000 + turns * 100)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("ws://club.example/#sab_x", "is not encrypted"),
        ("wss://club.example/", "has no token"),
        ("https://club.example/#sab_x", "is not an address"),
    ],
)
def test_a_wrong_address_is_refused_in_one_line(address, why, capsys):
    assert run_connect([address, "--", "true"]) == 2
    assert why in capsys.readouterr().err
    assert "sab_x" not in capsys.readouterr().err


@pytest.mark.parametrize("games", ["0", "1001", "many"])
def test_a_wrong_number_of_games_is_refused(games, capsys):
    with pytest.raises(SystemExit, match="2"):
        run_connect(["--games", games, "wss://club.example/#sab_x", "--", "true"])
    assert "--games: " in capsys.readouterr().err


def test_a_client_in_javascript_needs_none_of_ours(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("allowed: Node.js is not installed")
    script = ROOT / "sample_bots" / "remote_client.js"
    assert len(script.read_text().splitlines()) <= 80

    async def main():
        async with open_network(tmp_path) as network:
            words = [node, "--experimental-websocket", str(script), network.address("deep"), *connect_words("base")]
            client = subprocess.Popen(words, stderr=subprocess.DEVNULL)  # noqa: ASYNC220 - it returns at once
            try:
                await network.wait_for("deep")
                return await play_in(network.program("deep"), bot())
            finally:
                client.kill()
                client.wait()

    assert trio.run(main).outcome == ("no_attack_limit", None)

"""The gateway as `arbiter run` starts it: TLS, its stalls, and clients that harm it."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
import trio
import trustme
from bots.base import Bot
from referee.real_games import bot
from remote.network import (
    PATIENCE_S,
    RawClient,
    connect_words,
    open_network,
    open_whole_network,
    play_in,
    run_script,
    start_client,
    talk,
)
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError
from arbiter.games.ruleset import Overrides
from arbiter.remote.compensation import SHARE
from arbiter.serve import background, gateway, websocket
from arbiter.serve.background import open_gateway
from protocol.envelope import FINISHED, REPLACED, SILENT, STAY_AWAY

pytestmark = pytest.mark.usefixtures("adopting")
MB = 1024
IDLE, MOST_MB = 1000, 50


def test_a_game_over_tls(tmp_path):
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    files = {name: tmp_path / f"{name}.pem" for name in ("ca", "cert", "key")}
    authority.cert_pem.write_to_path(files["ca"])
    issued.private_key_and_cert_chain_pem.write_to_path(files["cert"])
    issued.private_key_pem.write_to_path(files["key"])
    words = ("--tls-cert", str(files["cert"]), "--tls-key", str(files["key"]))

    async def main():
        async with open_whole_network(tmp_path, *words) as network:
            address = network.address("deep")
            assert address.startswith("wss://")
            with start_client(address, connect_words("base"), "--ca", str(files["ca"])):
                await network.wait_for("deep")
                return await play_in(network.program("deep"), bot())

    assert trio.run(main).outcome == ("no_attack_limit", None)


def test_a_client_that_still_sends_receives_why_the_connection_ends(tmp_path):
    codes = []

    def send_always(network, token):
        with connect(f"ws://127.0.0.1:{network.port}/", compression=None) as connection:
            connection.send(json.dumps({"kind": "sync", "token": token, "version": 1, "games": []}))
            connection.send(json.dumps({"kind": "ready"}))
            try:
                while True:
                    connection.send(json.dumps({"kind": "pong", "number": 1}))
            except ConnectionClosed as ended:
                codes.append(ended.rcvd and ended.rcvd.code)

    async def main():
        async with trio.open_nursery() as clients, open_whole_network(tmp_path) as network:
            clients.start_soon(trio.to_thread.run_sync, send_always, network, network.invitations.add("deep"))
            await network.wait_for("deep")
            await network.hub.close()

    trio.run(main)
    assert codes == [FINISHED]


def test_beyond_this_machine_the_gateway_needs_tls(tmp_path):
    with pytest.raises(ConfigError, match="add --tls-cert"), open_gateway(tmp_path / "x.invites", "0.0.0.0", 0, ()):
        pass


@pytest.mark.parametrize(("stall_s", "bank_s"), [(0.5, 60), pytest.param(3.5, 3, marks=pytest.mark.heavy)])
def test_a_stall_of_the_gateway_is_reported_and_not_charged(tmp_path, stall_s, bank_s):
    stalls = []

    async def stall(network):
        await network.wait_for_lines(5)
        os.kill(network.gateway, signal.SIGSTOP)
        await trio.sleep(stall_s)
        os.kill(network.gateway, signal.SIGCONT)

    async def main():
        async with open_whole_network(tmp_path) as network:
            with start_client(network.address("deep"), connect_words("base")):
                await network.wait_for("deep")
                usual = network.hub.on_stall
                network.hub.on_stall = lambda *times: [stalls.append(times), usual(*times)]
                network.nursery.start_soon(stall, network)
                options = {"overrides": Overrides(no_attack_plies=24), "time": TimeSettings(bank_s=bank_s)}
                return await play_in(network.program("deep"), bot("thinks", "0.05"), **options)

    game = trio.run(main)
    assert game.outcome == ("no_attack_limit", None), game.result
    assert max(end - begin for begin, end in stalls) > 0.8 * stall_s
    assert (game.game.network["red"].raw_ms > bank_s * 1000) == (stall_s > bank_s)


@pytest.mark.heavy
def test_late_pongs_gain_no_more_than_a_share_of_the_bank(tmp_path):
    settings = TimeSettings(bank_s=2.5, increment_s=0)

    def feign(network, token):
        client = RawClient(network, token)
        ping, _ = client.next("ping")
        time.sleep(0.3)
        client.send({"kind": "pong", "number": ping["number"]})
        written, walker = 0, Bot()
        while True:
            envelope, line = client.next("line", "close")
            if envelope["kind"] == "close":
                return
            message = json.loads(line)
            reply = None
            if message["type"] == "hello":
                reply = {"type": "ready", "protocol": 1, "name": "slow"}
            elif message["type"] == "ask":
                time.sleep(0.1)
                reply = walker.build_act(message)
            if reply is not None:
                written += 1
                head = {"kind": "line", "game": envelope["game"], "seq": written, "ack": envelope["seq"]}
                client.send(head, json.dumps(reply))

    async def main():
        with trio.fail_after(PATIENCE_S):
            async with open_network(tmp_path) as network, trio.open_nursery() as nursery:
                words = (feign, network, network.invitations.add("deep"))
                nursery.start_soon(trio.to_thread.run_sync, run_script, *words)
                await network.wait_for("deep")
                overrides = Overrides(no_attack_plies=12)
                return await play_in(network.program("deep"), bot(), overrides=overrides, time=settings)

    times = trio.run(main).game.network["red"]
    assert times.round_trip_ms >= 300
    assert 0 < times.compensated_ms <= SHARE * settings.bank_s * 1000
    assert times.raw_ms == pytest.approx(times.charged_ms + times.compensated_ms, abs=100)


def test_missing_pongs_end_the_connection(tmp_path, monkeypatch):
    monkeypatch.setattr(gateway, "SILENCE_S", 0.3)
    monkeypatch.setattr(gateway, "PING_EVERY_S", 0.1)
    monkeypatch.setattr(gateway, "_LOOK_S", 0.05)
    monkeypatch.setattr(websocket, "PING_EVERY_S", 60)

    def be_silent(network):
        client = RawClient(network, network.invitations.add("deep"))
        client.next("sync")
        assert client.find_code() == SILENT
        while network.hub.is_connected("deep"):
            time.sleep(0.01)

    talk(tmp_path, be_silent)


def test_a_client_that_sends_nothing_first_may_connect_again(tmp_path, monkeypatch):
    """It may be on a slow machine, so its token is not called unknown, which would end it for good."""
    monkeypatch.setattr(gateway, "LOGIN_S", 0.2)

    def be_late(network):
        address = f"ws://127.0.0.1:{network.port}/"
        with connect(address, compression=None) as connection, pytest.raises(ConnectionClosed) as closed:
            connection.recv(PATIENCE_S)
        assert closed.value.rcvd.code == SILENT
        assert SILENT not in STAY_AWAY
        assert "no message was received" in closed.value.rcvd.reason

    talk(tmp_path, be_late)


FLOODS = {
    "lines of no game": lambda n: ({"kind": "line", "game": "x", "seq": n}, "x"),
    "pings": lambda n: ({"kind": "ping", "number": n}, None),
    "long lines": lambda n: ({"kind": "line", "game": "x", "seq": n}, "x" * 60_000),
}


@pytest.mark.parametrize("make", FLOODS.values(), ids=FLOODS)
def test_a_flood_that_reads_nothing_harms_no_other(tmp_path, make):
    def flood(network):
        other = RawClient(network, network.invitations.add("other"))
        flooding = RawClient(network, network.invitations.add("deep"))
        flooding.next("sync")
        for number in range(100 if make(0)[1] and len(make(0)[1]) > 1 else 3000):
            flooding.send(*make(number))
        other.send({"kind": "ping", "number": 7})
        assert other.next("pong")[0]["number"] == 7
        newer = RawClient(network, network.invitations.add("deep"))
        newer.next("sync")
        assert flooding.find_code() in (REPLACED, None)

    talk(tmp_path, flood)


def test_a_client_that_never_reads_does_not_hold_up_the_end(tmp_path, monkeypatch):
    """`open_gateway` kills a gateway that has not ended in time; this one ends itself."""

    def refuse_to_kill(process):
        process.terminate()
        pytest.fail("the gateway did not end by itself")

    monkeypatch.setattr(background, "_SHUTDOWN_S", PATIENCE_S)
    monkeypatch.setattr(subprocess.Popen, "kill", refuse_to_kill)

    def never_read(network, conversation):
        client = RawClient(network, network.invitations.add("deep"))
        client.next("sync")
        trio.from_thread.run_sync(conversation.send, b"x" * (3 << 20))

    async def main():
        async with open_whole_network(tmp_path) as network:
            conversation = network.hub.open_link("deep", TimeSettings())
            await trio.to_thread.run_sync(partial(run_script, never_read, network, conversation))

    trio.run(main)


def read_memory_kb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1])


def test_idle_connections_use_little_memory_and_lock_nobody_out(tmp_path):
    def connect_idly(network):
        RawClient(network, network.invitations.add("deep")).next("sync")
        before = read_memory_kb(network.gateway)
        with ExitStack() as idle:
            for number in range(IDLE):
                idle.enter_context(socket.create_connection(("127.0.0.1", network.port)))
                if number % 100 == 99:  # let the gateway accept them: those beyond its queue would wait for seconds
                    RawClient(network, network.invitations.add(f"other{number}")).next("sync")
            RawClient(network, network.invitations.add("other")).next("sync")
            assert read_memory_kb(network.gateway) - before < MOST_MB * MB

    talk(tmp_path, connect_idly, opened=open_whole_network)

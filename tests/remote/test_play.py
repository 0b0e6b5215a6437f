"""Games over the network with the client of the kit in its own process; they are those that pipes would give."""

import json
import re

import pytest
import trio
from bots.base import Bot
from referee.real_games import bot, play
from remote.network import PATIENCE_S, connect_words, open_network, play_in, sent_lines, start_client
from websockets.sync.client import connect

from arbiter.clock import TimeSettings
from protocol.words import SEATS

pytestmark = pytest.mark.usefixtures("adopting")
CLOCKS = re.compile(rb'"clock":[{][^}]*[}]')


def without_clocks(lines):
    return [CLOCKS.sub(b"", line) for line in lines]


def test_a_game_is_the_same_as_over_pipes(tmp_path):
    async def main():
        async with open_network(tmp_path) as network:
            with start_client(network.address("deep"), connect_words("scripted", "wants=legal,view,news")):
                await network.wait_for("deep")
                return await play_in(network.program("deep"), bot())

    remote = trio.run(main)
    local = play(bot("scripted", "wants=legal,view,news"), bot())
    assert remote.outcome == local.outcome == ("no_attack_limit", None)
    assert [act.action for act in remote.acts] == [act.action for act in local.acts]
    for seat in SEATS:
        assert without_clocks(sent_lines(remote, seat)) == without_clocks(
            [line.text for line in local.game.log.wire[seat].lines if line.sent]
        )
    times = remote.game.network["red"]
    assert times.raw_ms >= times.charged_ms >= 0
    assert 0 < times.round_trip_ms < 1000
    assert remote.game.used_ms["red"] == pytest.approx(times.charged_ms, abs=1)


def test_the_client_limits_its_games_at_a_time_and_reports_each_result(tmp_path):
    reported = tmp_path / "stderr"

    async def main():
        async with open_network(tmp_path) as network:
            with (
                reported.open("wb") as errors,
                start_client(network.address("deep"), connect_words("scripted"), "--games", "2", stderr=errors),
            ):
                await network.wait_for("deep")
                assert [network.hub.is_ready("deep", games) for games in range(4)] == [True, True, False, False]
                await play_in(network.program("deep"), bot())
                with trio.fail_after(PATIENCE_S):
                    while "not charged" not in reported.read_text():  # noqa: ASYNC110 - another process writes it
                        await trio.sleep(0.05)

    trio.run(main)
    assert re.search(r"arbiter-connect: \S+: draw, ", reported.read_text())


def test_connections_that_begin_and_end_are_reported(tmp_path):
    reported = []

    async def main():
        async with open_network(tmp_path) as network:
            network.hub.on_presence = lambda *news: reported.append(news)
            address = network.address("deep")
            for _ in range(2):
                with start_client(address, connect_words("base")):
                    await network.wait_for("deep")
                with trio.fail_after(PATIENCE_S):
                    while network.hub.is_connected("deep"):  # noqa: ASYNC110 - the gateway changes it
                        await trio.sleep(0.01)

    trio.run(main)
    assert reported == [("deep", True), ("deep", False)] * 2


FOULS = {
    "crashes": ("crash", "exited with status 1"),
    "half_a_line_and_exit": ("crash", "after part of a line"),
    "prints_debug": ("protocol", "thinking about 2"),
    "never_ready": ("no_start", "was not ready"),
}


@pytest.mark.parametrize(
    ("name", "found"),
    [pytest.param(*foul, id=foul[0], marks=[pytest.mark.heavy] * (foul[0] == "never_ready")) for foul in FOULS.items()],
)
def test_a_foul_is_the_same_as_over_pipes(name, found, tmp_path):
    ending, why = found
    time = TimeSettings(start_s=3) if name == "never_ready" else TimeSettings()

    async def main():
        async with open_network(tmp_path) as network:
            with start_client(network.address("deep"), connect_words(name)):
                await network.wait_for("deep")
                return await play_in(network.program("deep"), bot(), time=time)

    game = trio.run(main)
    assert game.outcome == (ending, "blue"), game.result
    assert why in game.result.why


def play_by_the_page(address, token):
    """Play with a client that does what "Over a network" in protocol/README.md describes, and expects nothing else."""
    with connect(address, compression=None) as connection:

        def send(envelope, line=None):
            connection.send(json.dumps(envelope) + ("" if line is None else "\n" + json.dumps(line)))

        send({"kind": "sync", "version": 1, "games": [], "token": token})
        send({"kind": "ping", "number": 1})
        first = json.loads(connection.recv(PATIENCE_S))
        assert (first["kind"], first["name"], first["games"]) == ("sync", "deep", []), "the first message of each side"
        player, written = Bot(), 0
        while True:
            head, _, line = connection.recv(PATIENCE_S).partition("\n")
            envelope = json.loads(head)
            if envelope["kind"] == "ping":
                send({"kind": "pong", "number": envelope["number"]})
            elif envelope["kind"] == "close":
                return
            elif envelope["kind"] == "line":
                message = json.loads(line)
                player.seat = message.get("seat", player.seat)
                answers = {"hello": player.build_ready, "ask": lambda: player.build_act(message)}  # noqa: B023
                if message["type"] in answers:
                    written += 1
                    place = {"game": envelope["game"], "seq": written, "ack": envelope["seq"]}
                    send({"kind": "line", **place}, answers[message["type"]]())


def test_a_client_written_from_the_page_alone_plays(tmp_path):
    async def main():
        with trio.fail_after(PATIENCE_S):
            async with open_network(tmp_path) as network, trio.open_nursery() as nursery:
                words = f"ws://127.0.0.1:{network.port}/", network.invitations.add("deep")
                nursery.start_soon(trio.to_thread.run_sync, play_by_the_page, *words)
                await network.wait_for("deep")
                return await play_in(network.program("deep"), bot())

    assert trio.run(main).outcome == ("no_attack_limit", None)

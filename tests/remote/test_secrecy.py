"""Messages to programs of the network do not depend on hidden pieces: those of twin games are equal, byte by byte."""

import json
import re
from contextlib import ExitStack
from functools import partial

import msgspec
import pytest
import trio
from referee.real_games import TrackedIsolation, check_game, make_spec
from remote.network import PATIENCE_S, RawClient, open_network
from twins import ARMIES, make_twins

from arbiter.referee.game import play_game
from protocol.words import OPPONENT, SEATS

CLOCKS = re.compile(r'"clock":[{][^}]*[}]')
VARYING = {"game", "charged_ms", "compensated_ms"}  # in an envelope: a random name, and times
WISHES = ["legal", "view", "news"]
TELLING = ("no_moves", "no_pieces", "both_immobile")  # these show which pieces can move
SHOWN = ("duel", "a few pieces close together", "us rescue")
OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in ARMIES if name not in SHOWN]


def answer(message, actions, wants):
    """Return the answer to a message of the arbiter, or None; after the last action the program resigns."""
    if message["type"] == "hello":
        return {"type": "ready", "protocol": 1, "name": "puppet", "wants": wants}
    if message["type"] == "ask":
        return {"type": "act", "ask": message["ask"], "action": next(actions, {"type": "resign"})}
    return None


def play_actions(network, token, actions, wants, received):
    """Play a game as a program; add all messages of the game, without names and times, to a list."""
    client, actions, written = RawClient(network, token), iter(actions), 0
    kind = "line"
    while kind == "line":
        envelope, line = client.receive("line", "close")
        kind = envelope["kind"]
        shown = {key: value for key, value in envelope.items() if key not in VARYING}
        received.append((shown, CLOCKS.sub("", line)))
        if kind == "line" and (reply := answer(json.loads(line), actions, wants)) is not None:
            written += 1
            head = {"kind": "line", "game": envelope["game"], "seq": written, "ack": envelope["seq"]}
            client.send(head, json.dumps(reply))
    client.close()


async def play_twin(folder, pair, which, wishes, options):
    """Play one of two games between programs of the network; return what the observer received, and the ending."""
    received = {seat: [] for seat in SEATS}
    acts = msgspec.to_builtins(pair.acts(which))
    tracked = TrackedIsolation()
    with ExitStack() as clients, trio.fail_after(PATIENCE_S):
        async with open_network(folder) as network, trio.open_nursery() as nursery:
            network.clients = clients
            for seat in SEATS:
                actions = [action for actor, action in acts if actor == seat]
                script = partial(play_actions, token=network.invitations.add(seat), actions=actions)
                script = partial(script, wants=wishes[seat], received=received[seat])
                nursery.start_soon(trio.to_thread.run_sync, script, network)
            await network.wait_for(*SEATS)
            spec = make_spec(*map(network.program, SEATS), seed=pair.seed, **options)
            played = await play_game(spec, tracked)
    return received[pair.observer], check_game(played, tracked).outcome[0]


@pytest.mark.parametrize("name", [*SHOWN, *OTHERS])
def test_twins_look_the_same_over_the_network(name, tmp_path):
    army = ARMIES[name]
    pair = next(filter(None, (make_twins(seed, SEATS[seed % 2], **army) for seed in range(100))))
    options = {key: army[key] for key in ("rules", "options", "overrides") if key in army}
    wishes = {pair.observer: WISHES, OPPONENT[pair.observer]: []}
    first, ending = trio.run(play_twin, tmp_path, pair, 0, wishes, options)
    second, other_ending = trio.run(play_twin, tmp_path, pair, 1, dict.fromkeys(SEATS, WISHES), options)
    assert len(first) > 10
    if {ending, other_ending} & {*TELLING}:
        shorter = min(len(first), len(second)) - 3
        first, second = first[:shorter], second[:shorter]
    assert first == second

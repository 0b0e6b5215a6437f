"""The script that learns habits from recorded games."""

import importlib.util
import sys
from pathlib import Path

import msgspec

from arbiter.api import start_game
from arbiter.record import read_record
from protocol.words import BLUE, RED, Deploy, Move
from sample_bots.habits import HabitTable

SCRIPT = Path(__file__).parents[2] / "examples" / "learn_habits.py"


def load_script():
    spec = importlib.util.spec_from_file_location("learn_habits", SCRIPT)
    module = sys.modules["learn_habits"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_counts_starts_first_moves_and_moves_of_hidden_pieces():
    red = {"a1": "flag", "b1": "bomb", "c1": "scout", "d1": "miner", "e1": "spy", "f1": "general", "g1": "marshal"}
    state = start_game("barrage", first=RED)
    state.act(RED, Deploy(pieces=red | {"h1": "scout"}))
    state.act(BLUE, Deploy(pieces={f"{place[0]}10": rank for place, rank in red.items()} | {"e8": "scout"}))
    moves = [("g1", "g2"), ("d10", "d9"), ("g2", "g3"), ("d9", "d8")]
    for ply, (src, dst) in enumerate(moves):
        state.act((RED, BLUE)[ply % 2], Move(src, dst))
    while state.to_act:  # the rest does not matter, only that the game ends
        seat = state.to_act[0]
        state.act(seat, state.legal_actions(seat)[0])
    counts = load_script().AllCounts()
    counts.add_game(read_record(state.record()), BLUE)
    table = msgspec.convert(counts.table(), HabitTable)
    assert table.starts["barrage"]["flag"] == {"0 0": 1}
    assert table.starts["barrage"]["scout"] == {"0 2": 2}
    firsts = table.sizes["small"].first_moves
    assert firsts["marshal"][0] == 1
    assert sum(firsts["bomb"][:-1]) == 0
    assert table.sizes["small"].moves["marshal"]["other"] >= 1

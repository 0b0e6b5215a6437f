"""Pieces that have moved over several squares at once: they stay known as runners until they fall."""

import pytest
from show.sample_record import record

from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import count_possible_ranks

DRAWING = """
    10 .. .. .. .. .. .. .. .. .. bF
     9 .. .. .. .. .. .. .. .. b6 ..
     6 b5 .. ~~ ~~ .. .. ~~ ~~ .. ..
     2 r2 .. r7 .. .. .. .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. ..
"""


@pytest.mark.parametrize(
    ("moves", "places"),
    [
        ("", [set()]),
        ("c2-c3", [set(), set()]),
        ("a2-a4", [set(), {"a4"}]),
        ("a2-a4 i9-i8 a4-b4", [set(), {"a4"}, {"a4"}, {"b4"}]),
        ("a2-a4 a6-a5 a4xa5", [set(), {"a4"}, {"a4"}, set()]),
        ("a2-a4 a6-a5 c2-c3 a5xa4", [set(), {"a4"}, {"a4"}, {"a4"}, set()]),
        ("a2xa6", [set(), set()]),
    ],
)
def test_where_runners_are(moves, places):
    replay = Replay(record(moves, drawing=DRAWING))
    assert [set(replay.runner_places(number)) for number in range(len(replay))] == places


def test_a_runner_is_a_scout():
    replay = Replay(record("a2-a4", drawing=DRAWING))
    view = replay.view(1, "blue")
    assert set(count_possible_ranks(view, replay.rules, "red", moved=True, ran=True)) == {"scout"}

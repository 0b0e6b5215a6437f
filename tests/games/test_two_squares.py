"""The two-squares rule.  Blue's other moves are on the j file."""

import pytest
from bot_games import BOARD_GAMES
from drawing import play_on, probe, start

from arbiter.games.base import IllegalAction
from protocol.words import Move

# Each case: the moves (red and blue by turns), then a refused move, then a legal one.
LIEUTENANT = """
    10 .. .. .. .. .. .. .. .. .. b5
     8 b9 .. .. .. .. .. .. .. .. ..
     6 r5 .. ~~ ~~ .. .. ~~ ~~ .. ..
     1 .. .. .. r4 .. .. .. .. .. rF
"""
MINER = """
    10 .. .. .. .. .. .. .. .. .. b5
     3 .. r3 .. .. .. .. .. .. .. ..
"""
SCOUT_A3 = """
    10 .. .. .. .. .. .. .. .. .. b5
     3 r2 .. .. .. .. .. .. .. .. ..
     1 .. .. .. r4 .. .. .. .. .. ..
"""
SCOUT_D3 = """
    10 b5 .. .. .. .. .. .. .. .. ..
     3 .. .. .. r2 .. .. .. .. .. ..
"""
SCOUT_J1 = """
    10 b5 .. .. .. .. .. .. .. .. ..
     1 .. .. .. .. .. .. .. .. .. r2
"""
CAPTURE = """
    10 .. .. .. .. .. .. .. .. .. b5
     6 r5 b3 ~~ ~~ .. .. ~~ ~~ .. ..
"""
CASES = {
    "back and forth": (LIEUTENANT, "a6-b6 j10-j9 b6-a6 j9-j8 a6-b6 j8-j7", "b6-a6", "b6-b7 b6-b5 d1-d2 d1-e1"),
    "not before the fourth crossing": (LIEUTENANT, "a6-b6 j10-j9 b6-a6 j9-j8", "", "a6-b6 a6-a5 a6-a7"),
    "an attack is refused as well": (LIEUTENANT, "a6-b6 j10-j9 b6-a6 a8-a7 a6-b6 a7-a6", "b6xa6", "b6-b7"),
    "another piece ends the series": (LIEUTENANT, "a6-b6 j10-j9 b6-a6 j9-j8 a6-b6 j8-j7 d1-d2 j7-i7", "", "b6-a6"),
    "another direction ends the series": (LIEUTENANT, "a6-b6 j10-j9 b6-a6 j9-j8 a6-b6 j8-j7 b6-b7 j7-i7 b7-b6 i7-j7", "", "b6-a6 b6-b7"),
    "three squares are never refused": (MINER, "b3-c3 j10-j9 c3-b3 j9-j8 b3-a3 j8-j7 a3-b3 j7-i7 b3-c3 i7-i8 c3-b3 i8-i9 b3-a3 i9-i10", "", "a3-b3 a3-a2"),
    "three crossings before a third square": (MINER, "b3-c3 j10-j9 c3-b3 j9-j8 b3-c3 j8-j7", "c3-b3", "c3-d3 c3-c2"),
    "a scout may not go back over the border": (SCOUT_A3, "a3-a6 j10-j9 a6-a4 j9-j8 a4-a6 j8-j7", "a6-a5 a6-a4 a6-a3 a6-a1", "a6-a7 a6-b6 a6-a9 d1-d2"),
    "a scout may go back part of the line": (SCOUT_D3, "d3-h3 a10-a9 h3-b3 a9-a8 b3-j3 a8-a7", "j3-g3 j3-f3 j3-b3 j3-a3", "j3-i3 j3-h3 j3-j5 j3-j1"),
    "a scout may move further, or sideways": (SCOUT_J1, "j1-j5 a10-a9 j5-j1 a9-a8 j1-j5 a8-a7", "j5-j4 j5-j3 j5-j2 j5-j1", "j5-j6 j5-j10 j5-i5"),
    "a scout in small steps over different borders": (SCOUT_A3, "a3-a4 j10-j9 a4-a5 j9-j8 a5-a6 j8-j7", "", "a6-a5 a6-a3 a6-a1"),
    "a capture counts": (CAPTURE, "a6xb6 j10-j9 b6-a6 j9-j8 a6-b6 j8-j7", "b6-a6", "b6-b7"),
}  # fmt: skip


@pytest.mark.parametrize(("drawing", "moves", "refused", "legal"), CASES.values(), ids=CASES)
def test_after_three_crossings(drawing, moves, refused, legal):
    play = start(drawing)
    play_on(play, moves)
    assert {text: probe(play, text) for text in refused.split()} == dict.fromkeys(refused.split(), "two_squares")
    assert {text: probe(play, text) for text in legal.split()} == dict.fromkeys(legal.split())


FREE = ["j10-j9", "j9-j8", "j8-j7", "j7-i7", "i7-i8", "i8-i9", "i9-i10", "i10-h10", "h10-h9", "h9-h8", "h8-h7"]


def crossings(count):
    """Red moves back and forth between a6 and b6; blue never moves back."""
    shuttle = ["a6-b6" if number % 2 == 0 else "b6-a6" for number in range(count)]
    return " ".join(f"{red} {blue}" for red, blue in zip(shuttle, FREE[:count], strict=True))


@pytest.mark.parametrize(("limit", "allowed"), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)])
def test_the_limit_counts_crossings(limit, allowed):
    play = start(LIEUTENANT, two_squares=limit)
    for count in range(allowed):
        shuttle = "a6-b6" if count % 2 == 0 else "b6-a6"
        assert probe(play, shuttle) is None
        play_on(play, f"{shuttle} {FREE[count]}")
    back = "a6-b6" if allowed % 2 == 0 else "b6-a6"
    assert probe(play, back) == "two_squares"
    assert probe(play, back[:3] + back[0] + "7") is None


@pytest.mark.parametrize(
    ("rules", "limit"), [("original", 3), ("original-2000", 5), ("isf", 3), ("duel", 3), ("barrage", 3)]
)
def test_each_rule_set_has_its_limit(rules, limit):
    play = start(LIEUTENANT.replace("r5", "r9").replace("b5", "b3").replace("r4", "r3"), rules)
    play_on(play, crossings(limit))
    assert probe(play, "b6-a6") == "two_squares"
    play = start(LIEUTENANT.replace("r5", "r9").replace("b5", "b3").replace("r4", "r3"), rules)
    play_on(play, crossings(limit - 1))
    assert probe(play, "a6-b6") is None


@pytest.mark.parametrize(("rules", "runner"), [*((rules, "2") for rules in BOARD_GAMES), ("clone-wars-powers", "8")])
def test_long_moves_back_and_forth_are_refused_in_every_rule_set(rules, runner):
    """Also in the Clone Wars, whose book speaks of two neighbouring squares (CW "Bewegen")."""
    play = start(SCOUT_A3.replace("b5", "b9").replace("r4", "r9").replace("r2", f"r{runner}"), rules)
    limit = play.tables.ruleset.two_squares
    for count in range(limit):
        play_on(play, f"{'a8-a3' if count % 2 else 'a3-a8'} {FREE[count]}")
    back, further = ("a8-a3", "a8-a9") if limit % 2 else ("a3-a8", "a3-a1")
    assert probe(play, back) == "two_squares"
    assert probe(play, further) is None


def test_zero_is_off():
    play = start(LIEUTENANT, two_squares=0)
    play_on(play, crossings(11))
    assert probe(play, "b6-a6") is None


def test_the_rule_counts_for_each_player_separately():
    play = start("""
        10 .. .. .. .. .. .. .. .. .. b5
         1 r4 .. .. .. .. .. .. .. .. ..
    """)
    play_on(play, "a1-a2 j10-j9 a2-a1 j9-j10 a1-a2 j10-j9")
    assert probe(play, "a2-a1") == "two_squares"
    play_on(play, "a2-a3")
    assert probe(play, "j9-j10") == "two_squares"
    assert probe(play, "j9-i9") is None


def test_the_player_that_crossed_first_is_refused_first():
    play = start("""
        10 .. .. .. .. .. .. .. .. .. bF
         4 b4 .. .. .. .. .. .. .. .. ..
         2 .. r6 .. .. .. .. .. .. .. ..
    """)
    play_on(play, "b2-a2 a4-b4 a2-b2 b4-a4 b2-a2 a4-b4")
    assert probe(play, "a2-b2") == "two_squares"
    play_on(play, "a2-a1")
    assert probe(play, "b4-a4") == "two_squares"


def test_a_series_counts_the_piece_not_its_rank():
    """Two sergeants cross the same border by turns: neither has crossed it three times."""
    play = start("""
        10 .. .. .. .. .. .. .. .. .. b5
         6 r4 .. ~~ ~~ .. .. ~~ ~~ .. ..
         5 r4 .. ~~ ~~ .. .. ~~ ~~ .. ..
    """)
    play_on(play, "a6-b6 j10-j9 b6-b7 j9-j8 a5-a6 j8-j7 a6-b6 j7-i7 b6-a6 i7-i8")
    assert probe(play, "a6-b6") is None
    play_on(play, "a6-b6 i8-i9")
    assert probe(play, "b6-a6") == "two_squares"


def test_a_refused_action_is_not_a_crossing():
    play = start(LIEUTENANT)
    play_on(play, "a6-b6 j10-j9 b6-a6 j9-j8 a6-b6 j8-j7")
    for _ in range(3):
        assert probe(play, "b6-a6") == "two_squares"
    play_on(play, "d1-d2 j7-j6")
    assert probe(play, "b6-a6") is None


def test_the_text_names_the_rule_and_the_squares():
    play = start(LIEUTENANT)
    play_on(play, "a6-b6 j10-j9 b6-a6 j9-j8 a6-b6 j8-j7")
    error = refusal(play, "red", "b6", "a6")
    assert str(error).startswith("two squares: b6-a6 ")
    assert (error.rule, error.ending, error.final) == ("two_squares", "illegal_action", False)


def refusal(play, seat, src, dst):
    with pytest.raises(IllegalAction) as caught:
        play.act(seat, Move(src, dst))
    return caught.value

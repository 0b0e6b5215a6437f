"""Teleport: the eight moves and attacks like a scout, only in the game with powers."""

import pytest
from drawing import SQUARES, play_on, probe, start
from games.power_text import act_on, news, refusal

BOARD = """
    10 bF .. .. .. .. .. .. .. .. b5
     9 .. .. .. .. b4 .. .. .. .. ..
     6 .. .. ~~ ~~ .. .. ~~ ~~ .. ..
     5 .. .. ~~ ~~ .. .. ~~ ~~ .. ..
     3 .. r4 .. .. r8 .. .. b8 .. ..
     1 rF .. .. .. .. .. .. .. .. ..
"""
RULES = "clone-wars-powers"


def reach(play, src):
    return " ".join(sorted((move.dst for move in play.legal_actions("red") if move.src == src), key=SQUARES.index))


def test_it_moves_and_attacks_over_any_distance():
    play = start(BOARD, RULES)
    assert reach(play, "e3") == "e1 e2 c3 d3 f3 g3 h3 e4 e5 e6 e7 e8 e9"
    assert news(act_on(play, "e3xe9")) == (
        "attacked red e3 e9 / blue< revealed red e3 colonel / red< revealed blue e9 sergeant"
        " / removed blue e9 / moved red e3 e9"
    )
    assert news(act_on(start(BOARD, RULES), "e3xh3")).endswith("/ removed red e3 / removed blue h3")


def test_a_long_move_shows_no_rank():
    assert news(act_on(start(BOARD, RULES), "e3-e8")) == "moved red e3 e8"


@pytest.mark.parametrize("move", ["e3-e10", "e3-b3", "e3-a3", "e3-i3", "e3-f4"])
def test_it_cannot_jump(move):
    assert refusal(start(BOARD, RULES), move) == "movement"


@pytest.mark.parametrize("rules", ["clone-wars", "original", "us", "infiltrator"])
def test_an_eight_moves_one_square_in_other_rule_sets(rules):
    play = start(BOARD, rules)
    assert reach(play, "e3") == "e2 d3 f3 e4"
    assert refusal(play, "e3-e5") == "movement"


@pytest.mark.parametrize("piece", ["M", "9", "7", "6", "5", "4", "3", "1", "R", "Z"])
def test_no_other_piece_teleports(piece):
    play = start(BOARD.replace("r8", f"r{piece}"), RULES)
    assert reach(play, "e3") == "e2 d3 f3 e4"


@pytest.mark.parametrize(
    ("moves", "refused", "legal"),
    [
        # the worked examples of scouts (ISF 10)
        ("e3-e6 j10-j9 e6-e4 j9-j10 e4-e6 j10-j9", "e6-e5 e6-e4 e6-e3", "e6-e7 e6-e8 e6-f6"),
        ("e3-e8 j10-j9 e8-e5 j9-j10 e5-e7 j10-j9", "e7-e6 e7-e5 e7-e1", "e7-e8 e7-i7"),
    ],
)
def test_two_squares_counts_the_borders_of_its_path(moves, refused, legal):
    play = start(BOARD, RULES)
    play_on(play, moves)
    assert {probe(play, move) for move in refused.split()} == {"two_squares"}
    assert {probe(play, move) for move in legal.split()} == {None}

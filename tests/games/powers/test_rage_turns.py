"""A turn with a rage: endings and the two-squares rule."""

import pytest
from drawing import play_on, probe, start
from games.power_text import act_on, ended, listed, refusal
from games.powers.test_rage import RULES, ring

from protocol.words import Move


def test_the_last_movable_piece_ends_the_game_within_a_rage():
    play = start(ring("b5", "bB", blue=".."), RULES)
    act_on(play, "e1xe2")
    assert ended(play) == "red no_pieces"
    assert (play.to_act, play.legal_actions("red"), play.plies) == ((), [], 1)


@pytest.mark.parametrize(
    ("pieces", "ending"), [("b5 b4 bB", "red no_pieces"), ("b5 b7", "None both_immobile"), ("b5 b8", "blue no_pieces")]
)
def test_a_later_attack_can_end_the_game_too(pieces, ending):
    play = start(ring(*pieces.split(), blue="..").replace("r4", ".."), RULES)
    act_on(play, "e1xe2 e2xe3")
    assert ended(play) == ending
    assert (play.to_act, play.phase, play.turn) == ((), "turn", None)


def test_no_moves_is_checked_when_the_turn_is_over():
    play = start(
        """
        10 bF .. .. .. .. .. .. .. bB b5
         9 .. .. .. .. .. .. .. .. .. bB
         3 .. .. .. .. bB .. .. .. .. ..
         2 .. .. .. .. b4 .. .. .. .. ..
         1 rF .. .. .. rZ .. .. .. .. r4
        """,
        RULES,
    )
    act_on(play, "e1xe2")
    assert (play.phase, play.outcome) == ("rage", None)
    act_on(play, "stop")
    assert ended(play) == "red no_moves"


def test_limits_are_checked_when_the_turn_is_over():
    play = start(ring("b5", "b4"), RULES, max_plies=1)
    act_on(play, "e1xe2")
    assert (play.plies, play.outcome, play.phase) == (1, None, "rage")
    act_on(play, "stop")
    assert ended(play) == "None ply_limit"


# --- the two-squares rule ---------------------------------------------------------------------------

CORNER = """
    10 bF .. .. .. .. .. .. .. .. b5
     3 .. .. .. .. .. .. .. .. .. ..
     2 .. .. .. .. b4 b3 .. .. .. ..
     1 rF .. .. .. rZ .. .. .. .. r4
"""


@pytest.mark.parametrize(
    ("limit", "acts", "refused", "legal"),
    [
        # the rage crossed e1|e2 and e2|f2
        (1, "", "f2-e2", "f2-f3"),
        # both turns crossed e2|f2, the first alone e1|e2
        (2, "f2-e2 j9-j10", "e2-f2", "e2-e1"),
        (3, "f2-e2 j9-j10 e2-f2 j10-j9", "f2-e2", "f2-f1"),
    ],
)
def test_a_rage_is_one_move_that_crosses_all_its_borders(limit, acts, refused, legal):
    play = start(CORNER, RULES, two_squares=limit)
    act_on(play, "e1xe2 e2xf2 j10-j9 " + acts)
    assert refusal(play, refused) == "two_squares"
    act_on(play, legal)


def test_the_middle_of_a_rage_counts_too():
    play = start(CORNER, RULES, two_squares=2)
    act_on(play, "e1xe2 e2xf2 j10-j9 f2-e2 j9-j8 e2-e1 j8-j9")
    assert {probe(play, "e1-e2"), probe(play, "e1-f1")} == {None}
    play = start(CORNER, RULES, two_squares=1)
    play_on(play, "e1xe2")
    act_on(play, "stop j10-j9")
    assert refusal(play, "e2-e1") == "two_squares"


def test_the_first_attack_of_a_rage_is_tested():
    board = """
        10 bF .. .. .. .. .. .. .. .. b5
         2 .. .. .. .. .. b4 .. .. .. ..
         1 rF .. .. .. rZ .. b3 .. .. r4
    """
    play = start(board, RULES, two_squares=2)
    act_on(play, "e1-f1 j10-j9 f1-e1 f2-f1")
    assert refusal(play, "e1xf1") == "two_squares"


def test_a_plain_move_in_a_rage_is_refused_by_power_not_by_two_squares():
    board = """
        10 bF .. .. .. .. .. .. .. .. b5
         3 .. .. .. .. b2 .. .. .. .. ..
         2 .. .. .. b3 rZ b4 .. .. .. ..
         1 rF .. .. .. b2 b5 .. .. .. r4
    """
    play = start(board, RULES, two_squares=1)
    act_on(play, "e2xf2 f2xf1 f1xe1 e3-e2 e1xe2")
    assert listed(play, Move) == ["e2-d2"]
    assert refusal(play, "e2-f2") == "power"

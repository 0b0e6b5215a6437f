"""The endings of board games, and their order on one ply."""

import pytest
from drawing import legal_texts, play_on, probe, start

from arbiter.games.base import IllegalAction, Outcome
from protocol.reasons import FlagTaken, NoMoves
from protocol.words import Move

# Each case: the drawing, the overrides, the moves, and the winner and ending after the last of them.
FLAG = """
    10 b5 .. .. .. .. .. .. .. .. ..
     3 .. .. .. .. .. .. .. .. .. bF
     2 .. .. .. .. .. .. .. .. .. r4
     1 .. .. .. .. .. .. .. .. .. rF
"""
LAST_STANDS = """
    10 .. .. .. .. .. .. .. .. .. bF
     3 .. .. .. .. .. .. .. .. .. b{defender}
     2 .. .. .. .. .. .. .. .. .. r{attacker}
     1 .. .. .. .. .. .. .. .. .. rF
"""
CORRIDOR = """
    10 b4 bB .. .. .. .. .. .. .. bF
     9 .. bB .. .. .. .. .. .. .. ..
     8 bB .. .. .. .. .. .. .. .. ..
     1 .. r5 .. .. .. .. .. .. .. ..
"""
RING = """
    10 .. .. .. .. .. .. .. .. .. bF
     3 rB rB .. .. .. .. .. .. .. ..
     2 .. b5 rB .. .. .. .. .. .. ..
     1 r9 .. rB .. .. .. .. .. .. ..
"""
BLOCKADE = """
    10 b4 bB .. .. .. .. .. .. .. bF
     9 bB .. .. .. .. .. .. .. .. ..
     1 .. r5 .. .. .. .. .. .. .. ..
"""
BOTH_BLOCKED = """
    10 b5 bB .. .. .. .. .. .. .. bF
     9 bB .. .. .. .. .. .. .. .. ..
     5 .. .. ~~ ~~ b{defender} .. ~~ ~~ .. ..
     4 .. .. .. .. r{attacker} .. .. .. .. ..
     2 rB .. .. .. .. .. .. .. .. rF
     1 r5 rB .. .. .. .. .. .. .. ..
"""
BLOCKED_AND_FORBIDDEN = """
    10 b4 bB .. .. .. .. .. .. .. bF
     9 .. bB .. .. .. .. .. .. .. ..
     8 bB .. .. .. .. .. .. .. .. bB
     4 .. .. .. .. .. .. .. .. .. r6
     2 rB .. .. .. .. .. .. .. .. ..
     1 r5 rB .. .. .. .. .. .. rF ..
"""
QUIET = """
    10 b5 .. .. .. .. .. .. .. .. ..
     4 .. .. .. .. .. .. .. .. .. b3
     3 .. .. .. .. .. .. .. .. .. r4
     1 r5 .. .. .. .. .. .. .. .. ..
"""


def last_stand(attacker, defender):
    return LAST_STANDS.format(attacker=attacker, defender=defender)


def both_blocked(attacker, defender):
    return BOTH_BLOCKED.format(attacker=attacker, defender=defender)


CASES = {
    "a flag is taken": (FLAG, {}, "j2xj3", ("red", "flag_taken")),
    "a flag is taken and nothing can move any more": (FLAG.replace("10 b5 ..", " 9 bB .. .. .. .. .. .. .. .. ..\n    10 b5 bB"), {}, "j2xj3", ("red", "flag_taken")),
    "the last piece is captured": (last_stand(5, 4), {}, "j2xj3", ("red", "no_pieces")),
    "the last piece loses its attack": (last_stand(4, 5), {}, "j2xj3", ("blue", "no_pieces")),
    "the last piece attacks a bomb": (last_stand(4, "B") + "     4 .. .. .. .. .. .. .. .. .. b5", {}, "j2xj3", ("blue", "no_pieces")),
    "both players lose their last pieces": (last_stand(4, 4), {}, "j2xj3", (None, "both_immobile")),
    "both players lose their last pieces and a limit is reached": (last_stand(4, 4), {"max_plies": 1}, "j2xj3", (None, "both_immobile")),
    "a flag is taken on the last ply": (FLAG, {"max_plies": 1}, "j2xj3", ("red", "flag_taken")),
    "the last piece is captured on the last ply": (last_stand(5, 4), {"max_plies": 1}, "j2xj3", ("red", "no_pieces")),
    "two squares leave no move": (CORRIDOR, {}, "b1-b2 a10-a9 b2-b3 a9-a10 b3-b4 a10-a9 b4-b5", ("red", "no_moves")),
    "more squares leaves no move": (RING, {"two_squares": 1}, "a1-a2 b2-b1 a2-b2 b1-a1 b2-b1 a1-a2 b1-a1 a2-b2", ("blue", "no_moves")),
    "two squares leave no move and a limit is reached": (
        CORRIDOR,
        {"max_plies": 7, "no_attack_plies": 7},
        "b1-b2 a10-a9 b2-b3 a9-a10 b3-b4 a10-a9 b4-b5",
        ("red", "no_moves"),
    ),
    "both players are blocked": (both_blocked(4, 4), {}, "e4xe5", (None, "both_immobile")),
    "both players are blocked on the last ply": (both_blocked(4, 4), {"max_plies": 1}, "e4xe5", (None, "both_immobile")),
    "only the player to move is blocked": (both_blocked(4, 3), {}, "e4xe5", ("red", "no_moves")),
    "the repetition rules forbid the last moves of a player whose opponent is blocked": (
        BLOCKED_AND_FORBIDDEN,
        {},
        "j4-j5 a10-a9 j5-j6 a9-a10 j6-j7 a10-a9 j7xj8",
        ("red", "no_moves"),
    ),
    "plies without an attack": (QUIET, {"no_attack_plies": 2}, "a1-a2 a10-a9", (None, "no_attack_limit")),
    "both limits at once": (QUIET, {"no_attack_plies": 2, "max_plies": 2}, "a1-a2 a10-a9", (None, "no_attack_limit")),
    "an attack starts the count again": (QUIET, {"no_attack_plies": 3}, "a1-a2 a10-a9 j3xj4 a9-a8 a2-a3 a8-a7", (None, "no_attack_limit")),
    "a lost attack starts the count again": (QUIET.replace("b3", "b6"), {"no_attack_plies": 2, "max_plies": 4}, "a1-a2 j4xj3 a2-a3 a10-a9", (None, "no_attack_limit")),
    "too many plies": (QUIET, {"max_plies": 3}, "a1-a2 a10-a9 j3xj4", (None, "ply_limit")),
    "a ply limit of one": (QUIET, {"max_plies": 1}, "a1-a2", (None, "ply_limit")),
}  # fmt: skip


@pytest.mark.parametrize(("drawing", "overrides", "moves", "ending"), CASES.values(), ids=CASES)
def test_endings(drawing, overrides, moves, ending):
    play = start(drawing, **overrides)
    *before, last = moves.split()
    play_on(play, " ".join(before))
    assert play.outcome is None
    play_on(play, last)
    assert play.outcome is not None
    assert (play.outcome.winner, play.outcome.ending) == ending
    assert play.to_act == ()


def test_a_blocked_player_loses_on_its_own_turn_only():
    play = start("""
        10 .. b4 bB .. .. .. .. .. .. bF
         9 bB bB .. .. .. .. .. .. .. ..
         1 .. r5 .. .. .. .. .. .. .. ..
    """)
    play_on(play, "b1-b2")
    assert play.outcome is None
    play_on(play, "b10-a10")
    assert play.outcome is None
    play_on(play, "b2-b3 a10-b10")
    assert play.outcome is None


def test_a_side_that_can_take_a_bomb_is_not_blocked():
    """Blue cannot move; red's miner is enclosed too, but by a bomb of blue."""
    drawing = both_blocked(4, 4).replace(" 2 rB", " 2 bB")
    play = start(drawing)
    play_on(play, "e4xe5")
    assert play.outcome == Outcome("red", "no_moves", NoMoves("blue"))


def test_a_blocked_player_loses_only_when_it_is_to_move():
    """Blue is blocked while red is to move; red opens the way by taking a bomb."""
    play = start("""
        10 b4 bB .. .. .. .. .. .. .. bF
         9 bB .. .. .. .. .. .. .. .. ..
         8 r3 .. .. .. .. .. .. .. .. ..
    """)
    assert play.outcome is None
    play_on(play, "a8xa9")
    assert play.outcome is None
    assert legal_texts(play) == ["a10-a9"]


@pytest.mark.parametrize(
    ("drawing", "first", "ending"),
    [
        (BLOCKADE, "blue", ("red", "no_moves")),
        (BLOCKADE, "red", None),
        (BLOCKADE.replace(".. r5", "r5 rB") + "     2 rB .. .. .. .. .. .. .. .. ..", "red", (None, "both_immobile")),
        (BLOCKADE.replace(".. r5", "r5 rB") + "     2 rB .. .. .. .. .. .. .. .. ..", "blue", (None, "both_immobile")),
        (QUIET.replace("b5", "..").replace("b3", "bB"), "red", ("red", "no_pieces")),
        (QUIET.replace("b5", "..").replace("b3", "bB"), "blue", ("red", "no_pieces")),
        (QUIET.replace("r5", "..").replace("r4", "rB"), "red", ("blue", "no_pieces")),
        ("10 .. .. .. .. .. .. .. .. .. bB", "red", (None, "both_immobile")),
        ("", "red", (None, "both_immobile")),
    ],
)
def test_a_position_may_be_over_before_the_first_ply(drawing, first, ending):
    play = start(drawing, first=first)
    assert (play.outcome and (play.outcome.winner, play.outcome.ending)) == ending
    assert play.to_act == (() if ending else (first,))
    assert play.plies == 0


def test_limits_are_not_checked_before_the_first_ply():
    assert start(QUIET, no_attack_plies=1, max_plies=1).outcome is None


def test_zero_switches_the_limits_off():
    play = start(QUIET, no_attack_plies=0, max_plies=0, two_squares=0, more_squares="off")
    play_on(play, "a1-a2 a10-a9 a2-a1 a9-a10 " * 1100)
    assert play.plies == 4400
    assert play.outcome is None


@pytest.mark.parametrize(("limit", "plies"), [({}, 200), ({"no_attack_plies": 0}, 4000)])
def test_the_limits_by_default(limit, plies):
    play = start(QUIET, two_squares=0, more_squares="off", **limit)
    play_on(play, "a1-a2 a10-a9 a2-a1 a9-a10 " * (plies // 4 - 1) + "a1-a2 a10-a9 a2-a1")
    assert play.outcome is None
    play_on(play, "a9-a10")
    assert play.outcome.ending == ("no_attack_limit" if plies == 200 else "ply_limit")


def test_a_scout_that_runs_into_a_blockade_has_no_move():
    play = start("""
        10 b2 .. bB .. .. .. .. .. .. bF
         9 bB bB .. .. .. .. .. .. .. ..
         1 .. r5 .. .. .. .. .. .. .. ..
    """)
    play_on(play, "b1-b2 a10-b10 b2-b3 b10-a10 b3-b4 a10-b10")
    assert play.outcome is None
    play_on(play, "b4-b5")
    assert play.outcome == Outcome("red", "no_moves", NoMoves("blue"))


def test_an_enemy_next_to_a_blocked_piece_can_be_attacked():
    play = start(BLOCKADE.replace("9 bB", "9 r3"), first="blue")
    assert play.outcome is None
    assert legal_texts(play) == ["a10-a9"]


def test_nothing_is_legal_when_the_game_is_over():
    play = start(FLAG)
    play_on(play, "j2xj3")
    assert play.outcome == Outcome("red", "flag_taken", FlagTaken("red", "j3"))
    for seat, move in (("red", Move("j3", "j4")), ("blue", Move("a10", "a9"))):
        assert play.legal_actions(seat) == []
        with pytest.raises(IllegalAction) as caught:
            play.act(seat, move)
        assert caught.value.rule == "turn"


def test_a_game_without_flags_continues():
    play = start(QUIET)
    play_on(play, "j3xj4")
    assert play.outcome is None
    assert probe(play, "a10-a9") is None

"""A turn with a power: the repetition rules, and losing although a power could be used."""

import pytest
from drawing import play_on, probe, start
from games.power_text import act_on, ended, listed

from protocol.words import Look, Strike

POWERS = "clone-wars-powers"
# Red's d1 can move back and forth; red's e3 and e7 have a power and a target.
SERIES = """
    10 bF .. .. .. .. .. .. .. .. b5
     9 .. .. .. .. .. .. .. .. .. ..
     8 .. .. .. .. {near} .. .. .. .. ..
     7 .. .. .. .. {power} .. .. .. .. ..
     6 .. .. ~~ ~~ .. .. ~~ ~~ .. ..
     5 .. .. ~~ ~~ .. .. ~~ ~~ .. ..
     1 rF .. .. r5 .. .. .. .. .. ..
"""
USES = {
    "look": (POWERS, "rM", "bB", "e7?e8"),
    "strike that removes": (POWERS, "rR", "b4", "e7*e8"),
    "strike that does not": (POWERS, "rR", "bB", "e7*e8"),
    "right guess": ("infiltrator", "rI", "b4", "e7!e8=sergeant"),
    "wrong guess": ("infiltrator", "rI", "b4", "e7!e8=scout"),
}
every_use = pytest.mark.parametrize(("rules", "power", "near", "use"), USES.values(), ids=USES)


@every_use
def test_a_power_ends_the_series_of_its_player_only(rules, power, near, use):
    play = start(SERIES.format(power=power, near=near), rules)
    play_on(play, "d1-d2 j10-j9 d2-d1 j9-j10 d1-d2 j10-j9")
    assert probe(play, "d2-d1") == "two_squares"
    act_on(play, use)
    assert probe(play, "j9-j10") == "two_squares"
    play_on(play, "j9-j8")
    assert probe(play, "d2-d1") is None


@every_use
def test_a_power_in_the_middle_is_not_a_crossing(rules, power, near, use):
    play = start(SERIES.format(power=power, near=near), rules)
    act_on(play, f"d1-d2 j10-j9 d2-d1 j9-j8 {use} j8-j7 d1-d2 j7-j6 d2-d1 j6-j5 d1-d2 j5-j4")
    assert probe(play, "d2-d1") == "two_squares"


@every_use
def test_a_power_is_one_ply(rules, power, near, use):
    play = start(SERIES.format(power=power, near=near), rules, max_plies=2)
    act_on(play, f"{use} j10-j9")
    assert (play.plies, ended(play)) == (2, "None ply_limit")


# --- chases -----------------------------------------------------------------------------------------

# Red's 9 chases blue's 5 in a circle (ISF 11, MS1); both sides can use a power.
CHASE = """
    10 bF .. .. .. .. .. .. .. .. bM
     9 .. .. .. .. .. .. .. .. .. b4
     8 .. .. .. .. .. .. .. .. .. rR
     4 .. .. .. .. .. .. .. .. .. ..
     3 .. .. .. b5 .. r9 .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. r8
"""
HUNT = "f3-e3 d3-d2 e3-e2 d2-d1 e2-e1 d1-d2 e1-e2 d2-d3"


def test_without_a_power_the_chase_is_refused():
    play = start(CHASE, POWERS)
    play_on(play, HUNT)
    assert probe(play, "e2-e3") == "more_squares"
    assert probe(play, "e2-e1") is None


def test_a_power_of_the_chasing_player_ends_the_chase():
    play = start(CHASE, POWERS)
    act_on(play, f"{HUNT} j8*j10 j10-i10 e2-e3 i10-j10")
    assert not play.position.chases.may_forbid(0)
    act_on(play, "e3-e2")


@pytest.mark.parametrize("strike", ["j8*j9", "j8*j10"], ids=["removes", "does not"])
@pytest.mark.parametrize("scope", ["chase", "game"])
def test_a_strike_starts_no_chase(strike, scope):
    """The marksman has not moved, so it threatens no piece, although blue pieces are next to it."""
    play = start(CHASE, POWERS, more_squares=scope, two_squares=0)
    act_on(play, f"{HUNT} {strike} d3-d2")
    assert probe(play, "e2-e1") is None
    assert not play.position.chases.may_forbid(0)
    assert not play.position.chases.may_forbid(1)


# --- no moves although there is a power -------------------------------------------------------------


@pytest.mark.parametrize(
    ("piece", "kind"), [("rM", Look), ("r9", Look), ("rR", Strike)], ids=["marshal", "general", "marksman"]
)
def test_a_player_that_can_use_a_power_but_cannot_move_has_lost(piece, kind):
    board = f"""
        10 bF .. .. .. .. .. .. .. .. b5
         3 .. .. .. .. .. .. .. .. .. ..
         2 rB .. .. .. .. .. .. .. .. ..
         1 {piece} rB b4 .. .. .. .. .. .. ..
    """
    play = start(board, POWERS, first="blue")
    act_on(play, "j10-j9")
    assert ended(play) == "blue no_moves"
    assert play.legal_actions("red") == []
    with_a_free_piece = start(board.replace("b4 ..", "b4 r3"), POWERS, first="blue")
    act_on(with_a_free_piece, "j10-j9")
    assert listed(with_a_free_piece, kind) == [f"a1{'?' if kind is Look else '*'}c1"]


def test_powers_do_not_end_a_mutual_blockade():
    """Red's marshal could look at the bomb on a3; no piece of either side can move."""
    play = start(
        """
        10 bM bB .. .. .. .. .. .. .. bF
         9 bB .. .. .. .. .. .. .. .. ..
         3 bB .. .. .. .. .. .. .. .. ..
         2 rB b4 .. .. .. .. .. .. .. ..
         1 rM rB r4 .. .. .. .. .. .. rF
        """,
        POWERS,
    )
    act_on(play, "c1-c2 b2xc2")
    assert ended(play) == "None both_immobile"
    assert play.legal_actions("red") == []


def test_a_player_that_blocks_the_opponent_by_a_power_wins():
    """A remote attack after which the opponent cannot move wins."""
    play = start(
        """
        10 bF bB r3 .. .. .. .. .. .. ..
         9 bB b4 rR .. .. .. .. .. .. ..
         8 rB bB .. .. .. .. .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. ..
        """,
        POWERS,
    )
    act_on(play, "c9*b9")
    assert ended(play) == "red no_pieces"

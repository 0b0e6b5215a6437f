"""The more-squares rule."""

import pytest
from bot_games import BOARD_GAMES
from drawing import drawn, play_on, probe, start
from drawing import moves_of as read_moves

from arbiter.games.base import IllegalAction

CHASE = """
    10 .. .. .. .. .. .. .. .. .. bF
     3 .. .. .. b5 .. r9 .. .. .. ..
     1 .. .. .. .. .. .. .. .. .. rF
"""
CHASED = "f3-e3 d3-d2 e3-e2 d2-d1 e2-e1 d1-d2 e1-e2 d2-d3"
BY_CAPTURE = """
    10 .. .. .. .. .. .. .. .. .. bF
     8 .. .. .. .. .. b7 .. .. .. ..
     7 .. .. .. .. .. b3 .. .. .. ..
     6 .. .. ~~ ~~ .. r8 ~~ ~~ .. r4
     1 .. .. .. .. .. .. .. .. .. rF
"""
BYSTANDERS = """
    10 .. .. .. .. .. .. .. b4 .. bF
     3 .. .. .. b5 .. r9 .. .. .. ..
     1 .. .. .. .. .. .. .. r4 .. rF
"""
SCOUTS = """
    10 .. .. .. .. .. .. .. .. .. bF
     5 .. .. ~~ ~~ .. .. ~~ ~~ .. b5
     4 r2 .. .. .. .. .. .. .. .. ..
     1 .. .. .. .. .. .. .. .. .. rF
"""
OTHERS_FIGHT = """
    10 .. .. .. .. .. .. .. b4 .. bF
     9 .. .. .. .. .. .. .. r3 .. ..
     3 .. .. .. b5 .. r9 .. .. .. ..
     1 .. .. .. .. .. .. .. .. .. rF
"""
CASES = {
    "a chase over three squares": (CHASE, CHASED, "e2-e3", "e2-e1 e2-d2 e2-f2"),
    "straight back is allowed": (CHASE, "f3-e3 d3-d2 e3-e2 d2-d1 e2-e1 d1-d2", "", "e1-e2 e1-d1"),
    "a capture may be the first threat": (BY_CAPTURE, "f6xf7 f8-e8 f7-e7 e8-d8 e7-d7 d8-e8 d7-e7 e8-f8", "e7-f7", "e7-e8 j6-j7"),
    "a threatened piece that stays ends the chase": (BYSTANDERS, "f3-e3 d3-d2 e3-e2 d2-d1 e2-e1 h10-h9", "", "e1-e2 e1xd1"),
    "after which the next threat starts a new chase": (BYSTANDERS, "f3-e3 d3-d2 e3-e2 h10-h9 e2-e1 d2-d3 e1-e2 d3-d2", "", "e2-e3 e2-e1 e2xd2"),
    "a turn without a threat ends the chase": (BYSTANDERS, "f3-e3 d3-d2 e3-e2 d2-d1 h1-h2 h10-h9 h2-h1 h9-h10 e2-e1 d1-d2 e1-e2 d2-d3", "", "e2-e3"),
    "an open line is no threat": (SCOUTS, "a4-a5 j5-j6 a5-a6 j6-j5 a6-a5", "", "j5-j6"),
    "an attack is never refused": (CHASE, "f3-e3 d3-d2 e3-e2 d2-d1 e2-e1 d1-d2 e1-e2", "", "d2-d3 d2xe2"),
    "a capture elsewhere ends the chase": (OTHERS_FIGHT, "f3-e3 d3-d2 e3-e2 d2-d1 e2-e1 h10xh9 e1-e2 d1-d2", "", "e2-e1 e2-e3"),
}  # fmt: skip


@pytest.mark.parametrize(("drawing", "moves", "refused", "legal"), CASES.values(), ids=CASES)
def test_moves_within_a_chase(drawing, moves, refused, legal):
    play = start(drawing)
    play_on(play, moves)
    assert {text: probe(play, text) for text in refused.split()} == dict.fromkeys(refused.split(), "more_squares")
    assert {text: probe(play, text) for text in legal.split()} == dict.fromkeys(legal.split())


def test_the_rule_applies_to_blue_too():
    turned = CHASE.replace("r", "x").replace("b", "r").replace("x", "b")
    play = start(turned, first="blue")
    play_on(play, CHASED)
    assert probe(play, "e2-e3") == "more_squares"
    assert probe(play, "e2-e1") is None


WITHOUT_THE_RULE = {"original-2000", "us"}  # whose books do not have it


@pytest.mark.parametrize("rules", BOARD_GAMES)
def test_the_rule_sets_with_the_more_squares_rule(rules):
    play = start(CHASE.replace("b5", "b3"), rules)
    play_on(play, CHASED)
    assert probe(play, "e2-e3") == (None if rules in WITHOUT_THE_RULE else "more_squares")


@pytest.mark.parametrize(("scope", "refused"), [("chase", "more_squares"), ("game", "more_squares"), ("off", None)])
def test_each_scope_on_a_chase(scope, refused):
    play = start(CHASE, more_squares=scope)
    play_on(play, CHASED)
    assert probe(play, "e2-e3") == refused


# The first chase reaches e2/d2 and ends; the second would reach it again.
TWICE = "f3-e3 d3-d2 e3-e2 d2-d3 e2-f2 d3-d4 f2-f3 d4-d3 f3-e3 d3-d2"


@pytest.mark.parametrize(("scope", "refused"), [("chase", None), ("game", "more_squares"), ("off", None)])
def test_a_position_from_before_the_chase_counts_in_scope_game(scope, refused):
    play = start(CHASE, more_squares=scope)
    play_on(play, TWICE)
    assert probe(play, "e3-e2") == refused


# The first chase reaches e1/d1 and ends; the second would reach it again, after evasions over three squares.
TWICE_OVER_THREE_SQUARES = """
    f3-e3 d3-d2 e3-e2 d2-d1 e2-e1 d1-c1 e1-f1 c1-d1 f1-f2 d1-d2 f2-f3 d2-d3
    f3-e3 d3-d2 e3-e2 d2-d1
"""


@pytest.mark.parametrize(("scope", "refused"), [("chase", None), ("book", "more_squares"), ("off", None)])
def test_a_position_from_before_the_chase_counts_in_scope_book(scope, refused):
    play = start(CHASE, more_squares=scope)
    play_on(play, TWICE_OVER_THREE_SQUARES)
    assert probe(play, "e2-e1") == refused


FROM_THE_START = """
    10 .. .. .. .. .. .. .. .. .. bF
     2 .. .. .. b2 r9 .. .. .. .. ..
     1 .. .. .. .. .. .. .. .. .. rF
"""


@pytest.mark.parametrize(("scope", "refused"), [("chase", None), ("game", "more_squares"), ("book", "more_squares")])
def test_in_scopes_game_and_book_the_position_before_the_first_ply_counts_too(scope, refused):
    play = start(FROM_THE_START, more_squares=scope)
    play_on(play, "e2-f2 d2-d3 f2-f3 d3-d2 f3-f4 d2-d4 f4-e4 d4-d3 e4-e3 d3-d2")
    assert probe(play, "e3-e2") == refused


@pytest.mark.parametrize(
    ("scope", "refused"), [("chase", None), ("game", None), ("book", "more_squares"), ("off", None)]
)
def test_a_move_straight_back_is_refused_in_scope_book_only(scope, refused):
    """J2011-D "Mehr-Feld-Regel" excepts no move; ISF 11.2 allows a move straight back."""
    play = start(CHASE, more_squares=scope)
    play_on(play, "f3-e3 d3-d2 e3-e2 d2-d1 e2-e1 d1-d2")
    assert probe(play, "e1-e2") == refused


PINNED = """
    10 bF bB .. .. .. .. .. .. b3 ..
     9 .. .. .. .. .. .. .. r9 .. ..
     8 .. .. b1 .. .. .. .. .. .. ..
     2 .. .. r3 .. .. .. .. .. .. ..
     1 rF rB .. .. .. .. .. .. .. ..
"""


@pytest.mark.parametrize("scope", ["chase", "game", "book"])
@pytest.mark.parametrize("rules", BOARD_GAMES)
def test_the_two_squares_rule_decides_a_chase_over_two_squares(rules, scope):
    """The player that began to go back and forth loses the piece (J2011-D "Zwei-Feld-Regel", CW "Bewegen")."""
    play = start(PINNED, rules, more_squares=scope)
    limit = play.tables.ruleset.two_squares
    play_on(play, "h9-i9")
    for crossing in range(limit):
        play_on(play, "j10-i10 j9-i9" if crossing % 2 else "i10-j10 i9-j9")
    assert probe(play, "i10-j10" if limit % 2 == 0 else "j10-i10") == "two_squares"


CORNERED_PAIR = """
    10 .. .. .. .. .. .. .. .. .. bF
     3 .. .. .. .. .. b4 .. .. .. ..
     2 .. b5 .. .. r9 .. .. .. .. ..
     1 .. .. rM .. .. .. .. .. .. rF
"""


def test_scope_book_counts_the_squares_of_all_evading_pieces():
    """Two pieces evade over two squares each; the two-squares rule can never stop players that move two pieces."""
    play = start(CORNERED_PAIR, more_squares="book")
    play_on(play, "c1-b1 b2-a2 e2-f2 f3-g3 b1-a1 a2-b2 f2-g2 g3-f3 a1-b1 b2-a2")
    assert probe(play, "g2-f2") == "more_squares"


def test_scope_book_refuses_only_chasing_moves():
    """A move that brings back a position without a chase is legal: the rule is about chases (J2011-D, last sentence)."""
    play = start(SCOUTS, more_squares="book")
    play_on(play, "a4-a5 j5-j6 a5-a6 j6-j5 a6-a5")
    assert probe(play, "j5-j6") is None
    play = start(CHASE, more_squares="book")
    play_on(play, "f3-g3 d3-d4 g3-f3")
    assert probe(play, "d4-d3") is None


TWO_SERGEANTS = """
    10 .. .. .. .. .. .. .. .. .. bF
     3 r5 .. .. .. .. .. .. .. .. ..
     2 .. .. .. b4 .. .. .. .. .. ..
     1 b4 .. .. .. .. .. .. .. .. rF
"""
THEY_CHANGE_PLACES = """
    a3-a2 a1-b1 a2-b2 b1-c1 b2-c2 c1-d1 c2-c1 d2-c2 c1-b1 d1-c1 b1-a1 c1-b1 a1-a2 c2-b2 a2-a1 b1-c1 a1-a2 b2-c2
    a2-b2 c1-b1 b2-a2 b1-b2 a2-a3 b2-b3 a3-a2 c2-b2 a2-a1 b2-a2 a1-b1 b3-b2 b1-c1 b2-c2 c1-b1 a2-a1 b1-b2
"""


def test_a_position_counts_pieces_so_that_no_refusal_reveals_a_rank():
    """Two sergeants have changed places: the ranks are as earlier in the chase, the pieces are not."""
    play = start(TWO_SERGEANTS)
    seen = []
    for move, _ in read_moves(THEY_CHANGE_PLACES):
        play.act(play.to_act[0], move)
        seen.append(drawn(play))
    assert probe(play, "a1-b1") is None
    play_on(play, "a1-b1")
    assert drawn(play) in seen


BOTH_RULES = """
    10 .. .. .. .. .. .. .. .. .. bF
     5 r2 b4 ~~ ~~ .. .. ~~ ~~ .. ..
     1 .. .. .. .. .. .. .. .. .. rF
"""


@pytest.mark.parametrize(("limit", "rule"), [(2, "two_squares"), (0, "more_squares")])
def test_if_both_rules_refuse_two_squares_is_reported(limit, rule):
    play = start(BOTH_RULES, two_squares=limit, more_squares="game")
    play_on(play, "a5-a4 b5-b6 a4-a3 b6-b5 a3-a7 b5-b4 a7-a4 b4-b5")
    assert probe(play, "a4-a5") == rule


def test_the_text_names_the_rule_and_the_squares():
    play = start(CHASE)
    play_on(play, CHASED)
    ((move, _),) = read_moves("e2-e3")
    with pytest.raises(IllegalAction) as caught:
        play.act("red", move)
    assert str(caught.value).startswith("more squares: e2-e3 ")
    assert (caught.value.rule, caught.value.ending, caught.value.final) == ("more_squares", "illegal_action", False)


def test_a_copy_contains_the_chase():
    play = start(CHASE)
    play_on(play, CHASED.rsplit(" ", 1)[0])
    twin = play.copy()
    play_on(twin, "d2-d3")
    assert probe(twin, "e2-e3") == "more_squares"
    play_on(play, "d2-d3")
    assert probe(play, "e2-e3") == "more_squares"
    play_on(twin, "e2-f2 d3-d4")
    assert probe(play, "e2-e3") == "more_squares"

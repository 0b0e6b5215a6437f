"""Rescue: a piece that reaches the opponent's back row lets its player bring back a captured one."""

import pytest
from drawing import drawn, pieces_of, start
from games.power_text import act_on, news, refusal

from arbiter.games.base import IllegalAction
from protocol.words import Move, Rescue, Stop

LAKES = {"c5", "d5", "c6", "d6", "g5", "h5", "g6", "h6"}
# Red loses the five on b4 to b5; then e9, f9 and the scout on g9 may go to the back row.
BOARD = """
    10 bF .. .. .. .. .. .. .. bB ..
     9 .. .. .. .. r4 r6 r2 .. b3 ..
     5 .. b8 ~~ ~~ .. .. ~~ ~~ .. b4
     4 .. r5 .. .. .. .. .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. r3
"""
LOSE = "b4xb5 j5-j4"


def begin(board=BOARD, options=("rescue",), two_squares=0, **more):
    return start(board, "us", options=options, two_squares=two_squares, **more)


def own_half(play, rows):
    taken = pieces_of(drawn(play))
    squares = [f"{file}{row}" for row in rows for file in "abcdefghij"]
    return [square for square in squares if square not in taken and square not in LAKES]


def test_a_rescue_is_asked_for_on_the_back_row():
    play = begin()
    assert news(act_on(play, f"{LOSE} e9-e10")) == "moved red e9 e10"
    assert (play.phase, play.to_act, play.plies) == ("rescue", ("red",), 3)
    free = own_half(play, range(1, 6))
    assert len(free) == 50 - 4 - 4
    assert set(play.legal_actions("red")) == {*(Rescue("lieutenant", square) for square in free), Stop()}
    assert play.legal_actions("blue") == []


def test_the_piece_returns_on_a_public_square():
    play = begin()
    facts = act_on(play, f"{LOSE} e9-e10 +lieutenant@e5")
    assert news(facts) == "placed red e5 / blue< revealed red e5 lieutenant"
    assert pieces_of(drawn(play))["e5"] == ("red", "lieutenant")
    assert (play.phase, play.to_act, play.plies, play.position.captured, play.turn) == ("turn", ("blue",), 3, [], None)


def test_a_rescued_piece_moves_from_the_next_turn_on():
    play = begin()
    act_on(play, f"{LOSE} e9-e10 +lieutenant@e5 j4-j3")
    assert news(act_on(play, "e5-e6")) == "moved red e5 e6"


def test_a_rescue_may_be_declined():
    play = begin()
    assert act_on(play, f"{LOSE} e9-e10 stop") == ()
    assert (play.phase, play.to_act, play.plies, len(play.position.captured)) == ("turn", ("blue",), 3, 1)
    # the same piece may rescue later
    act_on(play, "j4-j3 e10-e9 j3-j2 e9-e10 +lieutenant@a2")


# Red loses the five on b3 to b4; then the scout on e4 and the sergeant on f2 may go to a back row.
OPEN = """
    10 bF .. .. .. .. .. .. .. .. b4
     4 .. b8 .. .. r2 .. .. .. .. ..
     3 .. r5 .. .. .. .. .. .. .. ..
     2 .. .. .. .. .. r4 .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. ..
"""
EARNS = {
    "a won attack": ("3", f"{LOSE} e9xe10", True),
    **{f"an attack lost to {piece}": (piece, f"{LOSE} e9xe10", False) for piece in "5B"},
    "equals": ("4", f"{LOSE} e9xe10", False),
    "no piece was captured": ("", "e9-e10", False),
    "a move along the back row": ("", f"{LOSE} e9-e10 stop j4-j3 e10-d10", False),
    "the piece leaves the row and comes back": (
        *("", f"{LOSE} e9-e10 stop j4-j3 e10-d10 j3-j4 d10-d9 j4-j3 d9-d10", True),
    ),
    "a scout from far away": (None, "b3xb4 j10-j9 e4-e10", False),
    "the own back row": (None, "b3xb4 j10-j9 f2-f1", False),
}


@pytest.mark.parametrize(("defender", "acts", "earns"), EARNS.values(), ids=EARNS)
def test_who_earns_a_rescue(defender, acts, earns):
    board = BOARD.replace("10 bF .. .. .. ..", f"10 bF .. .. .. b{defender}") if defender else BOARD
    play = begin(OPEN if defender is None else board)
    act_on(play, acts)
    assert (play.phase, play.to_act) == (("rescue", ("red",)) if earns else ("turn", ("blue",)))


def test_a_tie_won_by_the_attacker_earns_a_rescue():
    board = BOARD.replace("10 bF .. .. .. ..", "10 bF .. .. .. b4")
    play = begin(board, options=("aggressor-advantage", "rescue"))
    act_on(play, f"{LOSE} e9xe10")
    assert play.phase == "rescue"


@pytest.mark.parametrize("way", ["g9-g10", "e9-d9", "e9-e8"])
def test_scouts_and_other_rows_earn_no_rescue(way):
    play = begin()
    act_on(play, f"{LOSE} {way}")
    assert (play.phase, play.to_act) == ("turn", ("blue",))


def test_bombs_do_not_come_back():
    board = """
        10 bF .. .. .. .. .. .. .. .. b4
         9 .. .. .. .. r4 .. .. .. .. ..
         4 .. b3 .. .. .. .. .. .. .. ..
         3 .. rB .. .. .. b8 .. .. .. ..
         2 .. .. .. .. .. r5 .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. r3
    """
    play = begin(board)
    act_on(play, "j1-j2 b4xb3 e9-e10")
    assert play.phase == "turn", "a bomb is all that was lost"
    play = begin(board)
    act_on(play, "f2xf3 b4xb3 e9-e10")
    assert {action.rank for action in play.legal_actions("red") if isinstance(action, Rescue)} == {"lieutenant"}
    assert refusal(play, "+bomb@a2") == "power"


def test_a_player_rescues_twice_and_a_piece_once():
    board = """
        10 bF .. .. .. .. .. .. .. .. b4
         9 .. .. .. .. r4 r6 r7 .. .. ..
         4 b8 b8 b8 .. .. .. .. .. .. ..
         3 r5 r3 r1 .. .. .. .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. ..
    """
    play = begin(board)
    act_on(play, "a3xa4 j10-j9 b3xb4 j9-j8 c3xc4 j8-j7 e9-e10 +spy@a2 j7-j8")
    assert (play.rescued, len(play.rescuers)) == ([1, 0], 1)
    act_on(play, "e10-e9 j8-j7 e9-e10")
    assert (play.phase, play.to_act) == ("turn", ("blue",)), "it has rescued already"
    act_on(play, "j7-j8 f9-f10 +miner@b2 j8-j7")
    act_on(play, "g9-g10")
    assert (play.phase, play.to_act) == ("turn", ("blue",)), "two are all"
    assert play.rescued == [2, 0]


def test_a_rescued_piece_may_rescue_later():
    board = """
        10 bF .. .. .. .. .. .. .. .. b4
         9 .. .. .. .. r4 .. .. .. .. ..
         4 b8 b8 .. .. .. .. .. .. .. ..
         3 r5 r3 .. .. .. .. .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. ..
    """
    play = begin(board)
    act_on(play, "a3xa4 j10-j9 b3xb4 j9-j8 e9-e10 +lieutenant@e5 j8-j7")
    act_on(play, "e5-e6 j7-j8 e6-e7 j8-j7 e7-e8 j7-j8 e8-e9 j8-j7 e9-d9 j7-j8 d9-d10 +miner@a2")
    assert play.rescued == [2, 0]


def test_each_player_has_two_rescues():
    board = """
        10 bF .. .. .. .. .. .. .. .. b4
         9 .. .. .. .. r4 .. .. .. .. ..
         4 b8 r8 .. .. .. .. .. .. .. ..
         3 r5 b5 .. .. .. .. .. .. .. ..
         2 .. .. .. .. .. .. b6 .. .. ..
         1 rF .. .. .. .. .. .. .. .. ..
    """
    play = begin(board)
    act_on(play, "a3xa4 b3xb4 e9-e10 +lieutenant@a2 g2-g1")
    assert (play.phase, play.to_act) == ("rescue", ("blue",))
    free = own_half(play, range(6, 11))
    assert set(play.legal_actions("blue")) == {*(Rescue("lieutenant", square) for square in free), Stop()}
    assert news(act_on(play, "+lieutenant@e6")) == "placed blue e6 / red< revealed blue e6 lieutenant"
    assert play.rescued == [1, 1]


@pytest.mark.parametrize(
    "act",
    [
        "+lieutenant@a6",  # the other half
        "+lieutenant@c5",  # a lake
        "+lieutenant@a1",  # taken
        "+lieutenant@b5",  # taken by the enemy
        "+lieutenant@k1",
        "+lieutenant@",
        "+captain@a2",  # not lost
        "+flag@a2",
        "+general@a2",
        "+nonsense@a2",
    ],
)
def test_other_rescues_are_refused(act):
    play = begin()
    act_on(play, f"{LOSE} e9-e10")
    assert refusal(play, act) == "power"


@pytest.mark.parametrize("act", ["e10-e9", "f9-f10", "f9xf10", "f9?a10", "f9*a10"])
def test_other_actions_are_refused_in_this_phase(act):
    play = begin()
    act_on(play, f"{LOSE} e9-e10")
    assert refusal(play, act) == "turn"


def test_the_opponent_cannot_act():
    play = begin()
    act_on(play, f"{LOSE} e9-e10")
    for action in (Move("j4", "j3"), Stop(), Rescue("lieutenant", "a6")):
        with pytest.raises(IllegalAction, match="not blue's turn"):
            play.act("blue", action)


@pytest.mark.parametrize("act", ["stop", "+lieutenant@a2"])
def test_rescuing_in_phase_turn_is_refused(act):
    play = begin()
    act_on(play, LOSE)
    assert refusal(play, act) == "turn"


@pytest.mark.parametrize("rules", ["us", "original"])
def test_without_the_option_there_is_no_rescue(rules):
    play = start(BOARD, rules)
    act_on(play, f"{LOSE} e9-e10")
    assert (play.phase, play.to_act) == ("turn", ("blue",))


# --- which piece ------------------------------------------------------------------------------------

# Two miners of red: the one from b4 is lost as an attacker, so blue has seen it; the one on i4 as a defender.
TWO = """
    10 bF .. .. .. .. .. .. .. .. ..
     9 .. .. .. .. r4 r6 .. .. .. ..
     5 .. b8 ~~ ~~ .. .. ~~ ~~ b8 b4
     4 .. r3 .. .. .. .. .. .. r3 ..
     1 rF .. .. .. .. .. .. .. .. ..
"""


def test_a_piece_of_unknown_rank_returns_first():
    play = begin(TWO, options=("silent-defence", "rescue"))
    act_on(play, "b4xb5 i5xi4 e9-e10")
    assert {action.rank for action in play.legal_actions("red") if isinstance(action, Rescue)} == {"miner"}
    assert news(act_on(play, "+miner@a2")) == "placed red a2"
    act_on(play, "j5-j6 f9-f10")
    assert news(act_on(play, "+miner@a3")) == "placed red a3 / blue< revealed red a3 miner"


def test_of_two_known_pieces_the_first_captured_returns():
    play = begin(TWO)
    act_on(play, "b4xb5 i5xi4 e9-e10")
    first = play.position.captured[0]
    assert news(act_on(play, "+miner@a2")) == "placed red a2 / blue< revealed red a2 miner"
    assert play.position.board[play.tables.ruleset.board.square["a2"]] == first


def test_a_piece_revealed_earlier_stays_known():
    """It attacked and won, then was lost as a defender: blue knows its rank and could follow it."""
    play = begin(
        """
        10 bF .. .. .. .. .. .. .. .. ..
         9 .. .. .. .. r4 .. .. .. .. ..
         5 .. b3 ~~ ~~ .. .. ~~ ~~ .. b4
         4 b8 r5 .. .. .. .. .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. ..
        """,
        options=("silent-defence", "rescue"),
    )
    act_on(play, "b4xb5 a4-a5 b5-b6 a5-a6 e9-d9 a6xb6 d9-d10")
    assert news(act_on(play, "+lieutenant@a2")) == "placed red a2 / blue< revealed red a2 lieutenant"

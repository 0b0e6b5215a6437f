"""Moves, apart from the repetition rules."""

import pytest
from drawing import draw, drawn, facts, legal_texts, moves_of, play_on, probe, start, tidy

from arbiter.games.base import IllegalAction
from protocol.words import Move, Moved, Resign, Stop

# Both sides have a movable piece far away, so that no game in this file is over at once.
STEPS = """
    10 .. .. .. .. .. .. .. .. .. b5
     2 .. r4 .. .. .. .. .. .. .. ..
     1 .. .. .. .. .. .. .. .. .. rB
"""


def refused(play, text):
    ((move, _),) = moves_of(text)
    (seat,) = play.to_act
    with pytest.raises(IllegalAction) as caught:
        play.act(seat, move)
    return caught.value


def test_a_piece_moves_one_square_in_four_directions():
    assert legal_texts(start(STEPS)) == ["b2-a2", "b2-b1", "b2-b3", "b2-c2"]


@pytest.mark.parametrize("text", ["b2-b4", "b2-c3", "b2-a1", "b2-b2", "b2-j2", "b2-d2"])
def test_a_piece_has_no_other_moves(text):
    assert probe(start(STEPS), text) == "movement"


def test_both_players_see_a_move():
    play = start(STEPS)
    (addressed,) = play.act("red", Move("b2", "b3"))
    assert addressed.fact == Moved("red", "b2", "b3")
    assert addressed.to == ("red", "blue")
    assert play.to_act == ("blue",)
    assert play.plies == 1
    assert drawn(play) == tidy("""
        10 .. .. .. .. .. .. .. .. .. b5
         3 .. r4 .. .. .. .. .. .. .. ..
         1 .. .. .. .. .. .. .. .. .. rB
    """)


@pytest.mark.parametrize(
    ("square", "ways"),
    [
        ("a1", ["a1-a2", "a1-b1"]),
        ("j1", ["j1-i1", "j1-j2"]),
        ("a10", ["a10-a9", "a10-b10"]),
        ("j10", ["j10-i10", "j10-j9"]),
        ("a5", ["a5-a4", "a5-a6", "a5-b5"]),
        ("j6", ["j6-i6", "j6-j5", "j6-j7"]),
        ("b5", ["b5-a5", "b5-b4", "b5-b6"]),  # c5 is a lake
        ("d4", ["d4-c4", "d4-d3", "d4-e4"]),  # d5 is a lake
        ("e6", ["e6-e5", "e6-e7", "e6-f6"]),  # d6 is a lake
        ("g7", ["g7-f7", "g7-g8", "g7-h7"]),  # g6 is a lake
    ],
)
def test_moves_end_at_the_edge_and_at_lakes(square, ways):
    play = start(draw({square: ("red", "sergeant"), "e1": ("blue", "sergeant")}))
    assert legal_texts(play) == ways


def test_moving_onto_an_own_piece_is_refused():
    play = start("""
        10 .. .. .. .. .. .. .. .. .. b5
         2 .. r4 r5 .. .. .. .. .. .. ..
         1 .. r3 .. .. .. .. .. .. .. ..
    """)
    assert probe(play, "b2-c2") == "movement"
    assert "b2-c2: your own piece is on c2" in str(refused(play, "b2-c2"))


def test_moving_an_enemy_piece_is_refused():
    error = refused(start(STEPS), "j10-j9")
    assert error.rule == "movement"
    assert str(error) == "red has no piece on j10"


@pytest.mark.parametrize(
    ("src", "dst"), [("b2", "b11"), ("a0", "b2"), ("", "b2"), ("b2", "k2"), ("B2", "b3"), ("b02", "b3")]
)
def test_a_move_to_a_square_that_does_not_exist_is_refused(src, dst):
    with pytest.raises(IllegalAction, match="there is no square") as caught:
        start(STEPS).act("red", Move(src, dst))
    assert (caught.value.rule, caught.value.ending) == ("movement", "illegal_action")


def test_text_of_a_bot_in_a_refusal_is_short_and_printable():
    with pytest.raises(IllegalAction) as caught:
        start(STEPS).act("red", Move("\x1b[2J\n" + "x" * 3000, "b3\r\x07"))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 120


SCOUT = """
    10 .. .. .. .. .. .. .. .. .. b5
     9 .. .. .. .. b5 .. .. .. .. ..
     5 .. .. ~~ ~~ .. .. ~~ ~~ .. ..
     3 .. r4 .. .. r2 .. .. .. .. ..
     2 .. .. .. .. .. .. .. .. .. ..
"""


def test_a_scout_moves_over_empty_squares_and_may_attack_at_the_end():
    ways = [text for text in legal_texts(start(SCOUT)) if text.startswith("e3")]
    east = ["e3-f3", "e3-g3", "e3-h3", "e3-i3", "e3-j3"]
    west = ["e3-c3", "e3-d3"]
    south = ["e3-e1", "e3-e2"]
    north = ["e3-e4", "e3-e5", "e3-e6", "e3-e7", "e3-e8", "e3-e9"]
    assert ways == sorted(east + west + south + north)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("e3-e10", "there is a piece in the way"),
        ("e3-b3", "your own piece is on b3"),
        ("e3-a3", "there is a piece in the way"),
        ("e3-g5", "g5 is a lake"),
        ("e3-f4", "not a straight line over land"),
        ("b3-b5", "the piece on b3 moves only one square"),
    ],
)
def test_a_refusal_explains_the_move_by_squares(text, why):
    play = start(SCOUT)
    assert probe(play, text) == "movement"
    assert str(refused(play, text)) == f"{text}: {why}"


def test_a_scout_does_not_jump_over_a_lake():
    play = start("""
        10 .. .. .. .. .. .. .. .. .. b5
         4 .. .. r2 .. .. .. .. .. .. ..
    """)
    assert probe(play, "c4-c7") == "movement"
    assert probe(play, "c4-c5") == "movement"


def test_a_long_move_has_only_the_fact_moved():
    assert facts(start(SCOUT).act("red", Move("e3", "e8"))) == [Moved("red", "e3", "e8")]


IMMOVABLE = """
    10 .. .. .. .. .. .. .. .. .. b5
     1 rB .. rF .. r5 .. .. .. .. ..
"""


@pytest.mark.parametrize("text", ["a1-a2", "c1-c2", "c1-d1", "a1-a9"])
@pytest.mark.parametrize(
    ("rules", "ending", "final"),
    [
        ("original", "immovable_moved", True),
        ("duel", "immovable_moved", True),
        ("barrage", "illegal_action", False),
        ("original-2000", "illegal_action", False),
    ],
)
def test_bombs_and_flags_never_move(rules, ending, final, text):
    drawing = IMMOVABLE.replace("r5", "r9").replace("b5", "b9")  # a rank that every army has
    play = start(drawing, rules)
    assert probe(play, text) == "immovable"
    error = refused(play, text)
    assert (error.ending, error.final) == (ending, final)


@pytest.mark.parametrize("seat", ["blue", "red"])
def test_a_seat_that_is_not_on_turn_cannot_act(seat):
    play = start(STEPS, first="blue" if seat == "red" else "red")
    assert play.legal_actions(seat) == []
    src, dst = ("b2", "b3") if seat == "red" else ("j10", "j9")
    with pytest.raises(IllegalAction, match=f"it is not {seat}'s turn") as caught:
        play.act(seat, Move(src, dst))
    assert caught.value.rule == "turn"


def test_an_action_of_another_phase_is_refused():
    with pytest.raises(IllegalAction, match="the action 'stop' is not possible") as caught:
        start(STEPS).act("red", Stop())
    assert caught.value.rule == "turn"
    with pytest.raises(IllegalAction):
        start(STEPS).act("red", Resign())


def test_a_captured_piece_cannot_move():
    play = start("""
        10 .. .. .. .. .. .. .. .. .. b5
         3 .. b6 .. .. .. .. .. .. .. ..
         2 .. r4 .. r5 .. .. .. .. .. ..
    """)
    play_on(play, "b2xb3 j10-j9")
    assert probe(play, "b2-b1") == "movement"


def test_seats_take_turns():
    play = start(STEPS, first="blue")
    play_on(play, "j10-j9 b2-b3 j9-j8 b3-b4")
    assert play.to_act == ("blue",)
    assert play.plies == 4

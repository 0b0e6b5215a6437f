"""Positions as text, and games that start from one."""

import pytest
from drawing import LAKES, PIECES, SQUARES, draw, drawn, facts, letters_of, start, tidy

from arbiter.errors import ConfigError
from arbiter.games.base import IllegalAction
from arbiter.games.board.diagram import read_position, write_position
from arbiter.games.board.geometry import CLASSIC_BOARD, Geometry
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from protocol.words import Deploy, Deployed, Revealed

EVERY_RANK = list(PIECES.values())
EVERY_PIECE = """
    10 bB b1 b2 b3 b4 b5 b6 b7 b8 b9
     9 bM bF bI bR bZ .. .. .. .. ..
     6 .. .. ~~ ~~ .. .. ~~ ~~ .. ..
     2 rM rF rI rR rZ .. .. .. .. ..
     1 rB r1 r2 r3 r4 r5 r6 r7 r8 r9
"""
EMPTY = "".join("_" if square in LAKES else "a" for square in SQUARES)
TO_PLAY = """
    10 .. .. .. .. .. .. .. .. b5 bF
     9 .. .. .. .. .. .. .. .. .. bB
     2 r2 .. .. .. .. .. .. .. .. ..
     1 rF r3 .. .. .. .. .. .. .. ..
"""


def test_every_letter_of_a_position():
    standings = read_position(letters_of(EVERY_PIECE), CLASSIC_BOARD, EVERY_RANK)
    names = CLASSIC_BOARD.names
    assert draw({names[piece.square]: (piece.seat, piece.rank) for piece in standings}) == tidy(EVERY_PIECE)


def test_writing_a_position_reverses_reading_it():
    letters = letters_of(EVERY_PIECE)
    assert write_position(read_position(letters, CLASSIC_BOARD, EVERY_RANK), CLASSIC_BOARD) == letters
    assert write_position((), CLASSIC_BOARD) == EMPTY


def test_the_letters_of_the_public_archives():
    assert letters_of("1 rB r1 r2 r3 r4 r5 r6 r7 r8 r9")[:10] == "BCDEFGHIJK"
    assert letters_of("1 bB b1 b2 b3 b4 b5 b6 b7 b8 b9")[:10] == "NOPQRSTUVW"
    assert letters_of("1 rM rF bM bF rI bI rR bR rZ bZ")[:10] == "LMXY123456"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "position: 0 letters; a position has 100"),
        (EMPTY + "a", "position: 101 letters; a position has 100"),
        ("_" + EMPTY[1:], "position: a1 is '_', but there is no lake on this square"),
        (EMPTY[:42] + "a" + EMPTY[43:], "position: c5 is 'a', but there is a lake \\(_\\) on this square"),
        (EMPTY[:42] + "B" + EMPTY[43:], "position: c5 is 'B', but there is a lake \\(_\\) on this square"),
        ("Z" + EMPTY[1:], "position: letter 'Z' at place 1 stands for no piece"),
        ("b" + EMPTY[1:], "position: letter 'b' at place 1 stands for no piece"),
        ("aa7" + EMPTY[3:], "position: letter '7' at place 3 stands for no piece"),
        ("1" + EMPTY[1:], "position: letter '1' stands for infiltrator, which this rule set does not have"),
    ],
)
def test_the_error_for_an_invalid_position_explains_what_is_right(text, why):
    with pytest.raises(ConfigError, match=f"^{why}$"):
        find_game("original", position=text)


@pytest.mark.parametrize("first", ["red", "blue"])
def test_a_game_from_a_position_has_no_setup_phase(first):
    play = start(TO_PLAY, first=first)
    assert (play.phase, play.to_act, play.first, play.plies) == ("turn", (first,), first, 0)
    assert drawn(play) == tidy(TO_PLAY)
    with pytest.raises(IllegalAction) as caught:
        play.act(first, Deploy(pieces={}))
    assert caught.value.rule == "turn"


def test_the_opening_facts_of_a_position():
    play = start(TO_PLAY)
    assert facts(play.opening) == [
        Deployed("red", ["a1", "b1", "a2"]),
        Deployed("blue", ["j9", "i10", "j10"]),
        Revealed("red", "a1", "flag"),
        Revealed("red", "b1", "miner"),
        Revealed("red", "a2", "scout"),
        Revealed("blue", "j9", "bomb"),
        Revealed("blue", "i10", "lieutenant"),
        Revealed("blue", "j10", "flag"),
    ]
    assert [addressed.to for addressed in play.opening] == [("red", "blue")] * 2 + [("red",)] * 3 + [("blue",)] * 3


def test_a_game_with_deployments_has_no_opening_facts():
    assert find_game("duel").start(SeededChance(1)).opening == ()


def test_an_army_may_be_larger_than_that_of_the_rule_set_and_stand_anywhere():
    squares = [square for square in SQUARES if square not in LAKES]
    pieces = {square: ("red" if square[1:] in "123456" else "blue", "major") for square in squares}
    play = start(draw(pieces))
    assert drawn(play) == draw(pieces)
    assert play.outcome is None


def test_one_side_may_have_ninety_pieces():
    squares = [square for square in SQUARES if square not in LAKES]
    for seat, foe in (("red", "blue"), ("blue", "red")):
        pieces = dict.fromkeys(squares, (seat, "major")) | {"j10": (foe, "spy")}
        play = start(draw(pieces), first=seat)
        assert drawn(play) == draw(pieces)
        assert {move.dst for move in play.legal_actions(seat)} == {"j10"}


def test_a_position_on_another_board():
    board = Geometry(4, 3, ("b2",))
    assert board.names == ("a1", "b1", "c1", "d1", "a2", "b2", "c2", "d2", "a3", "b3", "c3", "d3")
    standings = read_position("Daaaa_aaaaaP", board, ["scout"])
    assert [(board.names[piece.square], piece.seat, piece.rank) for piece in standings] == [
        ("a1", "red", "scout"),
        ("d3", "blue", "scout"),
    ]

import re

from drawing import pieces_of

from arbiter.show.boards import LEGEND, Marks, draw_board, write_lost, write_rank
from protocol.messages import BoardShape, ViewPiece

SHAPE = BoardShape(10, 10, ["c5", "d5", "c6", "d6", "g5", "h5", "g6", "h6"])
PIECES = [
    ViewPiece("a1", "red", "flag"),
    ViewPiece("b1", "red", "bomb"),
    ViewPiece("a5", "red", "marshal", moved=True),
    ViewPiece("j5", "red", "scout", moved=True),
    ViewPiece("a10", "blue", None),
    ViewPiece("b10", "blue", None, moved=True),
    ViewPiece("j10", "blue", "spy"),
]
BOARD = """\
    a     b     c     d     e     f     g     h     i     j
10 b?    b?'    .     .     .     .     .     .     .    bS
 9  .     .     .     .     .     .     .     .     .     .
 8  .     .     .     .     .     .     .     .     .     .
 7  .     .     .     .     .     .     .     .     .     .
 6  .     .    ~~~~  ~~~~   .     .    ~~~~  ~~~~   .     .
 5 RM'    .    ~~~~  ~~~~   .     .    ~~~~  ~~~~   .   [R2' ]
 4  .     .     .     .     .     .     .     .     .     .
 3  .     .     .     .     .     .     .     .     .     .
 2  .     .     .     .     .     .     .     .     .   [ .  ]
 1 RF    RB     .     .     .     .     .     .     .     ."""


def test_a_board_with_its_last_move():
    assert draw_board(PIECES, SHAPE, Marks("j2", "j5")) == BOARD


def test_an_attack_is_starred():
    lines = draw_board(PIECES, SHAPE, Marks("a4", "a5", attack=True)).splitlines()
    assert lines[6].startswith(" 5*RM' *")
    assert lines[7].startswith(" 4[ .  ]")


def test_colour_only_repeats_what_the_letters_say():
    coloured = draw_board(PIECES, SHAPE, Marks("j2", "j5"), colour=True)
    assert "\x1b[1;38;5;131mRM' \x1b[0m" in coloured
    assert "\x1b[1;38;5;63;7mb?  \x1b[0m" in coloured, "a hidden piece shows its back"
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in bare.splitlines()] == BOARD.splitlines()


def test_a_board_fits_a_terminal():
    full = [ViewPiece(f"{file}{row}", "red", "marksman", moved=True) for file in "abcdefghij" for row in range(1, 11)]
    lines = draw_board(full, SHAPE, Marks("j1", "j10", attack=True)).splitlines()
    assert len(lines) <= 14
    assert max(map(len, lines)) < 80
    assert len(LEGEND) < 80


def test_a_small_board():
    drawn = draw_board([ViewPiece("b2", "blue", None)], BoardShape(3, 2, ["a1"]))
    assert drawn == "    a     b     c\n 2  .    b?     .\n 1 ~~~~   .     ."


def test_every_piece_of_the_drawings_has_a_sign_of_its_own():
    pieces = pieces_of("4 rM r9 r8 r7 r6 r5 r4 r3 r2 r1\n1 rB rF rI rR rZ .. .. .. .. ..").values()
    assert len({write_rank(rank) for _, rank in pieces}) == 15
    assert write_rank(None) == "?"


def test_captured_pieces_stand_from_the_highest_down_the_unknown_last():
    assert write_lost({"scout": 3, "unknown": 2, "marshal": 1, "bomb": 1}) == "7: M 2(3) B ?(2)"
    assert write_lost({}) == "nothing"

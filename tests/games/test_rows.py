"""Positions as rows: reading reverses writing, faults are named, and marked ranks are known to both players."""

import random

import pytest

from arbiter.errors import ConfigError
from arbiter.games.base import visible_to
from arbiter.games.board.diagram import Diagram, PlacedPiece, read_letters, read_rows, write_piece, write_rows
from arbiter.games.board.geometry import CLASSIC_BOARD as BOARD
from arbiter.games.catalogue import find_game, find_ruleset
from arbiter.games.chance import SeededChance
from arbiter.games.ranks import RANKS as ALL_RANKS
from arbiter.show.boards import draw_board
from protocol.messages import BoardShape, ViewPiece
from protocol.words import SEATS, Revealed

DUEL = find_ruleset("duel")
RANKS = [rank.id for rank in DUEL.ranks]
ROWS = """
10  .    .    .    .    .    .    .    .    .    bF
 9  .    .    .    .    .    .    .    .    bM!  bB
 8  .    .    .    .    .    .    .    .    .    .
 7  .    .    .    .    .    .    .    .    .    .
 6  .    .    ~    ~    .    .    ~    ~    .    .
 5  .    .    ~    ~    .    .    ~    ~    .    .
 4  .    .    .    .    .    .    .    .    .    .
 3  RS   .    .    .    .    .    .    .    .    .   # the spy
 2  .    .    .    .    .    .    .    .    .    .
 1  RF   R3'! .    .    .    .    .    .    .    .
    a    b    c    d    e    f    g    h    i    j
blue to move
"""


def random_diagram(rng):
    squares = rng.sample([square for square in range(BOARD.size) if square not in BOARD.lake_squares], 30)
    pieces = [
        PlacedPiece(square, rng.choice(SEATS), rng.choice(list(ALL_RANKS)), rng.random() < 0.5)
        for square in sorted(squares)
    ]
    return Diagram(tuple(pieces), rng.choice([None, *SEATS]))


def draw(diagram):
    signs = {BOARD.names[one.square]: write_piece(one.seat, one.rank, known=one.is_known) for one in diagram.pieces}
    return write_rows(signs, BOARD, diagram.first)


@pytest.mark.parametrize("seed", range(20))
def test_reading_reverses_writing(seed):
    diagram = random_diagram(random.Random(seed))
    assert read_rows(draw(diagram), BOARD, ALL_RANKS) == diagram
    assert read_letters(diagram.write(BOARD), BOARD, ALL_RANKS) == diagram


def test_row_numbers_and_the_row_of_letters_are_optional():
    bare = "\n".join(line[3 * line[1:2].isdigit() :] for line in ROWS.splitlines() if not line.startswith("    "))
    assert read_rows(bare, BOARD, RANKS) == read_rows(ROWS, BOARD, RANKS)


@pytest.mark.parametrize("bottom", SEATS)
def test_a_printed_board_is_a_position_too(bottom):
    diagram = random_diagram(random.Random(1))
    pieces = [ViewPiece(BOARD.names[one.square], one.seat, one.rank, moved=True) for one in diagram.pieces]
    printed = draw_board(pieces, BoardShape(BOARD.files, BOARD.rows, list(BOARD.lakes)), bottom=bottom)
    read = read_rows(printed.replace(" R", "[R", 1), BOARD, ALL_RANKS)
    assert [(one.square, one.seat, one.rank) for one in read.pieces] == [
        (one.square, one.seat, one.rank) for one in diagram.pieces
    ]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("bM! ", "b11"), "position: line 3, i9: this rule set has no rank '11'; it has M marshal, 9 general"),
        (("bM! ", "X10"), "position: line 3, i9: 'X10' stands for no piece; write R or b and a rank (M marshal"),
        (("bM! ", "bI"), "position: line 3, i9: this rule set has no rank 'I'"),
        (("bM! ", "b?"), "position: line 3, i9: the rank of 'b?' is unknown"),
        (("bM! ", "~"), "position: line 3, i9: '~', but this square is no lake"),
        ((" ~ ", " . "), "position: line 6, c6: '.', but this square is a lake (~)"),
        ((" 8  .", " 8   "), "position: line 4: 9 squares; a row has 10, separated by spaces"),
        ((" 8  .", " 7  ."), "position: line 4: row 7 comes where row 8 should be"),
        (("blue to move", "green to move"), "position: line 13: 3 squares; a row has 10"),
    ],
)
def test_faults_name_the_line_and_the_square(change, why):
    with pytest.raises(ConfigError) as refused:
        read_rows(ROWS.replace(*change, 1), BOARD, RANKS)
    assert why in str(refused.value)


def test_a_missing_row():
    with pytest.raises(ConfigError, match="position: 9 rows; the board has 10"):
        read_rows("\n".join(ROWS.splitlines()[:-3]), BOARD, RANKS)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("green", "'green' after the letters; only red or blue"),
        ("known=e5", "'e5' after 'known=' is not the square of a piece"),
        ("known=", "'' after 'known=' is not the square of a piece"),
    ],
)
def test_words_after_letters(words, why):
    letters = read_rows(ROWS, BOARD, RANKS).write(BOARD).split()[0]
    with pytest.raises(ConfigError) as refused:
        find_game("duel", position=f"{letters} {words}")
    assert why in str(refused.value)


def test_a_game_starts_from_rows():
    play = find_game("duel", position=ROWS).start(SeededChance(1))
    assert play.first == "blue"
    assert play.to_act == ("blue",)
    seen = {
        seat: {
            fact.place for fact in visible_to(seat, play.opening) if isinstance(fact, Revealed) and fact.seat != seat
        }
        for seat in SEATS
    }
    assert seen == {"red": {"i9"}, "blue": {"b1"}}


def test_the_letters_of_a_game_start_the_same_game():
    game = find_game("duel", position=ROWS)
    assert game.write_start().endswith(" blue known=b1,i9")
    again = find_game("duel", position=game.write_start())
    assert again.start(SeededChance(1)).opening == game.start(SeededChance(1)).opening
    assert again.position == game.position

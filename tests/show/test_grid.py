"""Grids of any size: what is drawn where is found where it is drawn."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from show.sample_record import record

from arbiter.record import read_record
from arbiter.show.boards import SMALLEST, Cell
from arbiter.show.replay.plain_text import make_grid
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.board import BoardPicture, ScreenMoment, write_piece
from arbiter.show.screen.canvas import MONO, Canvas
from protocol.words import SEATS

GOLDEN = Path(__file__).parents[1] / "games" / "golden"
BOARD = Replay(record("b6xb7"))
CARDS = Replay(read_record((GOLDEN / "card-game.jsonl").read_bytes()))
REPLAYS = [replay for replay in (BOARD, CARDS) for _ in SEATS]
GRIDS = [make_grid(replay.frame(0, "arbiter"), bottom) for replay in (BOARD, CARDS) for bottom in SEATS]


@given(st.sampled_from(list(zip(REPLAYS, GRIDS, strict=True))), st.builds(Cell, st.integers(5, 12), st.integers(1, 4)))
def test_every_square_is_found_where_it_is_painted(shown, cell):
    replay, grid = shown
    canvas = Canvas(grid.width(cell), grid.height(cell), MONO)
    picture = BoardPicture(replay, ScreenMoment(number=0), replay.frame(0, "arbiter"), grid, cell)
    picture.paint(canvas, 0, 0)
    lines = ["".join(segment.text for segment in line) for line in canvas.lines()]
    found = {}
    for y, line in enumerate(lines):
        for x, sign in enumerate(line):
            square = grid.square_at(x, y, cell)
            found.setdefault(square, []).append(sign)
    assert found.keys() - {None} == {square for row in grid.rows for square in row.squares}
    for square, signs in found.items():
        if square is not None and square.piece is not None:
            assert write_piece(square.piece, is_known=False) in "".join(signs)


@given(st.sampled_from(GRIDS), st.integers(-20, 200), st.integers(-20, 100))
def test_beside_the_squares_there_is_none(grid, x, y):
    square = grid.square_at(x, y)
    inside = 0 <= x - grid.margin < grid.width() and 0 <= y < grid.height()
    assert square is None or inside


@given(st.sampled_from(GRIDS), st.integers(1, 400), st.integers(1, 120))
def test_the_largest_squares_fit_where_any_do(grid, width, height):
    cell = grid.largest_cell(width, height)
    assert cell.width <= 2 * cell.height + 4, "a square is nearly a square"
    assert grid.width(cell) <= max(width, grid.width())
    assert grid.height(cell) <= max(height, grid.height())
    assert (cell.width, cell.height) >= (SMALLEST.width, SMALLEST.height)


@pytest.mark.parametrize("replay", [BOARD, CARDS])
def test_a_turned_board_has_the_same_squares_the_other_way_round(replay):
    red, blue = (make_grid(replay.frame(0, "arbiter"), bottom) for bottom in SEATS)
    assert [row.label for row in red.rows] == [row.label for row in reversed(blue.rows)]
    assert {square for row in red.rows for square in row.squares} == {sq for row in blue.rows for sq in row.squares}


def test_a_square_is_found_again_when_something_else_stands_on_it():
    before, after = (make_grid(BOARD.frame(number, "arbiter")) for number in (0, 1))
    (bomb,) = [square for row in before.rows for square in row.squares if square.place == "b7"]
    assert (bomb.piece.rank, after.find(bomb).piece.rank) == ("bomb", "miner")
    assert GRIDS[2].find(bomb) is None

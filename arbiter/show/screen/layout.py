"""The parts of a screen: all of its room is used, first for the board, then for text and graphs."""

from typing import Final

from msgspec import Struct

from arbiter.show.grid import Cell, Grid
from arbiter.show.screen.canvas import Box
from arbiter.show.screen.moves import LEAST_WIDTH

_GAP: Final = 1
_TITLE, _PLAYERS, _TIMELINE, _FOOTER = 1, 2, 1, 1
_LEAST_TEXT, _GOOD_TEXT, _MOST_TEXT = 3, 5, 6
_HIGHEST_GRAPH: Final = 3


class ScreenLayout(Struct, frozen=True):
    """The parts of a screen; `cell` is the size of a square."""

    cell: Cell
    title: Box
    upper: Box
    board: Box
    lower: Box
    moves: Box
    text: Box
    graphs: Box
    timeline: Box
    footer: Box


def needed_size(grid: Grid) -> tuple[int, int]:
    """Return the columns and lines that a screen needs for a grid."""
    width = grid.width() + _GAP + LEAST_WIDTH
    return width, _TITLE + _PLAYERS + grid.height() + _LEAST_TEXT + _TIMELINE + _FOOTER


def arrange(grid: Grid, width: int, height: int, graphs: int) -> ScreenLayout | None:
    """Arrange a screen with so many graphs; None if it is too small for the board.

    The timeline is one more line below the graphs; on a low screen some of the graphs are left out.
    """
    needed_width, needed_height = needed_size(grid)
    if width < needed_width or height < needed_height:
        return None
    around = _TITLE + _PLAYERS + _TIMELINE + _FOOTER
    cell = grid.largest_cell(width - _GAP - LEAST_WIDTH, height - around - _GOOD_TEXT - graphs)
    board = Box(0, _TITLE + 1, grid.width(cell), grid.height(cell))
    room = height - around - board.height
    good_text = min(_MOST_TEXT, max(_LEAST_TEXT, room - graphs))
    levels = max(1, min(_HIGHEST_GRAPH, (room - good_text) // max(1, graphs)))
    of_graphs = max(0, min(graphs * levels, room - _LEAST_TEXT))
    left = board.right + _GAP
    text = Box(0, board.bottom + 1, width, room - of_graphs)
    return ScreenLayout(
        cell,
        title=Box(0, 0, width, _TITLE),
        upper=Box(0, _TITLE, board.width, 1),
        board=board,
        lower=Box(0, board.bottom, board.width, 1),
        moves=Box(left, _TITLE, width - left, board.height + _PLAYERS),
        text=text,
        graphs=Box(0, text.bottom, width, of_graphs),
        timeline=Box(0, text.bottom + of_graphs, width, _TIMELINE),
        footer=Box(0, height - _FOOTER, width, _FOOTER),
    )

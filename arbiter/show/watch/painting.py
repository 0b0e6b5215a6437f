"""Boards and lines as styled text.  Colour only repeats what the letters show, so that it is never needed."""

from collections.abc import Iterator, Mapping
from typing import Final

from rich.cells import set_cell_size
from rich.style import Style
from rich.text import Text

from arbiter.show.boards import write_square
from arbiter.show.grid import SMALLEST, Cell, Grid, Row, Square
from arbiter.show.names import Labels
from protocol.words import Seat

# Everybody can distinguish orange from sky blue; a piece of unknown rank is drawn in reverse.
SEAT_STYLES: Final[Mapping[Seat, Style]] = {
    "red": Style(color="color(208)", bold=True),
    "blue": Style(color="color(39)", bold=True),
}
_BACK: Final = Style(reverse=True)
_LAKE: Final = Style(color="color(67)", dim=True)
_QUIET: Final = Style(dim=True)
_SELECTED: Final = Style(underline=True)
_MARK: Final = Style(bold=True)
_PLAIN: Final = Style()
_FACE_WIDTH: Final = SMALLEST.width - 2
_NAMED_FROM: Final = 10  # columns; narrower squares have no room for a name
_LAKE_WIDTH: Final = 80  # wider than any square; it is cut


def paint_grid(grid: Grid, cell: Cell, labels: Labels, selected: Square | None = None) -> Text:
    """Paint a grid with squares of a size; if there is room, with the names of the pieces."""
    names = " " * grid.margin + "".join(name.center(cell.width) for name in grid.columns)
    legible = labels if cell.width >= _NAMED_FROM else None
    rows = [line for row in grid.rows for line in _lines(row, grid.margin, cell, legible, selected)]
    ruler = Text(names, _QUIET)
    return Text("\n", no_wrap=True).join([*rows, ruler] if grid.names_below else [ruler, *rows])


def _lines(row: Row, margin: int, cell: Cell, labels: Labels | None, selected: Square | None) -> Iterator[Text]:
    middle = (cell.height - 1) // 2
    for line in range(cell.height):
        text = Text().append((row.label if line == middle else "").ljust(margin), _QUIET)
        for square in row.squares:
            is_selected = selected is not None and (square.place, square.seat) == (selected.place, selected.seat)
            _paint_square(text, square, line - middle, cell, labels, is_selected=is_selected)
        yield text.append(row.tail if line == middle else "", _QUIET)


def _paint_square(
    text: Text, square: Square, line: int, cell: Cell, labels: Labels | None, *, is_selected: bool
) -> None:
    """Paint one line of a square; line 0 is the one with the sign of the piece."""
    left, right = square.around
    body = set_cell_size(_write_line(square, line, labels).center(cell.width - 2), cell.width - 2)
    style = _style(square, line) + (_SELECTED if is_selected else _PLAIN)
    text.append(left, _MARK).append(body, style).append(right, _MARK)


def _write_line(square: Square, line: int, labels: Labels | None) -> str:
    piece = square.piece
    if square.is_lake and piece is None:
        return "~" * _LAKE_WIDTH
    if line == 0:
        return write_square(square).ljust(_FACE_WIDTH)
    if labels is None or piece is None or piece.rank is None or line != 1:
        return ""
    return labels[piece.seat][piece.rank]


def _style(square: Square, line: int) -> Style:
    piece = square.piece
    if piece is None:
        return _LAKE if square.is_lake else _QUIET
    # The line above the sign is not reversed, so that pieces in a column stay apart.
    return SEAT_STYLES[piece.seat] + (_BACK if piece.rank is None and line >= 0 else _PLAIN)


def paint_title(title: str, state: str, width: int) -> Text:
    """Paint the first line: the game on the left, the state of the replay on the right."""
    room = max(0, width - len(state) - 2)
    return Text(f"{set_cell_size(title, room)}  {state}", no_wrap=True)


def paint_player(seat: Seat, name: str, left: str, lost: str, *, acted: Seat | None) -> Text:
    """Paint the two lines of a player; `>` marks the player that has just acted."""
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append("> " if seat == acted else "  ", _MARK).append(name, SEAT_STYLES[seat])
    return text.append(f"   {left}\n" if left else "\n", _MARK).append(f"  {lost}")


def paint_description(heading: str, *lines: str) -> Text:
    """Paint the description of a frame, its first line in bold."""
    return Text("\n").join([Text(heading, _MARK), *map(Text, lines)])

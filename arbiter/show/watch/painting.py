"""Grids and lines as styled text; colour only repeats what the signs say, so that all can be read without it."""

from collections.abc import Iterator, Mapping
from typing import Final

from rich.cells import set_cell_size
from rich.style import Style
from rich.text import Text

from arbiter.show.boards import face
from arbiter.show.grid import SMALLEST, Cell, Grid, Row, Square
from arbiter.show.names import Labels
from protocol.words import Seat

# Orange and sky blue differ for every kind of colour vision; a hidden piece shows its back in reverse.
SEAT_STYLES: Final[Mapping[Seat, Style]] = {
    "red": Style(color="color(208)", bold=True),
    "blue": Style(color="color(39)", bold=True),
}
_BACK: Final = Style(reverse=True)
_LAKE: Final = Style(color="color(67)", dim=True)
_QUIET: Final = Style(dim=True)
_LOOKED_AT: Final = Style(underline=True)
_MARK: Final = Style(bold=True)
_PLAIN: Final = Style()
_FACE_WIDTH: Final = SMALLEST.width - 2
_NAMED_FROM: Final = 10  # columns; of narrower squares a name would only say how it begins
_LAKE_WIDTH: Final = 80  # wider than any square; it is cut


def paint_grid(grid: Grid, cell: Cell, labels: Labels, looked_at: Square | None = None) -> Text:
    """Paint a grid with squares of a size; where there is room, pieces bear their names."""
    names = " " * grid.margin + "".join(name.center(cell.width) for name in grid.columns)
    legible = labels if cell.width >= _NAMED_FROM else None
    rows = [line for row in grid.rows for line in _lines(row, grid.margin, cell, legible, looked_at)]
    ruler = Text(names, _QUIET)
    return Text("\n", no_wrap=True).join([*rows, ruler] if grid.names_below else [ruler, *rows])


def _lines(row: Row, margin: int, cell: Cell, labels: Labels | None, looked_at: Square | None) -> Iterator[Text]:
    middle = (cell.height - 1) // 2
    for line in range(cell.height):
        text = Text().append((row.label if line == middle else "").ljust(margin), _QUIET)
        for square in row.squares:
            is_looked_at = looked_at is not None and (square.place, square.seat) == (looked_at.place, looked_at.seat)
            _paint_square(text, square, line - middle, cell, labels, is_looked_at=is_looked_at)
        yield text.append(row.tail if line == middle else "", _QUIET)


def _paint_square(
    text: Text, square: Square, line: int, cell: Cell, labels: Labels | None, *, is_looked_at: bool
) -> None:
    """Paint one line of a square, counted from the one its sign stands on."""
    left, right = square.around
    body = set_cell_size(_written(square, line, labels).center(cell.width - 2), cell.width - 2)
    style = _style(square, line) + (_LOOKED_AT if is_looked_at else _PLAIN)
    text.append(left, _MARK).append(body, style).append(right, _MARK)


def _written(square: Square, line: int, labels: Labels | None) -> str:
    piece = square.piece
    if square.is_lake and piece is None:
        return "~" * _LAKE_WIDTH
    if line == 0:
        return face(square).ljust(_FACE_WIDTH)
    if labels is None or piece is None or piece.rank is None or line != 1:
        return ""
    return labels[piece.seat][piece.rank]


def _style(square: Square, line: int) -> Style:
    piece = square.piece
    if piece is None:
        return _LAKE if square.is_lake else _QUIET
    # The line above the sign is left bare, lest the backs of pieces in a column run into one.
    return SEAT_STYLES[piece.seat] + (_BACK if piece.rank is None and line >= 0 else _PLAIN)


def paint_title(title: str, state: str, width: int) -> Text:
    """Paint the first line: what is watched, and at the right how."""
    room = max(0, width - len(state) - 2)
    return Text(f"{set_cell_size(title, room)}  {state}", no_wrap=True)


def paint_player(seat: Seat, name: str, left: str, lost: str, *, acted: Seat | None) -> Text:
    """Paint the two lines of a player: a `>` is before who has just acted."""
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append("> " if seat == acted else "  ", _MARK).append(name, SEAT_STYLES[seat])
    return text.append(f"   {left}\n" if left else "\n", _MARK).append(f"  {lost}")


def paint_tale(heading: str, *lines: str) -> Text:
    """Paint what is told of an act."""
    return Text("\n").join([Text(heading, _MARK), *map(Text, lines)])

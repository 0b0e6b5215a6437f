"""A grid of squares, independent of signs and colours: its size, and the square at a position."""

from typing import Final

from msgspec import Struct

from protocol.messages import ViewPiece
from protocol.words import Place, Seat

_HIGHEST: Final = 4  # lines of a square


class Cell(Struct, frozen=True):
    """The size of a square, in columns and lines of text."""

    width: int = 5
    height: int = 1


SMALLEST: Final = Cell()


class Square(Struct, frozen=True):
    """A square of a board, or the place of a card."""

    place: Place
    piece: ViewPiece | None = None
    around: tuple[str, str] = (" ", " ")
    """Marks left and right of the piece."""
    is_lake: bool = False
    seat: Seat | None = None
    """Owner of the place, in a card game."""

    def is_at(self, other: "Square") -> bool:
        """Return True if two squares are the same place."""
        return (self.place, self.seat) == (other.place, other.seat)


class Row(Struct, frozen=True):
    """A row of squares, with a label before and a text after it."""

    label: str
    squares: tuple[Square, ...]
    tail: str = ""


class Grid(Struct, frozen=True):
    """Rows of squares with labels of `margin` columns, and the names of the columns above or below."""

    margin: int
    rows: tuple[Row, ...]
    columns: tuple[str, ...]
    names_below: bool = False

    def width(self, cell: Cell = SMALLEST) -> int:
        """Return the width in columns of text."""
        return self.margin + self._longest_row() * cell.width + max(len(row.tail) for row in self.rows)

    def height(self, cell: Cell = SMALLEST) -> int:
        """Return the height in lines."""
        return 1 + len(self.rows) * cell.height

    def square_at(self, x: int, y: int, cell: Cell = SMALLEST) -> Square | None:
        """Return the square at a column and a line of text, if there is one."""
        row = (y - (not self.names_below)) // cell.height
        column = (x - self.margin) // cell.width
        if not 0 <= row < len(self.rows) or not 0 <= column < len(self.rows[row].squares):
            return None
        return self.rows[row].squares[column]

    def position(self, square: Square) -> tuple[int, int] | None:
        """Return the row and the column of the square at the same place, if there still is one."""
        places = ((row, column) for row, line in enumerate(self.rows) for column in range(len(line.squares)))
        return next(((row, column) for row, column in places if self.rows[row].squares[column].is_at(square)), None)

    def find(self, square: Square) -> Square | None:
        """Return the square at the same place, if there still is one."""
        return next((one for row in self.rows for one in row.squares if one.is_at(square)), None)

    def marked(self) -> Square | None:
        """Return a square of the last act, one with a piece if there is one."""
        marked = [square for row in self.rows for square in row.squares if square.around != (" ", " ")]
        return max(marked, key=lambda square: square.piece is not None, default=None)

    def largest_cell(self, width: int, height: int) -> Cell:
        """Return the largest square size, nearly a square, with which the grid fits; at least the smallest."""
        columns = SMALLEST.width + (width - self.width()) // self._longest_row()
        lines = max(SMALLEST.height, min(_HIGHEST, (height - 1) // len(self.rows), columns // 2))
        return Cell(max(SMALLEST.width, min(columns, 2 * lines + 4)), lines)

    def _longest_row(self) -> int:
        return max(len(row.squares) for row in self.rows)

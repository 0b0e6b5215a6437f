"""Squares in rows, of any size, and which of them is where; it knows neither signs nor colours."""

from typing import Final

from msgspec import Struct

from protocol.messages import ViewPiece
from protocol.words import Place, Seat

_WIDEST, _HIGHEST = 16, 3


class Cell(Struct, frozen=True):
    """How many columns and lines a square takes."""

    width: int = 6
    height: int = 1


SMALLEST: Final = Cell()


class Square(Struct, frozen=True):
    """A square of a board, or the place of a seat's card: what stands on it, and left and right of it."""

    place: Place
    piece: ViewPiece | None = None
    around: tuple[str, str] = (" ", " ")
    is_lake: bool = False
    seat: Seat | None = None


class Row(Struct, frozen=True):
    """A row of squares, between its label and what else is to be said of it."""

    label: str
    squares: tuple[Square, ...]
    tail: str = ""


class Grid(Struct, frozen=True):
    """Rows of squares, their labels `margin` columns wide, with the names of the columns above or below."""

    margin: int
    rows: tuple[Row, ...]
    columns: tuple[str, ...]
    names_below: bool = False

    def width(self, cell: Cell = SMALLEST) -> int:
        """Return how many columns of text it takes."""
        return self.margin + self._broadest() * cell.width + max(len(row.tail) for row in self.rows)

    def height(self, cell: Cell = SMALLEST) -> int:
        """Return how many lines it takes."""
        return 1 + len(self.rows) * cell.height

    def square_at(self, x: int, y: int, cell: Cell = SMALLEST) -> Square | None:
        """Return the square that is drawn at a column and a line of text, if one is."""
        row, column = (y - (not self.names_below)) // cell.height, (x - self.margin) // cell.width
        if not 0 <= row < len(self.rows) or not 0 <= column < len(self.rows[row].squares):
            return None
        return self.rows[row].squares[column]

    def find(self, square: Square) -> Square | None:
        """Return what a square is now, if there still is one of that place."""
        wanted = (square.place, square.seat)
        return next((one for row in self.rows for one in row.squares if (one.place, one.seat) == wanted), None)

    def largest_cell(self, width: int, height: int) -> Cell:
        """Return the largest squares with which it fits so many columns and lines, as far as it can."""
        columns = SMALLEST.width + (width - self.width()) // self._broadest()
        lines = (height - 1) // len(self.rows)
        return Cell(width=max(SMALLEST.width, min(_WIDEST, columns)), height=max(SMALLEST.height, min(_HIGHEST, lines)))

    def _broadest(self) -> int:
        return max(len(row.squares) for row in self.rows)

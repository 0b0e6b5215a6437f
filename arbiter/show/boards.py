"""A grid of squares, independent of signs and colours, and boards and cards drawn as text of at most 80 columns.

`R3` is a red miner and `b3` a blue one, so colour only repeats what the letters show; `b?` is a piece of unknown rank.
A `'` marks a piece that has moved, brackets the last move, stars the last attack.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from arbiter.games.ranks import RANKS
from arbiter.show.theme import INKS, Colour
from protocol.messages import BoardShape, Captured, CardView, LineCard, ViewPiece
from protocol.view import UNKNOWN, hand_place
from protocol.words import BLUE, RED, SEATS, Place, RankId, Seat

_HIGHEST: Final = 4  # lines of a square
LEGEND: Final = "R red, b blue, ? unknown, ' has moved, [] last move, ** attack, ~~~~ lake"

OWNER: Final[dict[Seat, str]] = {"red": "R", "blue": "b"}
_LAKE: Final = "~~~~"
_EMPTY: Final = " .  "
_HAS_MOVED: Final = "'"

# A piece of unknown rank is drawn in reverse.
_COLOURS: Final[dict[Seat, Colour]] = {"red": INKS.red, "blue": INKS.blue}
_CUBE_OFFSET, _CUBE_STEP = 55, 40  # of 6 by 6 by 6 colours; parts are 0, 95, 135, 175, 215 and 255
_RESET: Final = "\x1b[0m"


class Marks(Struct, frozen=True):
    """The squares that the last act went from and to, and whether it attacked."""

    src: Place | None = None
    dst: Place | None = None
    attack: bool = False

    def around(self, place: Place) -> tuple[str, str]:
        """Return the marks left and right of a square."""
        if place == self.dst and self.attack:
            return "*", "*"
        return ("[", "]") if place in (self.src, self.dst) else (" ", " ")


NO_MARKS: Final = Marks()


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


def make_board_grid(
    pieces: Iterable[ViewPiece], shape: BoardShape, marks: Marks = NO_MARKS, *, bottom: Seat = RED
) -> Grid:
    """Lay out a board as the player at the bottom sees it."""
    at = {piece.place: piece for piece in pieces}
    lakes = frozenset(shape.lakes)
    step = 1 if bottom == RED else -1
    files = [chr(ord("a") + file) for file in range(shape.files)][::step]
    rows = []
    for number in range(shape.rows, 0, -1)[::step]:
        places = [f"{file}{number}" for file in files]
        squares = (Square(place, at.get(place), marks.around(place), place in lakes) for place in places)
        rows.append(Row(f"{number:2}", tuple(squares)))
    return Grid(len("10"), tuple(rows), tuple(files))


def draw_board(
    pieces: Iterable[ViewPiece],
    shape: BoardShape,
    marks: Marks = NO_MARKS,
    *,
    colour: bool = False,
    bottom: Seat = RED,
) -> str:
    """Draw a board with its coordinates, as the player at the bottom sees it; with `colour`, in ANSI colours."""
    return draw_grid(make_board_grid(pieces, shape, marks, bottom=bottom), colour=colour)


def draw_grid(grid: Grid, *, colour: bool = False) -> str:
    """Draw a grid with the names of its rows and columns."""
    names = " " * grid.margin + "".join(f"  {name}   " for name in grid.columns)
    rows = []
    for row in grid.rows:
        line = row.label.ljust(grid.margin)
        for square in row.squares:
            left, right = square.around
            body = write_square(square).ljust(len(_EMPTY))
            if colour and square.piece is None:
                body = f"\x1b[2m{body}{_RESET}"
            elif colour and square.piece is not None:
                parts = bytes.fromhex(_COLOURS[square.piece.seat][1:])
                red, green, blue = (max(0, part - _CUBE_OFFSET) // _CUBE_STEP for part in parts)
                back = ";7" if square.piece.rank is None else ""
                body = f"\x1b[1;38;5;{16 + 36 * red + 6 * green + blue}{back}m{body}{_RESET}"
            line += f"{left}{body}{right}"
        rows.append(line + row.tail)
    return "\n".join(line.rstrip() for line in ([*rows, names] if grid.names_below else [names, *rows]))


def write_square(square: Square) -> str:
    """Write the content of a square: a piece, a lake or nothing."""
    piece = square.piece
    if piece is None:
        return _LAKE if square.is_lake else _EMPTY
    return f"{OWNER[piece.seat]}{write_rank(piece.rank)}{_HAS_MOVED * piece.moved}"


def write_rank(rank: RankId | None) -> str:
    """Write the sign of a rank; `?` if it is not known."""
    return RANKS[rank].sign if rank else "?"


def write_lost(counts: Mapping[str, int]) -> str:
    """Write how many pieces were lost and which, the highest first."""
    return f"{sum(counts.values())}: {write_counts(counts)}" if counts else "nothing"


def write_counts(counts: Mapping[str, int]) -> str:
    """Write how many pieces there are of each rank, the highest first: `8 2(3)`."""
    signs = {**{str(rank): one.sign for rank, one in RANKS.items()}, UNKNOWN: "?"}
    return " ".join(
        f"{sign}({counts[rank]})" if counts[rank] > 1 else sign for rank, sign in signs.items() if rank in counts
    )


# --- cards ----------------------------------------------------------------------------------------


class CardLabels(Struct, frozen=True):
    """The names of the rows of cards, and of what is left of a deck."""

    line: Mapping[Seat, str]
    hand: Mapping[Seat, str]
    deck: str


_ENGLISH: Final = CardLabels(
    {seat: f"{seat} line" for seat in SEATS}, {seat: f"{seat} hand" for seat in SEATS}, "deck {count}"
)


class CardTable(Struct, frozen=True):
    """Both lines, the visible hands, and the numbers of the other cards."""

    slots: int
    line: dict[Seat, list[LineCard]]
    hands: dict[Seat, list[LineCard]]
    hand_counts: dict[Seat, int]
    deck_counts: dict[Seat, int]
    captured: Captured

    @property
    def pieces(self) -> list[ViewPiece]:
        """All cards in the lines and in the visible hands."""
        of_seat = [(seat, card) for cards in (self.line, self.hands) for seat, held in cards.items() for card in held]
        return [ViewPiece(card.place, seat, card.rank) for seat, card in of_seat]


def make_card_table(seen: Mapping[Seat, CardView], hands: Mapping[Seat, Sequence[LineCard]], slots: int) -> CardTable:
    """Combine the views of each seat's cards with the visible hands."""
    any_view = seen[RED]
    return CardTable(
        slots=slots,
        line={seat: view.line[seat] for seat, view in seen.items()},
        hands={seat: list(cards) for seat, cards in hands.items()},
        hand_counts=any_view.hand_counts,
        deck_counts=any_view.deck_counts,
        captured=any_view.captured,
    )


def make_card_grid(
    table: CardTable,
    seat: Seat | None,
    marks: Marks = NO_MARKS,
    *,
    bottom: Seat = RED,
    labels: CardLabels = _ENGLISH,
) -> Grid:
    """Lay out hands and lines, with the given seat at the bottom; `marks` are those of an act of `seat`."""
    marked = {
        either: Marks(src=marks.src) if either == seat else Marks(None, marks.dst, marks.attack) for either in SEATS
    }
    places = [f"line:{slot}" for slot in range(table.slots)]
    lines = (Row(labels.line[one], _squares(one, places, table.line[one], marked[one])) for one in (BLUE, RED))
    rows = (_hand(table, BLUE, labels), *lines, _hand(table, RED, labels))
    slots = tuple(map(str, range(table.slots)))
    margin = 1 + max(len(row.label) for row in rows)
    return Grid(margin, rows if bottom == RED else rows[::-1], slots, names_below=True)


def draw_cards(table: CardTable, seat: Seat | None, marks: Marks = NO_MARKS, *, colour: bool = False) -> str:
    """Draw hands, lines and decks, with red at the bottom; `marks` are those of an act of `seat`."""
    return draw_grid(make_card_grid(table, seat, marks), colour=colour)


def _hand(table: CardTable, seat: Seat, labels: CardLabels) -> Row:
    places = [hand_place(number) for number in range(table.hand_counts.get(seat, 0))]
    cards = table.hands.get(seat) or [LineCard(place, None) for place in places]
    deck = labels.deck.format(count=table.deck_counts.get(seat, 0))
    return Row(labels.hand[seat], _squares(seat, places, cards, NO_MARKS), f"  {deck}")


def _squares(seat: Seat, places: Iterable[Place], cards: Iterable[LineCard], marks: Marks) -> tuple[Square, ...]:
    there = {card.place: ViewPiece(card.place, seat, card.rank) for card in cards}
    return tuple(Square(place, there.get(place), marks.around(place), seat=seat) for place in places)

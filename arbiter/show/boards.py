"""A board drawn as text of at most 80 columns.

`R3` is red's and `b3` blue's, so that colour only repeats what the letters say; `b?` is a piece whose
rank is not known, a `'` marks one that has moved, brackets the last move, stars the last attack.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from arbiter.show.grid import Grid, Row, Square
from protocol.messages import BoardShape, Captured, ViewPiece
from protocol.view import UNKNOWN
from protocol.words import RED, SEATS, Place, RankId, Seat

LEGEND: Final = "R red, b blue, ? unknown, ' has moved, [] last move, ** attack, ~~~~ lake"

_SIGNS: Final[dict[str, str]] = {
    "marshal": "10",
    "general": "9",
    "colonel": "8",
    "major": "7",
    "marksman": "7M",
    "captain": "6",
    "berserker": "6B",
    "lieutenant": "5",
    "sergeant": "4",
    "miner": "3",
    "scout": "2",
    "spy": "S",
    "infiltrator": "I",
    "bomb": "B",
    "flag": "F",
    UNKNOWN: "?",
}
OWNER: Final[dict[Seat, str]] = {"red": "R", "blue": "b"}
_LAKE, _EMPTY, _HAS_MOVED = "~~~~", " .  ", "'"

# Orange and sky blue differ for every kind of colour vision; a hidden piece shows its back in reverse.
_COLOURS: Final[dict[Seat, str]] = {"red": "38;5;208", "blue": "38;5;39"}
_BACK, _DIM, _RESET = ";7", "\x1b[2m", "\x1b[0m"


class Marks(Struct, frozen=True):
    """Where the last act went from and to, and whether it attacked."""

    src: Place | None = None
    dst: Place | None = None
    attack: bool = False

    def around(self, place: Place) -> tuple[str, str]:
        """Return what stands left and right of a square."""
        if place == self.dst and self.attack:
            return "*", "*"
        return ("[", "]") if place in (self.src, self.dst) else (" ", " ")


NO_MARKS: Final = Marks()


def board_grid(pieces: Iterable[ViewPiece], shape: BoardShape, marks: Marks = NO_MARKS, *, bottom: Seat = RED) -> Grid:
    """Lay a board out, the bottom seat's side at the bottom and the files as that player sees them."""
    standing = {piece.place: piece for piece in pieces}
    lakes = frozenset(shape.lakes)
    step = 1 if bottom == RED else -1
    files = [chr(ord("a") + file) for file in range(shape.files)][::step]
    rows = []
    for number in range(shape.rows, 0, -1)[::step]:
        places = [f"{file}{number}" for file in files]
        squares = (Square(place, standing.get(place), marks.around(place), place in lakes) for place in places)
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
    """Draw a board with its coordinates, the bottom seat's side at the bottom; with `colour`, in ANSI colours."""
    return draw_grid(board_grid(pieces, shape, marks, bottom=bottom), colour=colour)


def draw_grid(grid: Grid, *, colour: bool = False) -> str:
    """Draw a grid with the names of its rows and columns."""
    names = " " * grid.margin + "".join(f"  {name}   " for name in grid.columns)
    rows = [_row(row, grid.margin, colour=colour) for row in grid.rows]
    return "\n".join(line.rstrip() for line in ([*rows, names] if grid.names_below else [names, *rows]))


def _row(row: Row, margin: int, *, colour: bool) -> str:
    return row.label.ljust(margin) + "".join(_square(square, colour=colour) for square in row.squares) + row.tail


def _square(square: Square, *, colour: bool) -> str:
    left, right = square.around
    body = face(square).ljust(len(_EMPTY))
    return f"{left}{_painted(square, body) if colour else body}{right}"


def face(square: Square) -> str:
    """Write what stands on a square."""
    piece = square.piece
    if piece is None:
        return _LAKE if square.is_lake else _EMPTY
    return f"{OWNER[piece.seat]}{sign(piece.rank)}{_HAS_MOVED * piece.moved}"


def _painted(square: Square, body: str) -> str:
    if square.piece is None:
        return f"{_DIM}{body}{_RESET}"
    back = _BACK if square.piece.rank is None else ""
    return f"\x1b[1;{_COLOURS[square.piece.seat]}{back}m{body}{_RESET}"


def sign(rank: RankId | None) -> str:
    """Write a rank as a board shows it: its number, or S, B, F, I; `?` where it is not known."""
    return _SIGNS[rank or UNKNOWN]


def write_captured(captured: Captured) -> str:
    """Write what each side has lost, a line a side: `red lost 4: 8 2(3)`."""
    return "\n".join(f"{seat} lost {write_lost(captured.get(seat, {}))}" for seat in SEATS)


def write_lost(counts: Mapping[str, int]) -> str:
    """Write how many pieces were lost and which, from the highest down."""
    if not counts:
        return "nothing"
    parts = (
        f"{_SIGNS[rank]}({counts[rank]})" if counts[rank] > 1 else _SIGNS[rank] for rank in _SIGNS if rank in counts
    )
    return f"{sum(counts.values())}: {' '.join(parts)}"

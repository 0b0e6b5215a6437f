"""A board drawn as text of at most 80 columns.

`R3` is red's and `b3` blue's, so that colour only repeats what the letters say; `b?` is a piece whose
rank is not known, a `'` marks one that has moved, brackets the last move, stars the last attack.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

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
_OWNER: Final[dict[Seat, str]] = {"red": "R", "blue": "b"}
_LAKE, _EMPTY = "~~~~", " .  "

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


def draw_board(
    pieces: Iterable[ViewPiece],
    shape: BoardShape,
    marks: Marks = NO_MARKS,
    *,
    colour: bool = False,
    bottom: Seat = RED,
) -> str:
    """Draw a board with its coordinates, one seat's side at the bottom; with `colour`, in ANSI colours."""
    standing = {piece.place: piece for piece in pieces}
    lakes = frozenset(shape.lakes)
    turn = 1 if bottom == RED else -1
    files = [chr(ord("a") + file) for file in range(shape.files)][::turn]
    lines = ["  " + "".join(f"  {file}   " for file in files)]
    for row in range(shape.rows, 0, -1)[::turn]:
        squares = (f"{file}{row}" for file in files)
        cells = (
            draw_square(place, standing.get(place), marks, is_lake=place in lakes, colour=colour) for place in squares
        )
        lines.append(f"{row:2}" + "".join(cells))
    return "\n".join(line.rstrip() for line in lines)


def draw_square(
    place: Place, piece: ViewPiece | None, marks: Marks = NO_MARKS, *, is_lake: bool = False, colour: bool = False
) -> str:
    """Draw a square with what stands on it and the marks about it, six columns wide."""
    left, right = marks.around(place)
    if piece is None:
        body = _LAKE if is_lake else _EMPTY
        return f"{left}{_DIM}{body}{_RESET}{right}" if colour else f"{left}{body}{right}"
    body = _piece(piece)
    return f"{left}{_painted(piece, body) if colour else body}{right}"


def _piece(piece: ViewPiece) -> str:
    moved = "'" if piece.moved else ""
    return f"{_OWNER[piece.seat]}{sign(piece.rank)}{moved}".ljust(len(_EMPTY))


def _painted(piece: ViewPiece, body: str) -> str:
    back = _BACK if piece.rank is None else ""
    return f"\x1b[1;{_COLOURS[piece.seat]}{back}m{body}{_RESET}"


def sign(rank: RankId | None) -> str:
    """Write a rank as a board shows it: its number, or S, B, F, I; `?` where it is not known."""
    return _SIGNS[rank or UNKNOWN]


def write_captured(captured: Captured) -> str:
    """Write what each side has lost, a line a side: `red lost 4: 8 2(3)`."""
    return "\n".join(f"{seat} lost {_lost(captured.get(seat, {}))}" for seat in SEATS)


def _lost(counts: dict[str, int]) -> str:
    if not counts:
        return "nothing"
    parts = (
        f"{_SIGNS[rank]}({counts[rank]})" if counts[rank] > 1 else _SIGNS[rank] for rank in _SIGNS if rank in counts
    )
    return f"{sum(counts.values())}: {' '.join(parts)}"

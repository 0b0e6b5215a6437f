"""The board or the cards of a frame as a layout, and the parts of a drawn piece, independent of the format of a picture."""

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from arbiter.show.boards import write_rank
from arbiter.show.cards import CardTable
from arbiter.show.grid import Square
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import Viewer, sees_secrets_of
from arbiter.show.replay.plain_text import make_grid
from arbiter.show.theme import OUTLINES, RANKS, STRIPES, Theme
from protocol.words import BLUE, RED, RankId, Seat

CELL: Final = 44  # units
_EDGE: Final = 16  # room for the coordinates of a board
_NAMES: Final = 84  # room for the names of the rows of cards
_TAILS: Final = 64  # room for the number of cards in a deck
_GAP: Final = 10  # between rows of cards

Ground = Literal["ground", "ground_2", "lake"]
Manner = Literal["seen", "secret", "open", "back"]


class PieceLook(Struct, frozen=True):
    """All that decides how a piece looks."""

    seat: Seat
    rank: RankId | None
    manner: Manner
    """seen: the opponent knows the rank. secret: it does not. open: this viewer knows the rank. back: it does not."""
    moved: bool


class PaintedSquare(Struct, frozen=True):
    """A square, or the place of a card, with its piece."""

    x: int
    y: int
    ground: Ground
    marked: bool
    """True if the last act went from or to it."""
    look: PieceLook | None


class Caption(Struct, frozen=True):
    """A text next to the squares."""

    text: str
    x: float
    y: float
    """Middle of the text."""
    anchor: Literal["start", "middle", "end"] = "middle"


class PictureLayout(Struct, frozen=True):
    """The cells and labels of a frame in an area of `width` by `height` units."""

    width: int
    height: int
    cells: tuple[PaintedSquare, ...]
    labels: tuple[Caption, ...]


def lay_out(frame: Frame, viewer: Viewer) -> PictureLayout:
    """Lay out a frame as a viewer may see it; blue sees the board from its own side."""
    grid = make_grid(frame, bottom=BLUE if viewer == BLUE else RED)
    is_board = not isinstance(frame.view, CardTable)
    left = _EDGE if is_board else _NAMES
    pitch = CELL if is_board else CELL + _GAP
    longest = max(len(row.squares) for row in grid.rows)
    known = frozenset(frame.known)
    cells = []
    labels = []
    for number, row in enumerate(grid.rows):
        top = number * pitch
        middle = top + CELL / 2
        labels.append(Caption(row.label.strip(), left - (2 if is_board else 8), middle, "end"))
        if row.tail:
            labels.append(Caption(row.tail.strip(), left + longest * CELL + 8, middle, "start"))
        for column, square in enumerate(row.squares):
            look = _find_look(square, viewer, known, is_board=is_board)
            marked = square.around != (" ", " ")
            cells.append(
                PaintedSquare(left + column * CELL, top, _find_ground(square, is_board=is_board), marked, look)
            )
    height = len(grid.rows) * pitch
    if is_board:
        names = enumerate(grid.columns)
        labels += [Caption(name, left + column * CELL + CELL / 2, height + _EDGE / 2) for column, name in names]
        height += _EDGE
    return PictureLayout(left + longest * CELL + (0 if is_board else _TAILS), height, tuple(cells), tuple(labels))


def _find_ground(square: Square, *, is_board: bool) -> Ground:
    if square.is_lake:
        return "lake"
    if not is_board:
        return "ground"
    file = ord(square.place[0]) - ord("a")
    return "ground" if (file + int(square.place[1:])) % 2 else "ground_2"


def _find_look(square: Square, viewer: Viewer, known: frozenset[str], *, is_board: bool) -> PieceLook | None:
    piece = square.piece
    if piece is None:
        return None
    manner: Manner = "open"
    if piece.rank is None:
        manner = "back"
    elif is_board and sees_secrets_of(viewer, piece.seat):
        manner = "seen" if piece.place in known else "secret"
    return PieceLook(piece.seat, piece.rank, manner, piece.moved)


class Paint(Struct, frozen=True):
    """The colours of a shape: names of colours of a theme, or colours."""

    fill: str | None = None
    stroke: str | None = None
    width: float = 0.0
    opacity: float = 1.0


STYLES: Final[dict[str, Paint]] = {
    "ground": Paint("ground"),
    "ground_2": Paint("ground_2"),
    "lake": Paint("lake"),
    "mark": Paint("mark", opacity=0.75),
    "grid": Paint(stroke="grid", width=1),
    "red": Paint("red", "red_deep", 1.5),
    "red_deep": Paint("red_deep", "red", 1.5),
    "blue": Paint("blue", "blue_deep", 1.5),
    "blue_deep": Paint("blue_deep", "blue", 1.5),
    "stripes": Paint(stroke="on", width=1.2, opacity=0.2),
    "on": Paint("on"),
    "pupil": Paint("#111111"),
    "label": Paint("soft"),
}
"""Styles of shapes and texts by name, in the order in which they are painted."""
SIZES: Final = {"sign": 20, "corner": 13, "label": 10}
"""Sizes of texts in units."""


class Shape(Struct, frozen=True):
    """A path in the square of a piece."""

    style: str
    path: str
    """Path data of SVG with relative commands only; it starts with `m`, from the corner of the square."""


class Sign(Struct, frozen=True):
    """The text of a piece; `y` is its base line."""

    text: str
    x: float
    y: float
    size: str


class Symbol(Struct, frozen=True):
    """The drawing of a rank."""

    rank: RankId
    x: float
    y: float
    scale: float


class PieceDrawing(Struct, frozen=True):
    """The parts of a drawn piece, in the order in which they are painted."""

    shapes: tuple[Shape, ...]
    symbol: Symbol | None
    sign: Sign


def draw_piece(look: PieceLook) -> PieceDrawing:
    """Draw a piece in a square of CELL units: known to the opponent with an eye, hidden from it dark with stripes."""
    symbol = None
    middle = CELL / 2
    if look.rank is None or look.rank not in RANKS:
        sign = Sign(write_rank(look.rank), middle, 29, "sign")
    elif RANKS[look.rank].officer:
        sign = Sign(write_rank(look.rank), middle, 26, "sign")
        symbol = Symbol(look.rank, 10, 30, 1)
    else:
        sign = Sign(write_rank(look.rank), 12, 18, "corner")
        symbol = Symbol(look.rank, 12.5, 14, 0.95)
    return PieceDrawing(tuple(_list_shapes(look)), symbol, sign)


def _list_shapes(look: PieceLook) -> Iterator[Shape]:
    deep = "_deep" if look.manner in {"secret", "back"} else ""
    yield Shape(f"{look.seat}{deep}", OUTLINES[look.seat])
    if look.manner == "secret":
        yield Shape("stripes", STRIPES)
    if look.manner == "seen":
        yield Shape("on", draw_circle(36, 8, 5.5))
        yield Shape("pupil", draw_circle(36, 8, 2.2))
    if look.moved:
        yield Shape("on", draw_circle(8, 36, 2.2))


def draw_circle(x: float, y: float, radius: float) -> str:
    """Return the path data of a circle."""
    arc = f"a{radius:g} {radius:g} 0 1 1"
    return f"m{x:g} {y - radius:g}{arc} 0 {2 * radius:g}{arc} 0 {-2 * radius:g}z"


def find_colour(name: str | None, theme: Theme) -> str | None:
    """Return a colour of a theme by its name; a colour is returned as it is."""
    return name if name is None or name.startswith("#") else getattr(theme, name)

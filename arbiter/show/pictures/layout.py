"""The board or the cards of a frame as a layout, and the parts of a drawn piece, for pictures of any format."""

from typing import Final, Literal

from msgspec import Struct

from arbiter.show.boards import write_rank
from arbiter.show.cards import CardTable
from arbiter.show.grid import Square
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import Viewer, sees_secrets_of
from arbiter.show.replay.plain_text import make_grid
from arbiter.show.theme import PLACES, SHAPES, Theme, list_designs
from protocol.words import BLUE, RED, RankId, Seat

CELL: Final = 44  # units
_EDGE: Final = 16  # room for the coordinates of a board
_NAMES: Final = 84  # room for the names of the rows of cards
_TAILS: Final = 64  # room for the number of cards in a deck
_GAP: Final = 10  # between rows of cards
_SQUARE: Final = f"h{CELL}v{CELL}h-{CELL}z"

Ground = Literal["ground", "ground_2", "lake"]
Manner = Literal["seen", "secret", "open", "back"]


class PieceLook(Struct, frozen=True):
    """All that decides how a piece looks."""

    seat: Seat
    rank: RankId | None
    manner: Manner
    """seen: the opponent knows the rank. secret: it does not. open: this viewer knows the rank. back: it does not."""
    moved: bool


class SquareLook(Struct, frozen=True):
    """All that decides how a square, or the place of a card, looks."""

    ground: Ground
    marked: bool = False
    """True if the last act went from or to it."""
    piece: PieceLook | None = None


class Caption(Struct, frozen=True):
    """A text next to the squares."""

    text: str
    x: float
    y: float
    """Middle of the text."""
    anchor: Literal["start", "middle", "end"] = "middle"


class PictureLayout(Struct, frozen=True):
    """The squares and labels of a frame in an area of `width` by `height` units."""

    width: int
    height: int
    squares: tuple[tuple[int, int, SquareLook], ...]
    """The left and the upper edge of each square, and how it looks."""
    labels: tuple[Caption, ...]


def lay_out(frame: Frame, viewer: Viewer) -> PictureLayout:
    """Lay out a frame as a viewer may see it; blue sees the board from its own side."""
    grid = make_grid(frame, bottom=BLUE if viewer == BLUE else RED)
    is_board = not isinstance(frame.view, CardTable)
    left = _EDGE if is_board else _NAMES
    pitch = CELL if is_board else CELL + _GAP
    longest = max(len(row.squares) for row in grid.rows)
    known = frozenset(frame.known)
    squares = []
    labels = []
    for number, row in enumerate(grid.rows):
        top = number * pitch
        middle = top + CELL / 2
        labels.append(Caption(row.label.strip(), left - (2 if is_board else 8), middle, "end"))
        if row.tail:
            labels.append(Caption(row.tail.strip(), left + longest * CELL + 8, middle, "start"))
        for column, square in enumerate(row.squares):
            squares.append((left + column * CELL, top, look_at(square, viewer, known, is_board=is_board)))
    height = len(grid.rows) * pitch
    if is_board:
        names = enumerate(grid.columns)
        labels += [Caption(name, left + column * CELL + CELL / 2, height + _EDGE / 2) for column, name in names]
        height += _EDGE
    return PictureLayout(left + longest * CELL + (0 if is_board else _TAILS), height, tuple(squares), tuple(labels))


def look_at(square: Square, viewer: Viewer, known: frozenset[str], *, is_board: bool) -> SquareLook:
    """Return how a square looks for a viewer; `known` are the squares of pieces whose rank the opponent knows."""
    ground: Ground = "ground"
    if square.is_lake:
        ground = "lake"
    elif is_board and (ord(square.place[0]) - ord("a") + int(square.place[1:])) % 2 == 0:
        ground = "ground_2"
    piece = square.piece
    look = None
    if piece is not None:
        manner: Manner = "back" if piece.rank is None else "open"
        if piece.rank is not None and is_board and sees_secrets_of(viewer, piece.seat):
            manner = "seen" if piece.place in known else "secret"
        look = PieceLook(piece.seat, piece.rank, manner, piece.moved)
    return SquareLook(ground, square.around != (" ", " "), look)


SIZES: Final = {"sign": 20, "corner": 13, "label": 10}
"""Sizes of texts in units."""


class Shape(Struct, frozen=True):
    """A path in a square."""

    style: str
    path: str
    """Path data of SVG with relative commands only, from the corner of the square."""


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


class SquareDrawing(Struct, frozen=True):
    """The parts of a drawn square with its piece, in the order in which they are painted."""

    shapes: tuple[Shape, ...]
    symbol: Symbol | None = None
    sign: Sign | None = None


def draw_square(square: SquareLook) -> SquareDrawing:
    """Draw a square of CELL units.

    A piece known to the opponent has an eye, one hidden from it is dark with stripes.
    """
    shapes = [Shape(square.ground, _SQUARE), Shape("grid", _SQUARE)]
    if square.marked:
        shapes.append(Shape("mark", _SQUARE))
    look = square.piece
    if look is None:
        return SquareDrawing(tuple(shapes))
    deep = "_deep" if look.manner in {"secret", "back"} else ""
    shapes.append(Shape(f"{look.seat}{deep}", SHAPES[look.seat]))
    if look.manner == "secret":
        shapes.append(Shape("stripes", SHAPES["stripes"]))
    if look.manner == "seen":
        shapes += [Shape("on", SHAPES["eye"]), Shape("pupil", SHAPES["pupil"])]
    if look.moved:
        shapes.append(Shape("on", SHAPES["moved"]))
    design = list_designs()[look.rank] if look.rank else None
    kind: Literal["plain", "officer", "figure"] = "plain"
    if design and design.drawing:
        kind = "officer" if design.officer else "figure"
    x, y, *drawing = PLACES[kind]
    sign = Sign(write_rank(look.rank), x, y, "corner" if kind == "figure" else "sign")
    return SquareDrawing(tuple(shapes), Symbol(look.rank, *drawing) if look.rank and drawing else None, sign)


def find_colour(name: str | None, theme: Theme) -> str | None:
    """Return a colour of a theme by its name; a colour is returned as it is."""
    return name if name is None or name.startswith("#") else getattr(theme, name)

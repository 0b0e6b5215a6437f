"""The parts of a drawn piece, and the colours in which all pictures paint them."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from arbiter.show.boards import write_rank
from arbiter.show.pictures.layout import CELL, PieceLook
from arbiter.show.theme import OUTLINES, RANKS, STRIPES, Theme
from protocol.words import RankId


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

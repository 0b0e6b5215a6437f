"""The board or the cards of a frame as a layout, the parts of a drawn piece for any format, and SVG files."""

from collections.abc import Sequence
from html import escape
from typing import Final, Literal

from msgspec import Struct
from rich.cells import cell_len, chop_cells

from arbiter.show.boards import CardTable, Square, write_rank
from arbiter.show.language import ENGLISH, SentenceWriter
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import Viewer, name_place, sees_secrets_of
from arbiter.show.replay.plain_text import make_grid, write_act
from arbiter.show.text import plain
from arbiter.show.theme import PAINTS, PLACES, SHAPES, Theme, list_designs
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


def lay_out(frame: Frame, viewer: Viewer, sentences: SentenceWriter = ENGLISH) -> PictureLayout:
    """Lay out a frame as a viewer may see it; blue sees the board from its own side."""
    grid = make_grid(frame, BLUE if viewer == BLUE else RED, sentences)
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
    names = enumerate(grid.columns)
    labels += [Caption(name, left + column * CELL + CELL / 2, height + _EDGE / 2) for column, name in names]
    height += _EDGE
    return PictureLayout(left + longest * CELL + (0 if is_board else _TAILS), height, tuple(squares), tuple(labels))


def look_at(square: Square, viewer: Viewer, known: frozenset[str], *, is_board: bool) -> SquareLook:
    """Return how a square looks for a viewer; `known` are the places of pieces whose rank the opponent knows."""
    ground: Ground = "ground"
    if square.is_lake:
        ground = "lake"
    elif is_board and (ord(square.place[0]) - ord("a") + int(square.place[1:])) % 2 == 0:
        ground = "ground_2"
    piece = square.piece
    look = None
    if piece is not None:
        manner: Manner = "back" if piece.rank is None else "open"
        if piece.rank is not None and sees_secrets_of(viewer, piece.seat):
            manner = "seen" if name_place(piece) in known else "secret"
        look = PieceLook(piece.seat, piece.rank, manner, piece.moved)
    return SquareLook(ground, square.around != (" ", " "), look)


SIZES: Final = {"sign": 20, "corner": 13, "label": 10, "line": 12}
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


_FONT: Final = "system-ui, 'DejaVu Sans', sans-serif"


LINE: Final = 18
"""Units of a line of text around a picture."""
_LETTER: Final = 7  # units, about, in a line


def write_context(frame: Frame, title: str, sentences: SentenceWriter = ENGLISH) -> list[str]:
    """Write the line above a picture, and those below it: the ply with its act, the last facts or the ending."""
    return [title, f"{frame.ply}: {write_act(frame, sentences)}", *[*frame.story, *frame.ending][-2:]]


def write_svg(layout: PictureLayout, theme: Theme, title: str, lines: Sequence[str] = ()) -> str:
    """Write a layout as an SVG file in the colours of a theme, with the first line above it and the others below."""
    layers: dict[str, str] = dict.fromkeys(PAINTS, "")  # the paths of each style, which are written as one
    symbols: list[str] = []
    signs: list[str] = []
    ranks: dict[str, None] = {}
    for x, y, look in layout.squares:
        square = draw_square(look)
        for shape in square.shapes:
            layers[shape.style] += f"M{x} {y}{shape.path}"
        if one := square.symbol:
            ranks[one.rank] = None
            place = f"translate({x + one.x:g} {y + one.y:g})" + (f" scale({one.scale:g})" * (one.scale != 1))
            symbols.append(f'<use href="#{one.rank}" transform="{place}"/>')
        if sign := square.sign:
            signs.append(f'<text class="{sign.size}" x="{x + sign.x:g}" y="{y + sign.y:g}">{escape(sign.text)}</text>')
    safe = escape(plain(title))
    designs = list_designs()
    drawings = "".join(f'<path id="{rank}" fill-rule="evenodd" d="{designs[rank].drawing}"/>' for rank in ranks)
    top = -LINE if lines else 0
    size = f'width="{layout.width}" height="{layout.height + LINE * len(lines)}"'
    box = f"0 {top} {layout.width} {layout.height + LINE * len(lines)}"
    room = (layout.width - 2 * _EDGE) // _LETTER
    fitted = [
        text if cell_len(text) <= room else f"{chop_cells(text, room - 1)[0]}\N{HORIZONTAL ELLIPSIS}"
        for text in map(plain, lines)
    ]
    texts = [(text, layout.height + LINE * number) for number, text in enumerate(fitted, start=-1)]
    texts[:1] = [(text, top) for text in fitted[:1]]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {size} role="img">',
        f"<title>{safe}</title>",
        f"<style>{write_style(theme)}</style>",
        f"<defs>{drawings}</defs>",
        f'<rect class="paper" y="{top}" {size}/>',
        *(f'<path class="{style}" d="{path}"/>' for style, path in layers.items() if path),
        f'<g class="on">{"".join(symbols)}</g>',
        *signs,
        *(
            f'<text class="label {label.anchor}" x="{label.x:g}" y="{label.y + 4:g}">{escape(label.text)}</text>'
            for label in layout.labels
        ),
        *(f'<text class="line" x="{_EDGE}" y="{y + 13}">{escape(text)}</text>' for text, y in texts),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def write_style(theme: Theme) -> str:
    """Write the styles in the colours of a theme as CSS."""
    rules = []
    for name, style in PAINTS.items():
        parts = [f"fill: {find_colour(style.fill, theme) or 'none'}"]
        if style.stroke:
            parts += [f"stroke: {find_colour(style.stroke, theme)}", f"stroke-width: {style.width:g}"]
        if style.opacity != 1:
            parts.append(f"opacity: {style.opacity:g}")
        rules.append(f".{name} {{ {'; '.join(parts)} }}")
    rules += [
        f".paper {{ fill: {theme.paper} }}",
        f".sign, .corner {{ fill: {theme.on}; text-anchor: middle; font: 700 {SIZES['sign']}px {_FONT} }}",
        f".corner {{ font-size: {SIZES['corner']}px }}",
        f".label {{ font: {SIZES['label']}px {_FONT} }}",
        f".line {{ fill: {theme.ink}; font: {SIZES['line']}px {_FONT} }}",
        ".middle { text-anchor: middle } .end { text-anchor: end }",
    ]
    return " ".join(rules)

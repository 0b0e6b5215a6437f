"""A layout as SVG: a picture of its own, or a small one for a page."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from arbiter.show.boards import write_rank
from arbiter.show.pictures.layout import CELL, Caption, PaintedSquare, PictureLayout
from arbiter.show.pictures.styles import SIZES, STYLES, Paint, draw_piece, find_colour
from arbiter.show.text import plain
from arbiter.show.theme import DRAWINGS, Theme
from protocol.words import Seat

_SQUARE: Final = f"h{CELL}v{CELL}h-{CELL}z"
_FONT: Final = "system-ui, 'DejaVu Sans', sans-serif"
# In a small picture, corners are not rounded, and a small square replaces the eye.
_SMALL_OUTLINES: Final[dict[Seat, str]] = {"red": "m3 3h38v38h-38z", "blue": "m12 3h20l9 9v20l-9 9h-20l-9-9v-20z"}
_SMALL_EYE: Final = "m32 4h8v8h-8z"
_SMALL_SIGN: Final = (CELL / 2, 29)


class _Layers:
    """Paths by style; those of one style are written as one path."""

    def __init__(self) -> None:
        self._paths: dict[str, list[str]] = {}

    def add(self, style: str, cell: PaintedSquare, path: str) -> None:
        self._paths.setdefault(style, []).append(f"M{cell.x} {cell.y}{path}")

    def write(self) -> Iterator[str]:
        for style in STYLES:
            if paths := self._paths.get(style):
                yield f'<path class="{style}" d="{"".join(paths)}"/>'


def write_svg(layout: PictureLayout, theme: Theme, title: str) -> str:
    """Write a layout as an SVG file in the colours of a theme."""
    layers = _Layers()
    symbols: list[str] = []
    signs: list[str] = []
    ranks: dict[str, None] = {}
    for cell in layout.cells:
        layers.add(cell.ground, cell, _SQUARE)
        layers.add("grid", cell, _SQUARE)
        if cell.marked:
            layers.add("mark", cell, _SQUARE)
        if cell.look is None:
            continue
        piece = draw_piece(cell.look)
        for shape in piece.shapes:
            layers.add(shape.style, cell, shape.path)
        if one := piece.symbol:
            ranks[one.rank] = None
            place = f"translate({cell.x + one.x:g} {cell.y + one.y:g})" + (f" scale({one.scale:g})" * (one.scale != 1))
            symbols.append(f'<use href="#{one.rank}" transform="{place}"/>')
        sign = piece.sign
        signs.append(
            f'<text class="{sign.size}" x="{cell.x + sign.x:g}" y="{cell.y + sign.y:g}">{escape(sign.text)}</text>'
        )
    safe = escape(plain(title))
    drawings = "".join(f'<path id="{rank}" fill-rule="evenodd" d="{DRAWINGS[rank]}"/>' for rank in ranks)  # type: ignore[index]
    size_attributes = f'width="{layout.width}" height="{layout.height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width} {layout.height}" {size_attributes} role="img">',
        f"<title>{safe}</title>",
        f"<style>{_write_style(theme)}</style>",
        f"<defs>{drawings}</defs>",
        f'<rect class="paper" {size_attributes}/>',
        *layers.write(),
        f'<g class="on">{"".join(symbols)}</g>',
        *signs,
        *(
            f'<text class="label {label.anchor}" x="{label.x:g}" y="{label.y + 4:g}">{escape(label.text)}</text>'
            for label in layout.labels
        ),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _write_style(theme: Theme) -> str:
    rules = [f".{name} {{ {_write_paint(style, theme)} }}" for name, style in STYLES.items()]
    rules += [
        f".paper {{ fill: {theme.paper} }}",
        f".sign, .corner {{ fill: {theme.on}; text-anchor: middle; font: 700 {SIZES['sign']}px {_FONT} }}",
        f".corner {{ font-size: {SIZES['corner']}px }}",
        f".label {{ font: {SIZES['label']}px {_FONT} }}",
        ".middle { text-anchor: middle } .end { text-anchor: end }",
    ]
    return " ".join(rules)


def _write_paint(style: Paint, theme: Theme | None = None) -> str:
    """Write the colours of a style as CSS; without a theme, as variables of the page."""

    def write(name: str | None) -> str:
        if name is None or name.startswith("#"):
            return name or "none"
        return f"var(--{name.replace('_', '-')})" if theme is None else str(find_colour(name, theme))

    parts = [f"fill: {write(style.fill)}"]
    if style.stroke:
        parts += [f"stroke: {write(style.stroke)}", f"stroke-width: {style.width:g}"]
    if style.opacity != 1:
        parts.append(f"opacity: {style.opacity:g}")
    return "; ".join(parts)


# --- a small picture for a page -------------------------------------------------------------------


def write_small_svg(layout: PictureLayout, title: str) -> str:
    """Write a layout as a part of an HTML page, in a few thousand bytes; `write_small_style` contains its colours."""
    layers = _Layers()
    signs = []
    rows = {cell.y: cell for cell in reversed(layout.cells)}  # the first cell of each row
    for first in rows.values():
        width = CELL * sum(cell.y == first.y for cell in layout.cells)
        layers.add("ground", first, f"h{width}v{CELL}h-{width}z")
    for cell in layout.cells:
        if cell.marked or cell.ground != "ground":
            layers.add("mark" if cell.marked else cell.ground, cell, _SQUARE)
        if look := cell.look:
            deep = "_deep" if look.manner in {"secret", "back"} else ""
            layers.add(f"{look.seat}{deep}", cell, _SMALL_OUTLINES[look.seat])
            if look.manner == "seen":
                layers.add("on", cell, _SMALL_EYE)
            x, y = _SMALL_SIGN
            signs.append(Caption(write_rank(look.rank), cell.x + x, cell.y + y))
    labels = [Caption(label.text, label.x, label.y + 4, label.anchor) for label in layout.labels]
    parts = [
        f'<svg class="still" viewBox="0 0 {layout.width} {layout.height}" role="img" aria-label="{escape(plain(title))}">',
        *layers.write(),
        *_write_texts("sign", signs),
        *_write_texts("label", labels),
        "</svg>",
    ]
    return "".join(parts)


def _write_texts(style: str, labels: Iterable[Caption]) -> Iterator[str]:
    """Write texts; those of one character and one anchor as one element with a position for each character."""
    groups: dict[tuple[str, str], list[Caption]] = {}
    for label in labels:
        key = label.anchor if len(label.text) == 1 else label.text, label.anchor
        groups.setdefault(key, []).append(label)
    for (_, anchor), texts in groups.items():
        for some in [texts] if len(texts[0].text) == 1 else [[one] for one in texts]:
            yield (
                f'<text class="{style} {anchor}" x="{_join(one.x for one in some)}" y="{_join(one.y for one in some)}">'
                f"{escape(''.join(one.text for one in some))}</text>"
            )


def _join(values: Iterable[float]) -> str:
    return " ".join(f"{value:g}" for value in values)


def write_small_style() -> str:
    """Write the style of small pictures; it uses the variables of the page."""
    return "\n".join(f".still .{name} {{ {_write_paint(style)} }}" for name, style in STYLES.items()) + "\n"

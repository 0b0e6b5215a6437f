"""A layout as an SVG file."""

from collections.abc import Iterator
from html import escape
from typing import Final

from arbiter.show.pictures.layout import (
    CELL,
    SIZES,
    STYLES,
    Paint,
    PaintedSquare,
    PictureLayout,
    draw_piece,
    find_colour,
)
from arbiter.show.text import plain
from arbiter.show.theme import RANKS, Theme

_SQUARE: Final = f"h{CELL}v{CELL}h-{CELL}z"
_FONT: Final = "system-ui, 'DejaVu Sans', sans-serif"


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
    drawings = "".join(f'<path id="{rank}" fill-rule="evenodd" d="{RANKS[rank].drawing}"/>' for rank in ranks)
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


def _write_paint(style: Paint, theme: Theme) -> str:
    """Write the colours of a style as CSS."""
    parts = [f"fill: {find_colour(style.fill, theme) or 'none'}"]
    if style.stroke:
        parts += [f"stroke: {find_colour(style.stroke, theme)}", f"stroke-width: {style.width:g}"]
    if style.opacity != 1:
        parts.append(f"opacity: {style.opacity:g}")
    return "; ".join(parts)

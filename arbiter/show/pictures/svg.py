"""A layout as an SVG file."""

from html import escape
from typing import Final

from arbiter.show.pictures.layout import (
    SIZES,
    PictureLayout,
    draw_square,
    find_colour,
)
from arbiter.show.text import plain
from arbiter.show.theme import PAINTS, Theme, list_designs

_FONT: Final = "system-ui, 'DejaVu Sans', sans-serif"


def write_svg(layout: PictureLayout, theme: Theme, title: str) -> str:
    """Write a layout as an SVG file in the colours of a theme."""
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
    size = f'width="{layout.width}" height="{layout.height}"'
    box = f"0 0 {layout.width} {layout.height}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {size} role="img">',
        f"<title>{safe}</title>",
        f"<style>{write_style(theme)}</style>",
        f"<defs>{drawings}</defs>",
        f'<rect class="paper" {size}/>',
        *(f'<path class="{style}" d="{path}"/>' for style, path in layers.items() if path),
        f'<g class="on">{"".join(symbols)}</g>',
        *signs,
        *(
            f'<text class="label {label.anchor}" x="{label.x:g}" y="{label.y + 4:g}">{escape(label.text)}</text>'
            for label in layout.labels
        ),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


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
        ".middle { text-anchor: middle } .end { text-anchor: end }",
    ]
    return " ".join(rules)

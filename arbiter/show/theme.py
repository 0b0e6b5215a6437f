"""Colours, symbols and drawings of boards and pages: one set for the web, the terminal and the commands."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Final, Literal

import msgspec
from msgspec import Struct

from arbiter.games.ranks import RANKS

Colour = str  # "#rrggbb"


class Theme(Struct, frozen=True, kw_only=True):
    """A set of colours.  Texts have a contrast of at least 4.5 to 1 (WCAG AA) on the colours below them."""

    dark: bool
    paper: Colour
    """Background of pages."""
    card: Colour
    """Background of boxes on a page."""
    ink: Colour
    """Texts."""
    soft: Colour
    """Less important texts."""
    rule: Colour
    """Lines between parts of a page."""
    link: Colour
    accent: Colour
    """Texts that stand out."""
    warn: Colour
    """Warnings."""
    red: Colour
    """Pieces of red that their opponent knows."""
    blue: Colour
    red_deep: Colour
    """Pieces of red that are hidden from their opponent."""
    blue_deep: Colour
    on: Colour
    """Texts on pieces."""
    ground: Colour
    """Light squares of a board."""
    ground_2: Colour
    """Dark squares of a board."""
    grid: Colour
    """Lines between squares."""
    lake: Colour
    mark: Colour
    """The last move, and the focus of the keyboard."""
    win: Colour
    loss: Colour
    bar: Colour
    """Bars of charts."""
    lines: tuple[Colour, ...]
    """Lines of charts."""


class Inks(Struct, frozen=True):
    """Colours of texts on the background of a terminal, which may be black or white.

    All are colours that terminals with 256 colours have.
    """

    red: Colour
    blue: Colour
    good: Colour
    soft: Colour
    """Less important texts."""


class RankDesign(Struct, frozen=True):
    """The value and the drawing of a rank."""

    value: int
    """Points of a lost piece in graphs of the material."""
    drawing: str
    """A path of SVG: of 24 by 24 units, for an officer of 24 by 8 units."""
    officer: bool = False


class Paint(Struct, frozen=True):
    """The colours of a shape: names of colours of a theme, or colours."""

    fill: str | None = None
    stroke: str | None = None
    width: float = 0.0
    opacity: float = 1.0


class _Designs(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of theme.toml."""

    shapes: dict[str, str]
    places: dict[Literal["plain", "officer", "figure"], list[int | float]]
    paints: dict[str, Paint]
    themes: dict[str, Theme]
    inks: Inks
    ranks: dict[str, RankDesign]


_DESIGNS: Final = msgspec.toml.decode(files("arbiter.show").joinpath("theme.toml").read_bytes(), type=_Designs)
THEMES: Final[Mapping[str, Theme]] = _DESIGNS.themes
PAPER: Final = THEMES["paper"]
DEFAULT_THEME: Final = "night"  # on terminals
INKS: Final = _DESIGNS.inks
SHAPES: Final[Mapping[str, str]] = _DESIGNS.shapes
"""Parts of pieces in a square of 44 by 44 units, as paths of SVG with relative commands."""
PLACES: Final = _DESIGNS.places
"""By the kind of a drawing, x and y of the sign of a rank on a piece; then x, y and scale of the drawing, if any."""
PAINTS: Final[Mapping[str, Paint]] = _DESIGNS.paints
"""The colours of the parts of squares and pieces in pictures, in the order in which they are painted."""
_UNKNOWN_VALUE: Final = 4  # points of a lost piece of unknown rank

KNOWN: Final = "◉"
"""A piece whose rank the opponent knows."""
HIDDEN: Final = "▨"
"""A piece whose rank is hidden from the opponent."""
ATTACK: Final = "✦"
SEATS: Final[Mapping[str, str]] = {"red": "■", "blue": "⬢"}
"""Shapes of the pieces of both seats."""


def find_value(rank: str | None) -> int:
    """Return the points of a lost piece in graphs of the material."""
    design = _DESIGNS.ranks.get(rank or "") or list_designs().get(rank or "")
    return design.value if design else _UNKNOWN_VALUE


def list_designs() -> Mapping[str, RankDesign]:
    """Return the values and drawings of all ranks; one that is not in theme.toml has its number and its own drawing."""
    own: dict[str, RankDesign] = {
        rank.id: RankDesign(rank.number or _UNKNOWN_VALUE, rank.drawing) for rank in RANKS.values()
    }
    return {**own, **_DESIGNS.ranks}


def write_css() -> str:
    """Write the themes as CSS variables: paper or night as the system prefers, others if a reader chooses them."""
    rules = [
        f":root {{ color-scheme: light dark; {_write_variables(PAPER)} }}",
        f"@media (prefers-color-scheme: dark) {{ :root {{ {_write_variables(THEMES['night'])} }} }}",
    ]
    for name, theme in THEMES.items():
        scheme = "dark" if theme.dark else "light"
        rules.append(f':root[data-theme="{name}"] {{ color-scheme: {scheme}; {_write_variables(theme)} }}')
    return "\n".join(rules) + "\n"


def _write_variables(theme: Theme) -> str:
    colours = {key: value for key, value in msgspec.structs.asdict(theme).items() if key != "dark"}
    lines = colours.pop("lines")
    for key in ("win", "loss"):  # the cells of a crosstable add a transparency
        colours[key] = " ".join(str(part) for part in bytes.fromhex(colours[key][1:]))
    colours |= {f"c{number}": colour for number, colour in enumerate(lines, start=1)}
    return " ".join(f"--{key.replace('_', '-')}: {colour};" for key, colour in colours.items())


def write_script() -> str:
    """Write what the scripts of pages use as a JavaScript object: names of the themes, symbols, drawings, values."""
    designs = list_designs()
    shared = {
        "themes": list(THEMES),
        "symbols": {"known": KNOWN, "hidden": HIDDEN, "attack": ATTACK, **SEATS},
        "shapes": SHAPES,
        "places": PLACES,
        "drawings": {rank: one.drawing for rank, one in designs.items()},
        "officers": sorted(rank for rank, one in designs.items() if one.officer),
        "values": {rank: one.value for rank, one in designs.items()} | {"?": _UNKNOWN_VALUE},
    }
    return f"window.arbiterTheme = {msgspec.json.encode(shared).decode()};\n"

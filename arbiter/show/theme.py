"""Colours, symbols and drawings of boards and pages: one set for the web, the terminal and the commands."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from protocol.words import RankId, Seat

Colour = str  # "#rrggbb"


class Theme(Struct, frozen=True, kw_only=True):
    """A set of colours.  Texts have a contrast of at least 4.5 to 1 (WCAG AA) on the colours below them."""

    label: str
    """Name for people."""
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


_LIGHT_LINES: Final = ("#2360a5", "#b23a26", "#2e7d5b", "#9a6a00", "#7a4aa0", "#0f7f8c", "#b03a77", "#5b6b2b")
_DARK_LINES: Final = ("#6fa8e8", "#ec8470", "#66c29b", "#d9b14a", "#bd93e0", "#5cc3cf", "#e88bb8", "#afc06c")

PAPER: Final = Theme(
    label="Paper",
    dark=False,
    paper="#f7f5f0",
    card="#fffefb",
    ink="#1d2329",
    soft="#5d646c",
    rule="#ddd8cc",
    link="#1f4f8f",
    accent="#80640f",
    warn="#a53a1c",
    red="#b23a26",
    blue="#2360a5",
    red_deep="#7c2416",
    blue_deep="#163f6b",
    on="#ffffff",
    ground="#e8e1cd",
    ground_2="#e0d6bf",
    grid="#cfc6ad",
    lake="#9fbfcf",
    mark="#f0c64a",
    win="#3d8b6e",
    loss="#c9793b",
    bar="#7d93ad",
    lines=_LIGHT_LINES,
)
WOOD: Final = msgspec.structs.replace(
    PAPER,
    label="Wood",
    paper="#f3eade",
    card="#fbf5ec",
    ink="#2b1d10",
    soft="#665341",
    rule="#dbc7ac",
    accent="#75540c",
    ground="#ddb985",
    ground_2="#cfa56c",
    grid="#b58a52",
    lake="#7fa9ae",
    mark="#ffe27a",
)
NIGHT: Final = Theme(
    label="Night",
    dark=True,
    paper="#13171c",
    card="#1a2027",
    ink="#e8e5de",
    soft="#a3abb4",
    rule="#2f3841",
    link="#9cc3f2",
    accent="#e0bd62",
    warn="#f0937a",
    red="#c2472f",
    blue="#3371b8",
    red_deep="#7d2a1b",
    blue_deep="#1d4778",
    on="#ffffff",
    ground="#39403c",
    ground_2="#313733",
    grid="#2a302d",
    lake="#29495a",
    mark="#e5b93a",
    win="#3f9c7a",
    loss="#be6c2e",
    bar="#6f89a8",
    lines=_DARK_LINES,
)
CONTRAST: Final = Theme(
    label="High contrast",
    dark=True,
    paper="#000000",
    card="#000000",
    ink="#ffffff",
    soft="#d9d9d9",
    rule="#8c8c8c",
    link="#9fd0ff",
    accent="#ffe14d",
    warn="#ffb09c",
    red="#b81d00",
    blue="#0057d1",
    red_deep="#6b1100",
    blue_deep="#002f75",
    on="#ffffff",
    ground="#4a4a4a",
    ground_2="#363636",
    grid="#8c8c8c",
    lake="#0b4a4a",
    mark="#ffe14d",
    win="#3f9c7a",
    loss="#be6c2e",
    bar="#b0b0b0",
    lines=_DARK_LINES,
)
DEFAULT_THEME: Final = "night"  # on terminals
THEMES: Final[Mapping[str, Theme]] = {"paper": PAPER, "wood": WOOD, "night": NIGHT, "contrast": CONTRAST}


class Inks(Struct, frozen=True):
    """Colours of texts on the background of a terminal, which may be black or white."""

    red: Colour
    blue: Colour
    good: Colour
    soft: Colour
    """Less important texts."""


# The contrast is at least 4.5 to 1 on black and on white; all are colours that terminals with 256 colours have.
INKS: Final = Inks(red="#af5f5f", blue="#5f5fff", good="#00875f", soft="#767676")

KNOWN: Final = "◉"
"""A piece whose rank the opponent knows."""
HIDDEN: Final = "▨"
"""A piece whose rank is hidden from the opponent."""
ATTACK: Final = "✦"
SEATS: Final[Mapping[str, str]] = {"red": "■", "blue": "⬢"}
"""Shapes of the pieces of both seats."""

OUTLINES: Final[Mapping[Seat, str]] = {
    "red": "m6 4h32a3 3 0 0 1 3 3v30a3 3 0 0 1-3 3h-32a3 3 0 0 1-3-3v-30a3 3 0 0 1 3-3z",
    "blue": "m12 3h20l9 9v20l-9 9h-20l-9-9v-20z",
}
"""Outlines of pieces in a square of 44 by 44 units, as paths of SVG with relative commands."""
STRIPES: Final = "m4 30 26-26m-24 36 34-34m-24 34 24-24m-36 2 14-14m10 36 12-12"
"""Stripes on a piece whose rank is hidden from the opponent."""
# Paths of 24 by 24 units for the ranks with a character of their own, and of 24 by 8 units for the officers.
DRAWINGS: Final[Mapping[RankId, str]] = {
    "marshal": "M5 0l1.2 2.6 2.8.3-2.1 1.9.6 2.8L5 6.2 2.5 7.6l.6-2.8L1 2.9l2.8-.3zM19 0l1.2 2.6 2.8.3-2.1 1.9.6 2.8L19 6.2l-2.5 1.4.6-2.8L15 2.9l2.8-.3zM12 1l3 3-3 3-3-3z",
    "general": "M7 0l1.2 2.6 2.8.3-2.1 1.9.6 2.8L7 6.2 4.5 7.6l.6-2.8L3 2.9l2.8-.3zM17 0l1.2 2.6 2.8.3-2.1 1.9.6 2.8-2.5-1.4-2.5 1.4.6-2.8L13 2.9l2.8-.3z",
    "colonel": "M12 0l1.2 2.6 2.8.3-2.1 1.9.6 2.8-2.5-1.4-2.5 1.4.6-2.8L8 2.9l2.8-.3z",
    "major": "M6 4l3-3 3 3-3 3zM12 4l3-3 3 3-3 3z",
    "marksman": "M12 0a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 1.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM11.3 3.3h1.4v1.4h-1.4zM2 3.3h5v1.4H2zM17 3.3h5v1.4h-5z",
    "captain": "M4 1h16v2H4zM4 5h16v2H4z",
    "berserker": "M11 0h2v8h-2zM13 1c3-1 5 0 6 3-1 2-3 3-6 2zM11 1C8 0 6 1 5 4c1 2 3 3 6 2z",
    "lieutenant": "M4 3h16v2H4z",
    "sergeant": "M12 1l6 4v2.4L12 3.4 6 7.4V5z",
    "miner": "M3 9.5C8 2 16 2 21 9.5 16.5 7 14.5 6.6 13.2 6.5V22h-2.4V6.5C9.5 6.6 7.5 7 3 9.5z",
    "scout": "M2 20L9 7.5l4 6.5 2.2-3L22 20z",
    "spy": "M1.5 12C6 4.5 18 4.5 22.5 12 18 19.5 6 19.5 1.5 12zM12 7.5a4.5 4.5 0 1 0 .01 0zM12 10a2 2 0 1 1-.01 0z",
    "infiltrator": "M3 7c6-2 12-2 18 0-.5 7-4 11-9 12C7 18 3.5 14 3 7zM6.5 9.5c1.5-1 3-.5 4 1-1.5 1-3 .8-4-1zM17.5 9.5c-1.5-1-3-.5-4 1 1.5 1 3 .8 4-1z",
    "bomb": "M10 8.5a7 7 0 1 0 .01 0zM13.5 8l3-3 1.7 1.7-3 3zM19.5 1l.7 2 2 .7-2 .7-.7 2-.7-2-2-.7 2-.7z",
    "flag": "M6 2.5h2.2v19H6zM8.2 3.5H20l-3.5 4.2L20 12H8.2z",
}
OFFICERS: Final = frozenset(
    {"marshal", "general", "colonel", "major", "marksman", "captain", "berserker", "lieutenant", "sergeant"}
)

VALUES: Final[dict[str, int]] = {
    "marshal": 10,
    "general": 9,
    "colonel": 8,
    "major": 7,
    "marksman": 7,
    "captain": 6,
    "berserker": 6,
    "lieutenant": 5,
    "sergeant": 4,
    "miner": 3,
    "scout": 2,
    "spy": 1,
    "infiltrator": 5,
    "bomb": 3,
    "flag": 0,
}
"""Points of a lost piece in graphs of the material."""
UNKNOWN_VALUE: Final = 4
"""Points of a lost piece of unknown rank."""


def write_css() -> str:
    """Write the themes as CSS variables: paper or night as the system prefers, others if a reader chooses them."""
    rules = [
        f":root {{ color-scheme: light dark; {_write_variables(PAPER)} }}",
        f"@media (prefers-color-scheme: dark) {{ :root {{ {_write_variables(NIGHT)} }} }}",
    ]
    for name, theme in THEMES.items():
        scheme = "dark" if theme.dark else "light"
        rules.append(f':root[data-theme="{name}"] {{ color-scheme: {scheme}; {_write_variables(theme)} }}')
    return "\n".join(rules) + "\n"


def _write_variables(theme: Theme) -> str:
    colours = {key: value for key, value in msgspec.structs.asdict(theme).items() if key not in {"label", "dark"}}
    lines = colours.pop("lines")
    for key in ("win", "loss"):  # the cells of a crosstable add a transparency
        colours[key] = " ".join(str(part) for part in bytes.fromhex(colours[key][1:]))
    colours |= {f"c{number}": colour for number, colour in enumerate(lines, start=1)}
    return " ".join(f"--{key.replace('_', '-')}: {colour};" for key, colour in colours.items())


def write_script() -> str:
    """Write what the scripts of pages use as a JavaScript object: labels of the themes, symbols, drawings, values."""
    shared = {
        "themes": {name: theme.label for name, theme in THEMES.items()},
        "symbols": {"known": KNOWN, "hidden": HIDDEN, "attack": ATTACK, **SEATS},
        "outlines": OUTLINES,
        "stripes": STRIPES,
        "drawings": DRAWINGS,
        "officers": sorted(OFFICERS),
        "values": VALUES | {"?": UNKNOWN_VALUE},
    }
    return f"window.arbiterTheme = {msgspec.json.encode(shared).decode()};\n"

"""Themes as styles of text, and a rectangle of styled characters to paint on; what does not fit is cut."""

from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter
from typing import Final

from msgspec import Struct
from rich.cells import cell_len, chop_cells, get_character_cell_size
from rich.segment import Segment
from rich.style import Style

from arbiter.show.theme import THEMES, Colour, Theme
from protocol.words import BLUE, RED, Seat

_SOURCE_SHARE: Final = 0.3
_WAVES_SHARE: Final = 0.3


class ScreenLook(Struct, frozen=True):
    """Styles of the parts of a screen."""

    page: Style
    soft: Style
    strong: Style
    title: Style
    key: Style
    """Names of keys, and texts that stand out."""
    names: Mapping[Seat, Style]
    """Names, moves and graphs of a seat, on the page."""
    known: Mapping[Seat, Style]
    """Pieces that their opponent knows."""
    hidden: Mapping[Seat, Style]
    """Pieces that are hidden from their opponent."""
    unknown: Mapping[Seat, Style]
    """Pieces whose rank the viewer does not know."""
    squares: tuple[Style, Style]
    """Light and dark squares."""
    lake: Style
    source: Style
    """The square that the last act came from."""
    target: Style
    """The square that the last act went to, and everything else that is current."""
    selected: Style


def mix(one: Colour, other: Colour, share: float) -> Colour:
    """Mix two colours; `share` is that of the first."""
    parts = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in parts)


def make_look(theme: Theme) -> ScreenLook:
    """Make the styles of a theme."""

    def on(below: Colour, colour: Colour = theme.ink, *, bold: bool = False) -> Style:
        return Style(color=colour, bgcolor=below, bold=bold)

    on_mark = theme.paper if theme.dark else theme.ink
    deep: dict[Seat, Style] = {RED: on(theme.red_deep, theme.on), BLUE: on(theme.blue_deep, theme.on)}
    return ScreenLook(
        page=on(theme.paper),
        soft=on(theme.paper, theme.soft),
        strong=on(theme.paper, bold=True),
        title=on(theme.card, bold=True),
        key=on(theme.paper, theme.accent, bold=True),
        names={BLUE: on(theme.paper, theme.lines[0]), RED: on(theme.paper, theme.lines[1])},  # as in charts
        known={RED: on(theme.red, theme.on, bold=True), BLUE: on(theme.blue, theme.on, bold=True)},
        hidden=deep,
        unknown=deep,
        squares=(on(theme.ground, theme.grid), on(theme.ground_2, theme.grid)),
        lake=on(theme.lake, mix(theme.ink, theme.lake, _WAVES_SHARE)),
        source=on(mix(theme.mark, theme.ground, _SOURCE_SHARE)),
        target=on(theme.mark, on_mark, bold=True),
        selected=Style(color=theme.paper, bgcolor=theme.accent, bold=True, underline=True),
    )


_PLAIN: Final = Style()
_BOLD: Final = Style(bold=True)
_DIM: Final = Style(dim=True)
_BACK: Final = Style(reverse=True)
_OF_SEATS: Final[Mapping[Seat, Style]] = {RED: _PLAIN, BLUE: _PLAIN}

MONO: Final = ScreenLook(
    page=_PLAIN,
    soft=_DIM,
    strong=_BOLD,
    title=_BOLD,
    key=_BOLD,
    names=_OF_SEATS,
    known={RED: _BOLD, BLUE: _BOLD},
    hidden=_OF_SEATS,
    unknown={RED: _BACK, BLUE: _BACK},
    squares=(_DIM, _DIM),
    lake=_DIM,
    source=_BOLD,
    target=Style(reverse=True, bold=True),
    selected=Style(underline=True, bold=True),
)
"""Styles without colours, for terminals that show none."""
LOOKS: Final[Mapping[str, ScreenLook]] = {name: make_look(theme) for name, theme in THEMES.items()}


_CUT: Final = "…"


class Box(Struct, frozen=True):
    """A rectangle of a screen."""

    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    def contains(self, x: int, y: int) -> bool:
        """Return True if a position is in the rectangle."""
        return self.x <= x < self.right and self.y <= y < self.bottom


class Canvas:
    """Lines of characters, each with a style."""

    def __init__(self, width: int, height: int, look: ScreenLook) -> None:
        self.box: Final = Box(0, 0, width, height)
        self.look: Final = look
        self._signs = [[" "] * width for _ in range(height)]
        self._styles = [[look.page] * width for _ in range(height)]

    def fill(self, box: Box, style: Style, sign: str = " ") -> None:
        """Fill a rectangle with one character."""
        left, right = max(0, box.x), min(box.right, self.box.width)
        count = max(0, right - left)
        for y in range(max(0, box.y), min(box.bottom, self.box.height)):
            self._signs[y][left:right] = [sign] * count
            self._styles[y][left:right] = [style] * count

    def write(self, x: int, y: int, text: str, style: Style, *, right: int | None = None) -> int:
        """Write text and return the column after it; text that reaches beyond column `right` ends in an ellipsis.

        A wide character fills two cells; a combining one joins the cell before it.
        """
        edge = self.box.width if right is None else min(right, self.box.width)
        if not 0 <= y < self.box.height or not 0 <= x < edge:
            return x
        width = cell_len(text)
        if x + width > edge:
            text = cut(text, edge - x)
            width = cell_len(text)
        signs: list[str] = []
        for sign in text:
            size = get_character_cell_size(sign)
            if size:
                signs += [sign] + [""] * (size - 1)
            elif signs:
                signs[-1] += sign
        self._signs[y][x : x + width] = (signs + [""] * width)[:width]
        self._styles[y][x : x + width] = [style] * width
        return x + width

    def lines(self) -> list[list[Segment]]:
        """Return the lines as segments of equal style."""
        return [
            [
                Segment("".join(sign for _, sign in cells), style)
                for style, cells in groupby(zip(styles, signs, strict=True), itemgetter(0))
            ]
            for styles, signs in zip(self._styles, self._signs, strict=True)
        ]


def cut(text: str, width: int) -> str:
    """Cut text to a width in cells, with an ellipsis if anything is missing."""
    if cell_len(text) <= width:
        return text
    return (chop_cells(text, width - 1)[0] if width > 1 else "") + _CUT[:width]


def wrap(text: str, width: int) -> list[str]:
    """Divide text into lines of a width in cells, between words if possible."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines += chop_cells(word, width) or [""]
    return lines

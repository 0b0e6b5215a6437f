"""The themes as styles of text, and one without colours."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from rich.style import Style

from arbiter.show.theme import THEMES, Colour, Theme
from protocol.words import BLUE, RED, Seat

_SOURCE_SHARE, _WAVES_SHARE = 0.3, 0.3


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


def seat_colours(theme: Theme) -> dict[Seat, Colour]:
    """Return the colours of the names of both seats on a page; they are those of the first lines of charts."""
    return {BLUE: theme.lines[0], RED: theme.lines[1]}


def make_look(theme: Theme) -> ScreenLook:
    """Make the styles of a theme."""

    def on(below: Colour, colour: Colour = theme.ink, *, bold: bool = False) -> Style:
        return Style(color=colour, bgcolor=below, bold=bold)

    on_mark = theme.paper if theme.dark else theme.ink
    return ScreenLook(
        page=on(theme.paper),
        soft=on(theme.paper, theme.soft),
        strong=on(theme.paper, bold=True),
        title=on(theme.card, bold=True),
        key=on(theme.paper, theme.accent, bold=True),
        names={seat: on(theme.paper, colour) for seat, colour in seat_colours(theme).items()},
        known={RED: on(theme.red, theme.on, bold=True), BLUE: on(theme.blue, theme.on, bold=True)},
        hidden={RED: on(theme.red_deep, theme.on), BLUE: on(theme.blue_deep, theme.on)},
        unknown={RED: on(theme.red_deep, theme.on), BLUE: on(theme.blue_deep, theme.on)},
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

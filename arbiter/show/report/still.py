"""The last position of a game for browsers without JavaScript: about a thousand bytes of text, coloured by the page."""

from typing import Final

from markupsafe import Markup

from arbiter.show.boards import OWNER, write_rank
from arbiter.show.grid import Square
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.plain_text import make_grid
from protocol.words import BLUE, RED

_WIDTH: Final = 5  # columns of a square
_LAKE: Final = "~~~~"
_EMPTY: Final = " ."
_KNOWN: Final = "!"
# The elements of pieces: red and blue, each known to its opponent and hidden from it.
_ELEMENTS: Final = {("red", True): "b", ("red", False): "s", ("blue", True): "i", ("blue", False): "u"}


def write_still(frame: Frame, viewer: Viewer) -> Markup:
    """Write the board or the cards of a frame: `R3!` is a red miner that blue knows, `b?` a blue piece of unknown rank."""
    grid = make_grid(frame, bottom=BLUE if viewer == BLUE else RED)
    known = frozenset(frame.known)
    lines = [
        Markup("{}{}{}").format(
            row.label.ljust(grid.margin), Markup().join(_write_square(one, known) for one in row.squares), row.tail
        )
        for row in grid.rows
    ]
    names = " " * grid.margin + "".join(f"  {name}".ljust(_WIDTH) for name in grid.columns)
    return Markup('<pre class="still">{}</pre>').format(Markup("\n").join([*lines, names.rstrip()]))


def _write_square(square: Square, known: frozenset[str]) -> Markup:
    piece = square.piece
    if piece is None:
        return Markup.escape(f" {_LAKE if square.is_lake else _EMPTY}".ljust(_WIDTH))
    is_known = piece.place in known
    element = Markup(_ELEMENTS[piece.seat, is_known])  # noqa: S704 - a constant
    text = f"{OWNER[piece.seat]}{write_rank(piece.rank)}{_KNOWN * is_known}"
    return Markup(" <{}>{}</{}>").format(element, text.center(_WIDTH - 1), element)

"""A turn while it goes on: what the repetition rules and the powers want to know of it when it ends."""

from msgspec import Struct
from msgspec.structs import replace

from protocol.words import Seat


class TurnState(Struct):
    """A turn of a seat with one piece.

    `src` is where it began, `square` where the piece is now (None once it is lost), `borders` what it has
    crossed, `attacks` and `wins` how often it has fought and won.
    """

    seat: Seat
    me: int
    piece: int
    src: int
    square: int | None
    borders: int
    attacks: int = 0
    wins: int = 0

    def copy(self) -> "TurnState":
        """Return an independent copy."""
        return replace(self)

"""The turn in progress, and follow-up questions within it."""

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from arbiter.games.base import IllegalAction
from protocol.reasons import Refusal
from protocol.words import Phase, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay


class TurnState(Struct):
    """The turn in progress, for the repetition rules and the powers."""

    seat: Seat
    side: int
    """0 for red, 1 for blue."""
    piece: int
    src: int
    """The square where the turn began."""
    square: int | None
    """The square of the piece now; None if it is lost."""
    borders: int
    """The borders that the piece has crossed in this turn."""
    attacks: int = 0
    wins: int = 0

    def copy(self) -> "TurnState":
        return replace(self)


class FollowUp:
    """Another question to the same seat within its turn."""

    phase: Phase
    """The phase in which the seat is asked."""
    before_repetition: bool = False
    """True if the question comes before the repetition rules record the turn."""

    def is_due(self, play: "BoardPlay", turn: TurnState) -> bool:
        """Return True if the seat must be asked after this turn so far."""
        raise NotImplementedError


def refuse(reason: Refusal) -> IllegalAction:
    """Return the error for a power that cannot be used."""
    return IllegalAction("power", reason)

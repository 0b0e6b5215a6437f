"""An attempt to play a game that was voided."""

from typing import Literal

from msgspec import Struct

from arbiter.tournament.conditions import Conditions
from protocol.words import Seat

Reason = Literal["killed", "error", "stopped"]
"""A bot was killed through no fault of its own, the arbiter failed, or the run was stopped."""


class Attempt(Struct, frozen=True, kw_only=True):
    """A voided attempt to play a fixture; the results store it."""

    id: str
    """Id of the fixture."""
    round: int
    red: str
    blue: str
    started: str
    """ISO 8601 in UTC."""
    seconds: float
    """Duration by the wall clock."""
    reason: Reason
    why: str
    """Sentence, or the traceback of an error of the arbiter."""
    seat: Seat | None
    """The seat whose turn it was, or whose bot was killed; None before the first turn."""
    plies: int
    conditions: Conditions

    @property
    def bot(self) -> str | None:
        """The bot of the seat."""
        return None if self.seat is None else self.red if self.seat == "red" else self.blue

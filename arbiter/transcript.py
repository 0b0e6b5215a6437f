"""What passed between the arbiter and a bot, as it is kept of a game that went wrong: lines with their times."""

from typing import Final

from msgspec import Struct

from arbiter.games.base import FORFEITS
from protocol.words import Seat

# The endings of games of which it is always kept; who does not come to a game says nothing in it.
LOGGED: Final = FORFEITS - {"walkover"}


class LogLine(Struct, frozen=True):
    """A line without its newline, `ms` milliseconds after the game's start; `sent` says that the arbiter wrote it.

    Where it is not `whole` it is no line that was waited for: half of one, too much of one, or whatever lay there
    unasked or too late, newlines and all.  `cut` counts the bytes left out at its end.
    """

    ms: float
    sent: bool
    text: bytes
    whole: bool = True
    cut: int = 0


class Transcript(Struct, frozen=True):
    """The lines of one bot; where they were too much, the count of those left out between `first` and `last`."""

    first: tuple[LogLine, ...] = ()
    last: tuple[LogLine, ...] = ()
    lines_left_out: int = 0
    bytes_left_out: int = 0

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """All lines that are kept, in order."""
        return self.first + self.last


class GameLog(Struct, frozen=True):
    """What is kept of a game beside its record: what passed on the wire, and what each bot wrote on stderr."""

    wire: dict[Seat, Transcript] = {}
    stderr: dict[Seat, str] = {}

"""An attempt to play a game that was voided."""

from typing import Literal

from msgspec import Struct

from arbiter.tournament.conditions import PlayingConditions
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import Seat

Reason = Literal["sandbox_killed", "out_of_memory", "killed", "error", "lost", "refused", "stopped", "audit"]
"""The reason to void an attempt.

sandbox_killed, out_of_memory, killed: a bot was ended by a SIGKILL that the arbiter did not send.  It hit the sandbox,
the machine was out of memory, or the sender is not known.  error: the arbiter failed.  lost: the worker that
played the game was lost.  refused: the result that the worker sent is not one of this game.  stopped: the run was
stopped, or the arbiter was killed. audit: the game was played again after its end, on another machine, and differs;
no result was changed.
"""


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
    seat: Seat | None = None
    """The seat whose bot was killed, otherwise the seat whose turn it was; None if both or neither are to act."""
    plies: int = 0
    conditions: PlayingConditions | None = None
    """None if the arbiter itself was killed."""

    @property
    def bot(self) -> str | None:
        """The bot of the seat."""
        return None if self.seat is None else self.red if self.seat == "red" else self.blue


def make_attempt(game: Fixture | StoredGame, reason: Reason, why: str, started: str, seconds: float = 0.0) -> Attempt:
    """Make the attempt to play a fixture, or to play a stored game again, without what is known of its course."""
    return Attempt(
        id=game.id,
        round=game.round,
        red=game.red,
        blue=game.blue,
        started=started,
        seconds=round(seconds, 3),
        reason=reason,
        why=why,
    )

"""The ways in which a game ends early: by a foul, or voided because a bot was killed through no fault of its own."""

from collections.abc import Callable

from arbiter.games.base import ForfeitInGame
from arbiter.sandbox.isolation import KillEvidence
from protocol.words import Seat

Excuse = Callable[[Seat, KillEvidence], bool]
"""Returns True if a bot's death by SIGKILL voids the game instead of losing it; each call uses up the excuse."""


class Foul(Exception):
    """A seat loses the game."""

    def __init__(self, seat: Seat, ending: ForfeitInGame, public: str, detail: str | None = None) -> None:
        super().__init__(detail or public)
        self.seat: Seat = seat
        self.ending: ForfeitInGame = ending
        self.public = public
        """Sentence for the opponent: it names no rank and quotes nothing of the bot's output."""
        self.detail = detail or public
        """Sentence for the bot's author and for the record: it may do both.  Default: the public one."""


class BotKilled(Exception):
    """The game is voided because a bot was killed, not by the arbiter.  The text describes what is known about it."""

    def __init__(self, seat: Seat, evidence: KillEvidence, why: str) -> None:
        super().__init__(why)
        self.seat: Seat = seat
        self.evidence: KillEvidence = evidence

"""The ways in which a game ends early: by a foul, or voided because a bot was killed through no fault of its own."""

from collections.abc import Callable

from arbiter.games.base import ForfeitInGame
from protocol.reasons import FoulReason, KillEvidence, ProgramEnded, TooLate
from protocol.words import Seat

Excuse = Callable[[Seat, KillEvidence], bool]
"""Returns True if a bot's death by SIGKILL voids the game instead of losing it; each call uses up the excuse."""


class Foul(Exception):
    """A seat loses the game."""

    def __init__(self, ending: ForfeitInGame, reason: FoulReason) -> None:
        super().__init__(ending, reason)
        self.seat: Seat = reason.seat
        self.ending: ForfeitInGame = ending
        self.reason = reason


class BotKilled(Exception):
    """The game is voided because a bot was killed, not by the arbiter."""

    def __init__(self, evidence: KillEvidence, reason: ProgramEnded | TooLate) -> None:
        super().__init__(evidence, reason)
        self.seat: Seat = reason.seat
        self.evidence: KillEvidence = evidence
        self.reason = reason

"""Results of a run that are to be stored: finished games and voided attempts."""

from msgspec import Struct

from arbiter.packing import Packed, to_bytes
from arbiter.tournament.attempt import Attempt
from arbiter.tournament.events import NO_LOG
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import GameLog


class NewGame(Struct, frozen=True):
    """A finished game."""

    game: StoredGame
    record: bytes | Packed
    log: GameLog = NO_LOG

    @property
    def plain_record(self) -> bytes:
        """The record as text."""
        return to_bytes(self.record)


class NewAttempt(Struct, frozen=True):
    """A voided attempt."""

    attempt: Attempt
    log: GameLog = NO_LOG


NewResult = NewGame | NewAttempt

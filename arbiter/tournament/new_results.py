"""Results of a run that are to be stored: finished games, voided attempts, and which messages are kept."""

from collections.abc import Mapping

from msgspec import Struct

from arbiter.games.base import Ending
from arbiter.packing import Packed, to_bytes
from arbiter.tournament.events import NO_LOG, Attempt
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import LOGGED, GameLog
from protocol.words import OPPONENT, Seat


class KeptLogs(Struct, frozen=True):
    """Messages are kept of forfeited games, of the games that some bots lose, or of all games."""

    every: bool = False
    losses_of: frozenset[str] = frozenset()

    @property
    def needs_messages(self) -> bool:
        """True if the messages of a game may be kept although nobody forfeits it."""
        return self.every or bool(self.losses_of)

    def has(self, bots: Mapping[Seat, str], winner: Seat | None, ending: Ending) -> bool:
        """Return True if the messages of a game of these bots are kept."""
        is_loss = winner is not None and bots[OPPONENT[winner]] in self.losses_of
        return self.every or is_loss or ending in LOGGED


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

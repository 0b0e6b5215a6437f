"""A game as a tournament keeps it, for counting and listing; the record has the rest."""

from msgspec import Struct

from arbiter.games.base import FORFEITS, Ending
from protocol.words import OPPONENT, SEATS, Seat


class StoredGame(Struct, frozen=True):
    """A finished game; `started` is ISO 8601 in UTC, `seconds` how long it took by the wall clock.

    `acts` is alike for games in which the same was done from the same beginning, and empty where nothing was done
    or it is not known.  `red_ms` and `blue_ms` are what the clock charged each for all its answers, 0 where that is
    not known.
    """

    id: str
    round: int
    pair: int
    red: str
    blue: str
    winner: Seat | None
    ending: Ending
    why: str
    plies: int
    red_points: float
    blue_points: float
    started: str
    seconds: float
    acts: str = ""
    red_ms: float = 0.0
    blue_ms: float = 0.0


def forfeiters(winner: Seat | None, ending: Ending) -> tuple[Seat, ...]:
    """List the seats that forfeited a game: none, the loser, or both where neither got through the setup."""
    if ending not in FORFEITS:
        return ()
    return SEATS if winner is None else (OPPONENT[winner],)

"""A finished game as the results store it."""

from collections.abc import Iterable

from msgspec import Struct

from arbiter.games.base import FORFEITS, Ending
from arbiter.tournament.conditions import PlayingConditions
from protocol.words import OPPONENT, RED, SEATS, Seat


class StoredGame(Struct, frozen=True):
    """A finished game: what is needed to count and list it. The record holds the rest."""

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
    """ISO 8601 in UTC."""
    seconds: float
    """Duration by the wall clock."""
    fingerprint: str = ""
    """Fingerprint of the start and the actions: equal for identical games, '' before the first action or if not known."""
    red_ms: float = 0.0
    """Time charged to red's clock for all its answers, 0 if not known."""
    blue_ms: float = 0.0
    conditions: PlayingConditions | None = None
    """The machine and the arbiter during the game; None if not known."""
    series: int = 1
    """Number of the match in its results file, from 1; a tournament has one series."""
    red_program: str = ""
    """Digest of red's program when the game began; empty for a walkover, a person, or if not known."""
    blue_program: str = ""


def find_forfeiters(winner: Seat | None, ending: Ending) -> tuple[Seat, ...]:
    """Return the seats that forfeited a game: none, the loser, or both if neither got through the setup."""
    if ending not in FORFEITS:
        return ()
    return SEATS if winner is None else (OPPONENT[winner],)


def find_absent(games: Iterable[StoredGame]) -> frozenset[str]:
    """Return the bots that lost a game by walkover: they were withdrawn or suspended."""
    return frozenset(
        game.red if seat == RED else game.blue
        for game in games
        if game.ending == "walkover"
        for seat in find_forfeiters(game.winner, game.ending)
    )

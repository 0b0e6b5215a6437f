"""Ratings over time: after growing numbers of games, each computed once."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from arbiter.tournament.ratings.values import Ratings
from arbiter.tournament.standings.stored_game import StoredGame

_MOST_POINTS: Final = 10
_STEPS: Final = (1, 2, 5)


class EarlierRatings(Struct, frozen=True):
    """The ratings after the first games of a tournament, in the order in which they started."""

    games: int
    ratings: Ratings


class RatingHistory:
    """Rates the first games of a tournament again and again, and remembers the ratings.

    The numbers of games are multiples of a round number, so most of them stay the same while the tournament is played.
    """

    def __init__(self, rate: Callable[[Sequence[StoredGame]], Ratings]) -> None:
        self._rate = rate
        self._known: dict[tuple[int, int], Ratings] = {}  # by the number of games and a hash of their results

    def list_earlier(self, games: Sequence[StoredGame]) -> list[EarlierRatings]:
        """Return the ratings after several numbers of games, at most ten, without those after all games."""
        played = sorted((game for game in games if game.took_place), key=lambda game: (game.started, game.id))
        step = choose_step(len(played))
        known = self._known
        self._known = {}
        earlier = []
        digest = 0
        for number, game in enumerate(played[:-1], start=1):
            digest = hash((digest, game.id, game.winner, game.ending))
            if number % step == 0:
                ratings = known.get((number, digest)) or self._rate(played[:number])
                self._known[number, digest] = ratings
                earlier.append(EarlierRatings(number, ratings))
        return earlier


def choose_step(games: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, ... that divides so many games into at most ten parts."""
    unit = 1
    while True:
        for factor in _STEPS:
            if games <= factor * unit * _MOST_POINTS:
                return factor * unit
        unit *= 10

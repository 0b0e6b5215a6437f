"""Pairs of games: two bots meet twice with the same seed, colours swapped.  Pure: knows no file and no database.

The two games of a pair are not independent, so whatever counts what chance can do counts pairs.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from arbiter.games.base import FORFEITS, Ending
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import BLUE, RED, Seat

_NOT_PLAYED: Final[frozenset[Ending]] = frozenset({"void", "walkover"})


class Pair(Struct, frozen=True):
    """A pair of games between bots named in alphabetical order: the first's score (1, ½, 0) with each colour.

    A score is None where the game is missing or tells nothing of who is the stronger.
    """

    one: str
    two: str
    number: int
    as_red: float | None = None
    as_blue: float | None = None

    @property
    def score(self) -> float | None:
        """Score both games together, from 0 to 2; None unless both tell something."""
        return None if self.as_red is None or self.as_blue is None else self.as_red + self.as_blue


def pairs(games: Iterable[StoredGame]) -> list[Pair]:
    """Put games together to pairs, in the order of pairings and of the pairs' numbers.

    A game lost by forfeit is a game lost, as arbiters of chess programs count it.  A game that was not played says
    nothing, be it void or a walkover, nor does one that both lost.
    """
    halves: dict[tuple[str, str, str, int], dict[Seat, float | None]] = {}
    for game in games:
        one, two = sorted((game.red, game.blue))
        seat: Seat = RED if game.red == one else BLUE
        stage = game.id.removesuffix(f"{game.red}~{game.blue}~{game.pair}")
        halves.setdefault((one, two, stage, game.pair), {})[seat] = _score(game, seat)
    return [
        Pair(one, two, number, half.get(RED), half.get(BLUE)) for (one, two, _, number), half in sorted(halves.items())
    ]


def _score(game: StoredGame, seat: Seat) -> float | None:
    if game.ending in _NOT_PLAYED or (game.winner is None and game.ending in FORFEITS):
        return None
    return 0.5 if game.winner is None else float(game.winner == seat)

"""Pairs of games: two bots play twice with the same decks or deployments, colours swapped.

The two games of a pair are not independent, so statistics count pairs instead of games.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from arbiter.games.base import FORFEITS, Ending
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import BLUE, RED, Seat

PAIR_SCORES: Final = (0.0, 0.5, 1.0, 1.5, 2.0)  # LL, LD, DD or WL, WD, WW
Pentanomial = tuple[int, ...]  # numbers of pairs by PAIR_SCORES

_BOTH_LOSE: Final[frozenset[Ending]] = FORFEITS | {"double_loss"}  # if there is no winner


class Pair(Struct, frozen=True):
    """A pair of games between two bots, named in alphabetical order."""

    one: str
    two: str
    number: int
    as_red: float | None = None
    """Score of the first bot as red: 1, 0.5 or 0; None if the game is missing or does not count."""
    as_blue: float | None = None

    @property
    def score(self) -> float | None:
        """The first bot's score in both games, from 0 to 2; None unless both count."""
        return None if self.as_red is None or self.as_blue is None else self.as_red + self.as_blue


def pair_games(games: Iterable[StoredGame]) -> list[Pair]:
    """Combine games into pairs, ordered by pairing and number.

    A game lost by forfeit counts as lost, as in chess engine tournaments.  Voided games, walkovers and games that both
    bots lost do not count.
    """
    halves: dict[tuple[str, str, str, int], dict[Seat, float | None]] = {}
    for game in games:
        one, two = sorted((game.red, game.blue))
        seat: Seat = RED if game.red == one else BLUE
        stage, _, _ = game.id.partition(f"{game.red}~{game.blue}~{game.pair}")
        if not game.was_played or (game.winner is None and game.ending in _BOTH_LOSE):
            score = None
        else:
            score = 0.5 if game.winner is None else float(game.winner == seat)
        halves.setdefault((one, two, stage, game.pair), {})[seat] = score
    return [
        Pair(one, two, number, half.get(RED), half.get(BLUE)) for (one, two, _, number), half in sorted(halves.items())
    ]


def count_pairs(pairs: Iterable[Pair], bot: str) -> Pentanomial:
    """Count complete pairs by the score of a bot."""
    counts = [0] * len(PAIR_SCORES)
    for pair in pairs:
        if pair.score is not None:
            counts[PAIR_SCORES.index(pair.score if pair.one == bot else 2 - pair.score)] += 1
    return tuple(counts)

"""What chance could have made of a tournament: its pairs of games weighed anew, many times.

The Bayesian bootstrap (Rubin, Annals of Statistics 9, 1981): in each sample every pair of games has a random weight
instead of a random number of copies, so that no sample loses the games that hold a tournament together.  The prior,
as much won as lost with each colour, is weighed at random too: where nothing was ever lost, the interval says how
little a few games prove.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.random import Generator

from arbiter.tournament.ratings.bradley_terry import Floats, Numbers, Scores
from protocol.words import RED, Seat

_SCORES: Final = (None, 0.0, 0.5, 1.0)
OUTCOMES: Final = tuple((red, blue) for red in _SCORES for blue in _SCORES)  # what a pair can come to
_RED: Final = np.array([red or 0.0 for red, _ in OUTCOMES])
_BLUE: Final = np.array([blue or 0.0 for _, blue in OUTCOMES])
_RED_PLAYED: Final = np.array([red is not None for red, _ in OUTCOMES], float)
_BLUE_PLAYED: Final = np.array([blue is not None for _, blue in OUTCOMES], float)

_PRIOR: Final = 1.0  # drawn games that each bot brings along, shared among its opponents
_PRIOR_OUTCOMES: Final = ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0))  # of pairs of the prior, equally likely
_FIRM: Final = 0.02  # the share of the prior that is not left to chance, so that every sample can be fitted
_LEAST_SHAPE: Final = 0.5
_AT_ONCE: Final = 4_000_000  # numbers in an array


class PairResults(Struct, frozen=True):
    """Pairs of games: the numbers of the first and the second bot of each pairing, and pairings x OUTCOMES counts."""

    bots: int
    one: Numbers
    two: Numbers
    counts: Floats

    def has_had(self, bot: int, seat: Seat) -> bool:
        """Tell whether a bot has had a colour in a game that counts."""
        mine, its = (_RED_PLAYED, _BLUE_PLAYED) if seat == RED else (_BLUE_PLAYED, _RED_PLAYED)
        return bool((self.counts[self.one == bot] @ mine).any() or (self.counts[self.two == bot] @ its).any())


def expected(results: PairResults) -> Scores:
    """Count the games with the prior, as a single sample."""
    each = np.broadcast_to(_prior(results), (len(_PRIOR_OUTCOMES), 1, len(results.one)))
    return _scores(results, results.counts[None, :, :], each)


def samples(results: PairResults, spare: int, chance: Generator, draws: int) -> Iterator[Scores]:
    """Yield samples, as many at a time as memory bears; `spare` is how many strengths the pairs have to tell.

    A fit comes the closer to its data the more parameters it has; the weights make up for it by varying more.
    """
    counts, total, prior = results.counts, results.counts.sum(), _prior(results)
    shape = max(_LEAST_SHAPE, (total - spare - 1) / total)
    block = max(1, _AT_ONCE // max(counts.size, (results.bots + 1) ** 2))
    for begun in range(0, draws, block):
        size = min(block, draws - begun)
        weights = chance.standard_gamma(np.broadcast_to(counts * shape, (size, *counts.shape))) / shape
        each = np.broadcast_to(prior, (len(_PRIOR_OUTCOMES), size, len(prior)))
        yield _scores(results, weights, chance.standard_gamma(each) + _FIRM * prior)


def _prior(results: PairResults) -> Floats:
    """Weigh each of the prior's outcomes in each pairing: drawn games shared out as the games that were played."""
    played = results.counts @ (_RED_PLAYED + _BLUE_PLAYED)
    of_bot = np.bincount(results.one, played, results.bots) + np.bincount(results.two, played, results.bots)
    drawn: Floats = _PRIOR * played * (1 / of_bot[results.one] + 1 / of_bot[results.two])
    return drawn / (2 * len(_PRIOR_OUTCOMES))


def _scores(results: PairResults, weights: Floats, prior: Floats) -> Scores:
    """Count weighted pairs: of the results (samples x pairings x OUTCOMES) and of the prior (its outcomes first)."""
    red, blue = (np.tensordot(score, prior, 1) for score in np.transpose(_PRIOR_OUTCOMES))
    games = prior.sum(0)
    return Scores(
        results.bots,
        results.one,
        results.two,
        red_games=weights @ _RED_PLAYED + games,
        red_score=weights @ _RED + red,
        blue_games=weights @ _BLUE_PLAYED + games,
        blue_score=weights @ _BLUE + blue,
    )

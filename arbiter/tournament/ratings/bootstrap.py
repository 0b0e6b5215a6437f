"""Bayesian bootstrap of pairs of games: samples that show how much chance may have changed a tournament.

In each sample every pair of games has a random weight instead of a random number of copies (Rubin, Annals of Statistics
9, 1981), so no sample loses the games that connect the bots of a tournament.  The prior, as many games won as lost with
each colour, has random weights too: the interval of a bot that never lost shows how little a few games prove.

A few pairs of a pairing show less of their spread than there is.  So each pairing has one more pair with the results
that the fit expects, and its weights vary as much as an estimate from so many pairs does: as for Student's t, the
intervals after a few games are wider.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from arbiter.arrays import Floats, Generator, Numbers, np
from arbiter.tournament.ratings.bradley_terry import Scores, Strengths, expect_scores
from protocol.words import RED, Seat

_SCORES: Final = (None, 0.0, 0.5, 1.0)
OUTCOMES: Final = tuple((red, blue) for red in _SCORES for blue in _SCORES)  # of a pair: the first bot's scores
_RED: Final = np.array([red or 0.0 for red, _ in OUTCOMES])
_BLUE: Final = np.array([blue or 0.0 for _, blue in OUTCOMES])
_RED_PLAYED: Final = np.array([red is not None for red, _ in OUTCOMES], float)
_BLUE_PLAYED: Final = np.array([blue is not None for _, blue in OUTCOMES], float)

_PRIOR: Final = 1.0  # drawn games added for each bot, shared among its opponents
_PRIOR_OUTCOMES: Final = ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0))  # of pairs of the prior, equally likely
_FIXED_SHARE: Final = 0.02  # share of the prior that is not random, so that every sample can be fitted
_EXPECTED_PAIRS: Final = 1.0  # pairs with expected results, in each pairing
_LEAST_SHAPE: Final = 0.5
_LEAST_SPREAD: Final = 0.05  # of the shapes of a pairing in a sample: less makes single weights excessive
_MOST_NUMBERS: Final = 4_000_000  # in an array, to limit the memory


class PairResults(Struct, frozen=True):
    """Pairs of games, counted by pairing and outcome."""

    bots: int
    one: Numbers
    """The first bot of each pairing."""
    two: Numbers
    """The second bot of each pairing."""
    counts: Floats
    """pairings x OUTCOMES"""

    def has_had(self, bot: int, seat: Seat) -> bool:
        """Return True if a bot has had a colour in a game that counts."""
        as_one, as_two = (_RED_PLAYED, _BLUE_PLAYED) if seat == RED else (_BLUE_PLAYED, _RED_PLAYED)
        return bool((self.counts[self.one == bot] @ as_one).any() or (self.counts[self.two == bot] @ as_two).any())

    def count_games(self) -> Floats:
        """Return the number of games of each pairing."""
        games: Floats = self.counts @ (_RED_PLAYED + _BLUE_PLAYED)
        return games


def count_scores(results: PairResults) -> Scores:
    """Count the games as a single sample, without random weights and without the prior."""
    return _sum_scores(results, results.counts[None, :, :], np.zeros((len(_PRIOR_OUTCOMES), 1, len(results.one))))


def count_with_prior(results: PairResults) -> Scores:
    """Count the games and the prior as a single sample, without random weights."""
    prior = np.broadcast_to(_weigh_prior(results), (len(_PRIOR_OUTCOMES), 1, len(results.one)))
    return _sum_scores(results, results.counts[None, :, :], prior)


def draw_samples(
    results: PairResults, likeliest: Strengths, free_parameters: int, chance: Generator, draws: int
) -> Iterator[Scores]:
    """Yield samples in blocks of limited memory.

    `likeliest` is the fit to the games and the prior; `free_parameters` are those of the model that is fitted to the
    samples.  The more parameters a fit has, the closer it comes to its data; the weights vary more to make up for that.
    """
    pairs = results.counts.sum(1)
    total = pairs.sum()
    share = (_EXPECTED_PAIRS / (pairs + _EXPECTED_PAIRS))[:, None]
    counts = (1 - share) * results.counts + share * _expect_outcomes(results, likeliest)
    pairing, outcome = np.nonzero(counts)
    shape = max(_LEAST_SHAPE, (total - free_parameters - 1) / total)
    prior = _weigh_prior(results)
    block = max(1, _MOST_NUMBERS // max(counts.size, (results.bots + 1) ** 2))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        spread = chance.chisquare(pairs, (size, len(pairs))) / pairs
        shapes = shape * np.maximum(spread, _LEAST_SPREAD)[:, pairing]
        weights = np.zeros((size, *counts.shape))
        weights[:, pairing, outcome] = chance.standard_gamma(counts[pairing, outcome] * shapes) / shapes
        each = np.broadcast_to(prior, (len(_PRIOR_OUTCOMES), size, len(prior)))
        yield _sum_scores(results, weights, chance.standard_gamma(each) + _FIXED_SHARE * prior)


def _expect_outcomes(results: PairResults, likeliest: Strengths) -> Floats:
    """Distribute the pairs of each pairing as the fit expects: decisive games, which are independent."""
    as_red, as_blue = (
        np.stack([np.ones_like(expected), 1 - expected, np.zeros_like(expected), expected], axis=1)
        for expected in (one[0] for one in expect_scores(results.one, results.two, likeliest))
    )
    likely = (as_red[:, :, None] * as_blue[:, None, :]).reshape(len(results.one), -1)
    expected = np.zeros_like(results.counts)
    for red in (0, 1):
        for blue in (0, 1):
            alike = (red == _RED_PLAYED) & (blue == _BLUE_PLAYED) & (red + blue > 0)
            expected[:, alike] = results.counts[:, alike].sum(1, keepdims=True) * likely[:, alike]
    return expected


def _weigh_prior(results: PairResults) -> Floats:
    """Return the weight of one prior outcome in each pairing: a bot's prior is shared as its games are."""
    played = results.count_games()
    of_bot = np.bincount(results.one, played, results.bots) + np.bincount(results.two, played, results.bots)
    drawn: Floats = _PRIOR * played * (1 / of_bot[results.one] + 1 / of_bot[results.two])
    return drawn / (2 * len(_PRIOR_OUTCOMES))


def _sum_scores(results: PairResults, weights: Floats, prior: Floats) -> Scores:
    """Add up weighted pairs: `weights` samples x pairings x OUTCOMES, `prior` prior outcomes x samples x pairings."""
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

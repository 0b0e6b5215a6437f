"""Samples of the scores of a pool, which show how much chance may have changed its ratings. Bots are numbers here.

The model: each distinct game is evidence once.  A game of a pairing with the expected score p has the variance
v p (1 - p); v is less than 1 if games are drawn.  The two games of a pair have scores with a correlation.  Both numbers
are properties of the pool, estimated from all its games: a pairing has too few to show its own.

A sample is a weighted likelihood: each pairing keeps its number of games, won and lost as the fit expects, with random
weights in place of counts (Newton and Raftery, Journal of the Royal Statistical Society B 56, 1994).  As the expected
scores of a bot add up to those it made, samples are centred on the fit.  For two bots without draws the share won has a
beta distribution, as in the exact interval of a share, so limits are skewed as they should be after a few games.  Each
sample has its own draws and correlation, as likely as the games make them: these take the place of Student's t.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from arbiter.arrays import Floats, Generator, Numbers, np
from arbiter.tournament.ratings.bradley_terry import Scores, Strengths, expect_scores, split_samples
from protocol.words import RED, Seat

_SCORES: Final = (None, 0.0, 0.5, 1.0)
OUTCOMES: Final = tuple((red, blue) for red in _SCORES for blue in _SCORES)  # of a pair: the first bot's scores
_RED: Final = np.array([red or 0.0 for red, _ in OUTCOMES])
_BLUE: Final = np.array([blue or 0.0 for _, blue in OUTCOMES])
_RED_PLAYED: Final = np.array([red is not None for red, _ in OUTCOMES], float)
_BLUE_PLAYED: Final = np.array([blue is not None for _, blue in OUTCOMES], float)
_BOTH_PLAYED: Final = _RED_PLAYED * _BLUE_PLAYED
_DRAWN: Final = np.array([(red == 0.5) + (blue == 0.5) for red, blue in OUTCOMES], float)  # noqa: PLR2004 - a draw

_PRIOR: Final = 0.5  # drawn games added for each bot, shared among its opponents: for two bots the prior of Jeffreys
_PRIOR_OUTCOMES: Final = ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0))  # of pairs of the prior, equally likely
_FIXED_SHARE: Final = 0.1  # share of the prior that is not random, so that every sample can be fitted
_DECISIVE_PRIOR: Final = 2.0  # games without draws, so that a few drawn games do not show that all are
_LEAST_VARIANCE: Final = 0.02  # of a game, relative to one without draws
_CORRELATIONS: Final = np.linspace(-0.98, 0.98, 99)  # that are tried
_CORRELATION_PRIOR: Final = 2.0  # its density is (1 - r^2) to this power


class PairResults(Struct, frozen=True):
    """Pairs of games, counted by pairing and outcome."""

    bots: int
    one: Numbers
    """The first bot of each pairing."""
    two: Numbers
    """The second bot of each pairing."""
    counts: Floats
    """pairings x OUTCOMES"""
    has_drawn_games: bool = True
    """True if the prior is drawn games, which are added for each bot."""

    def has_had(self, bot: int, seat: Seat) -> bool:
        """Return True if a bot has had a colour in a game that counts."""
        as_one, as_two = (_RED_PLAYED, _BLUE_PLAYED) if seat == RED else (_BLUE_PLAYED, _RED_PLAYED)
        return bool((self.counts[self.one == bot] @ as_one).any() or (self.counts[self.two == bot] @ as_two).any())

    def count_surplus(self) -> float:
        """Return how many more games the first bots of the pairings have had as red than as blue."""
        return float((self.counts @ (_RED_PLAYED - _BLUE_PLAYED)).sum())

    def count_games(self) -> Floats:
        """Return the number of games of each pairing."""
        games: Floats = self.counts @ (_RED_PLAYED + _BLUE_PLAYED)
        return games


class Variation(Struct, frozen=True):
    """Variation of the scores of a pool, as its games make it likely: one number for each sample."""

    variance: Floats
    """Variance of a game, relative to one that is never drawn."""
    correlation: Floats
    """Of a bot's scores in the two games of a pair."""


def count_scores(results: PairResults) -> Scores:
    """Count the games as a single sample, without the prior."""
    return _sum_scores(results, results.counts[None, :, :], np.zeros((len(_PRIOR_OUTCOMES), 1, len(results.one))))


def count_drawn_games(results: PairResults) -> float:
    """Return the number of drawn games that the prior adds for each bot."""
    return _PRIOR if results.has_drawn_games else 0.0


def count_pairs_of_games(results: PairResults) -> Floats:
    """Count the complete pairs of games of each pairing."""
    pairs: Floats = results.counts @ _BOTH_PLAYED
    return pairs


def count_with_prior(results: PairResults) -> Scores:
    """Count the games and the prior as a single sample."""
    prior = np.broadcast_to(_weigh_prior(results), (len(_PRIOR_OUTCOMES), 1, len(results.one)))
    return _sum_scores(results, results.counts[None, :, :], prior)


def draw_variation(
    results: PairResults, likeliest: Strengths, free_strengths: float, chance: Generator, draws: int
) -> Variation:
    """Draw the variance and the correlation of games, as likely as the games make them.

    `likeliest` is the fit to the games, which was free to choose so many strengths.
    """
    counts = results.counts
    as_red, as_blue = (one[0] for one in expect_scores(results.one, results.two, likeliest))
    red_variance, blue_variance = as_red * (1 - as_red), as_blue * (1 - as_blue)
    # A drawn game has the variance of one half of a game won and lost: p (1 - p) - 1/4 on average.
    most = 4 * float((counts @ _RED_PLAYED) @ red_variance + (counts @ _BLUE_PLAYED) @ blue_variance)
    drawn = min(float((counts @ _DRAWN).sum()), most)
    variance = chance.beta(most - drawn + _DECISIVE_PRIOR, drawn + 1e-9, draws)
    variance = np.maximum(variance, _LEAST_VARIANCE)

    paired = counts * _BOTH_PLAYED
    pairs = float(paired.sum())
    red = (_RED[None, :] - as_red[:, None]) / np.sqrt(red_variance)[:, None]
    blue = (_BLUE[None, :] - as_blue[:, None]) / np.sqrt(blue_variance)[:, None]
    scale = max((most - drawn + _DECISIVE_PRIOR) / (most + _DECISIVE_PRIOR), _LEAST_VARIANCE)
    together = float((paired * (red + blue) ** 2).sum()) / (2 * scale)
    apart = float((paired * (red - blue) ** 2).sum()) / (2 * scale)
    logarithm = (
        _CORRELATION_PRIOR * np.log(1 - _CORRELATIONS**2)
        - max(0.0, pairs - free_strengths) / 2 * np.log(1 + _CORRELATIONS)
        - together / (2 * (1 + _CORRELATIONS))
        - max(0.0, pairs - 1) / 2 * np.log(1 - _CORRELATIONS)
        - apart / (2 * (1 - _CORRELATIONS))
    )
    likelihood = np.exp(logarithm - logarithm.max())
    return Variation(variance, chance.choice(_CORRELATIONS, draws, p=likelihood / likelihood.sum()))


def draw_samples(
    results: PairResults, likeliest: Strengths, variation: Variation, chance: Generator
) -> Iterator[Scores]:
    """Yield a sample for each number of `variation`, in blocks of limited memory.

    `likeliest` is the fit to the games and the prior.
    """
    as_red, as_blue = (one[0] for one in expect_scores(results.one, results.two, likeliest))
    pairs = count_pairs_of_games(results)
    singles = [results.counts @ played - pairs for played in (_RED_PLAYED, _BLUE_PLAYED)]
    prior = _weigh_prior(results)
    for some in _split(results, len(variation.variance)):
        variance = variation.variance[some, None]
        size = len(variance)

        def weigh(games: Floats, variance: Floats = variance) -> Floats:
            weights: Floats = variance * chance.standard_gamma(games / variance)
            return weights

        both = _join(as_red, as_blue, variation.correlation[some, None])
        won_both, won_red, won_blue, lost_both = (weigh(pairs * share) for share in both)
        scores = [won_both + won_red, won_both + won_blue]
        games = [won_both + won_red + won_blue + lost_both] * 2
        for seat, (single, expected) in enumerate(zip(singles, (as_red, as_blue), strict=True)):
            if single.any():
                won, lost = (np.broadcast_to(single * share, (size, len(single))) for share in (expected, 1 - expected))
                won, lost = weigh(won), weigh(lost)
                scores[seat] = scores[seat] + won
                games[seat] = games[seat] + won + lost
        each = np.broadcast_to(prior, (len(_PRIOR_OUTCOMES), size, len(prior)))
        more = chance.standard_gamma(each * (1 - _FIXED_SHARE)) + _FIXED_SHARE * prior
        sample = Scores(results.bots, results.one, results.two, games[0], scores[0], games[1], scores[1])
        yield _add_prior(sample, more)


def _split(results: PairResults, samples: int) -> Iterator[slice]:
    return split_samples(samples, max(results.counts.size, (results.bots + 1) ** 2))


def _join(as_red: Floats, as_blue: Floats, correlation: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the shares of pairs won twice, as red alone, as blue alone and not at all, with a correlation."""
    lost_red, lost_blue = 1 - as_red, 1 - as_blue
    covariance = correlation * np.sqrt(as_red * lost_red * as_blue * lost_blue)
    covariance = np.clip(
        covariance,
        -np.minimum(as_red * as_blue, lost_red * lost_blue),
        np.minimum(as_red * lost_blue, lost_red * as_blue),
    )
    return (
        as_red * as_blue + covariance,
        as_red * lost_blue - covariance,
        lost_red * as_blue - covariance,
        lost_red * lost_blue + covariance,
    )


# --- parametric bootstrap -------------------------------------------------------------------------


def draw_pools(
    results: PairResults, likeliest: Strengths, correlation: float, chance: Generator, draws: int
) -> Iterator[tuple[Scores, Scores]]:
    """Yield the scores of pools that are drawn as if the fit were true, without and with the prior, in blocks.

    They have the same pairings, the same share of draws and a correlation of the two games of a pair.
    """
    expected = [one[0] for one in expect_scores(results.one, results.two, likeliest)]
    played = [results.counts @ one for one in (_RED_PLAYED, _BLUE_PLAYED)]
    pairs = count_pairs_of_games(results)
    closeness = sum(float(games @ np.minimum(one, 1 - one)) for games, one in zip(played, expected, strict=True))
    drawn = min(1.0, float((results.counts @ _DRAWN).sum()) / max(2 * closeness, 1.0))
    # Shares of games with a score of at least 1, 1/2 and 0, after nothing: pairings x 4.
    margins = [drawn * np.minimum(one, 1 - one) for one in expected]
    levels = [
        np.stack([np.zeros_like(one), one - margin, one + margin, np.ones_like(one)], axis=1)
        for one, margin in zip(expected, margins, strict=True)
    ]
    red, blue = levels[0][:, :, None], levels[1][:, None, :]
    tied = np.minimum(red, blue) if correlation > 0 else np.maximum(0.0, red + blue - 1)
    both = abs(correlation) * tied + (1 - abs(correlation)) * red * blue
    joint = np.diff(np.diff(both, axis=1), axis=2)[:, ::-1, ::-1]  # of scores 0, 1/2 and 1
    alone = [np.diff(one, axis=1)[:, ::-1] for one in levels]
    prior = _weigh_prior(results)
    for some in _split(results, draws):
        size = some.stop - some.start
        counts = np.zeros((size, len(pairs), len(_SCORES), len(_SCORES)))
        counts[:, :, 1:, 1:] = _draw_counts(pairs, joint.reshape(len(pairs), -1), chance, size).reshape(
            size, len(pairs), *joint.shape[1:]
        )
        counts[:, :, 1:, 0] = _draw_counts(played[0] - pairs, alone[0], chance, size)
        counts[:, :, 0, 1:] = _draw_counts(played[1] - pairs, alone[1], chance, size)
        weights = counts.reshape(size, len(pairs), -1)
        none = np.zeros((len(_PRIOR_OUTCOMES), size, len(prior)))
        yield _sum_scores(results, weights, none), _sum_scores(results, weights, none + prior)


def _draw_counts(games: Floats, shares: Floats, chance: Generator, size: int) -> Floats:
    """Draw the numbers of games with each result: size x pairings x results."""
    likely = np.maximum(shares, 0.0)
    likely /= likely.sum(1, keepdims=True)
    counts: Floats = chance.multinomial(np.round(games).astype(int), likely, (size, len(games))).astype(float)
    return counts


# --- scores ---------------------------------------------------------------------------------------


def _weigh_prior(results: PairResults) -> Floats:
    """Return the weight of one prior outcome in each pairing: a bot's prior is shared as its games are."""
    played = results.count_games()
    of_bot = np.bincount(results.one, played, results.bots) + np.bincount(results.two, played, results.bots)
    drawn: Floats = count_drawn_games(results) * played * (1 / of_bot[results.one] + 1 / of_bot[results.two])
    return drawn / (2 * len(_PRIOR_OUTCOMES))


def _add_prior(scores: Scores, prior: Floats) -> Scores:
    """Add pairs of the prior to scores: prior outcomes x samples x pairings."""
    red, blue = (np.tensordot(score, prior, 1) for score in np.transpose(_PRIOR_OUTCOMES))
    games = prior.sum(0)
    return Scores(
        scores.bots,
        scores.one,
        scores.two,
        red_games=scores.red_games + games,
        red_score=scores.red_score + red,
        blue_games=scores.blue_games + games,
        blue_score=scores.blue_score + blue,
    )


def _sum_scores(results: PairResults, weights: Floats, prior: Floats) -> Scores:
    """Add up weighted pairs: `weights` samples x pairings x OUTCOMES, `prior` prior outcomes x samples x pairings."""
    counted = Scores(
        results.bots,
        results.one,
        results.two,
        red_games=weights @ _RED_PLAYED,
        red_score=weights @ _RED,
        blue_games=weights @ _BLUE_PLAYED,
        blue_score=weights @ _BLUE,
    )
    return _add_prior(counted, prior)

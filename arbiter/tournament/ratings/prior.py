"""A normal prior of strengths, in place of drawn games. Bots are numbers here.

It is the default for three bots and more.  After a few games of each pairing, a fit that knows nothing of strengths
spreads ratings too far, most of all if pairings follow results, as in a Swiss tournament; samples of a posterior do not
depend on how pairings were chosen.

The likelihood is that of games won and lost, a draw being half of each, to the power of 1 / dispersion: the variance of
scores relative to that of independent games without draws (quasi-likelihood: Wedderburn, Biometrika 61, 1974).
So games with many draws, whose scores vary less, have more weight against the prior.

Samples of the posterior are fits to scores and to means of the prior that are both drawn (Bardsley, Solonen, Haario and
Laine, "Randomize-then-optimize", SIAM Journal on Scientific Computing 36, 2014), centred on the most likely strengths.
"""

from typing import Final

from msgspec import Struct

from arbiter.arrays import Floats, Generator, Numbers, np
from arbiter.tournament.ratings.bootstrap import PairResults, Variation, count_pairs_of_games, count_scores
from arbiter.tournament.ratings.bradley_terry import (
    Penalty,
    Scores,
    Strengths,
    find_information,
    find_likelihood,
    fit,
    split_samples,
)

_ADVANTAGE_SPREAD: Final = 200 * np.log(10) / 400  # of red's advantage: 200 Elo
# The square of the spread has a scaled beta2 distribution (Perez, Pericchi and Ramirez, "The scaled beta2 distribution
# as a robust prior for scales", Bayesian Analysis 12, 2017), with parameters 3/2 and 1 and this scale: half of it is
# above about 180 Elo.  Spreads near 0 are unlikely, so that intervals are not too narrow if a few bots have equal
# scores by chance.
_SCALE: Final = 140 * np.log(10) / 400
_SPREADS: Final = np.geomspace(5, 2000, 60) * np.log(10) / 400  # that are tried
_WEIGHTS: Final = 20
_LEAST_DISPERSION: Final = 0.02
_QUANTILES: Final = (0.5, 0.025, 0.975)


class SpreadPosterior(Struct, frozen=True):
    """Spreads of a normal prior in natural units, and their likelihood."""

    spreads: Floats
    likelihood: Floats
    """Adds up to 1."""

    def find_quantiles(self) -> tuple[float, float, float]:
        """Return the median and the limits of the 95 % interval."""
        if len(self.spreads) == 1:
            return (float(self.spreads[0]),) * 3
        middle = np.cumsum(self.likelihood) - self.likelihood / 2
        median, low, high = np.exp(np.interp(_QUANTILES, middle, np.log(self.spreads))).tolist()
        return median, low, high


def find_dispersion(results: PairResults, variation: Variation) -> tuple[Floats, Floats]:
    """Return the dispersion of scores for differences between bots, and for red's advantage: one for each sample."""
    paired = 2 * float(count_pairs_of_games(results).sum()) / float(results.count_games().sum())
    bots, advantage = (
        np.maximum(variation.variance * (1 + side * variation.correlation * paired), _LEAST_DISPERSION)
        for side in (1, -1)
    )
    return bots, advantage


def make_penalty(spread: Floats, dispersion: tuple[Floats, Floats], centre: Floats) -> Penalty:
    """Make the penalty of a spread and a dispersion for each sample; `centre` is samples (or 1) x (bots + 1)."""
    weight = np.repeat((dispersion[0] / spread**2)[:, None], centre.shape[1], axis=1)
    weight[:, -1] = dispersion[1] / _ADVANTAGE_SPREAD**2
    return Penalty(weight, centre)


def make_likeliest_penalty(results: PairResults, variation: Variation, spreads: Floats) -> Penalty:
    """Make the penalty of the most likely ratings with each of the spreads: that of the mean variation."""
    mean = Variation(variation.variance.mean(keepdims=True), variation.correlation.mean(keepdims=True))
    return make_penalty(spreads, find_dispersion(results, mean), np.zeros((1, results.bots + 1)))


def make_first_penalty(results: PairResults, spread: float | None) -> Penalty:
    """Make the penalty of a fit before the variation of scores is known: games are independent and never drawn.

    `spread` is the given one, or None if it is to be estimated.
    """
    decisive = Variation(np.ones(1), np.zeros(1))
    return make_likeliest_penalty(results, decisive, np.array([_SCALE if spread is None else spread]))


def count_free_strengths(scores: Scores, strengths: Strengths, groups: Numbers, penalty: Penalty) -> float:
    """Return the effective number of strengths that a fit with a penalty is free to choose.

    It is the trace of the matrix that turns scores into fitted ones, as in ridge regression (Hastie, Tibshirani and
    Friedman, The Elements of Statistical Learning, 3.4.1).  Without a penalty, it is one less than the bots of a group.
    """
    information = find_information(scores, strengths, groups, penalty, with_advantage=False)[0]
    weight, sizes = float(penalty.weight[0, 0]), np.bincount(groups)
    # Without the direction of each group's mean, which is fixed.
    inverse = float(np.trace(np.linalg.inv(information)[:-1, :-1]) - (1 / (sizes + weight)).sum())
    return len(groups) - len(sizes) - weight * inverse


def weigh_spreads(
    results: PairResults, groups: Numbers, variation: Variation, spread: float | None, *, with_advantage: bool
) -> SpreadPosterior:
    """Find how likely spreads are, by Laplace's approximation of the marginal likelihood of the scores.

    If `spread` is not None, it is the only one.
    """
    spreads = _SPREADS if spread is None else np.array([spread])
    scores = count_scores(results)
    sizes = np.bincount(groups)
    free = len(groups) - len(sizes)
    dispersion = float(find_dispersion(results, variation)[0].mean())
    logarithm = np.zeros(len(spreads))
    for some in split_samples(len(spreads), len(groups) ** 2):
        penalty = make_likeliest_penalty(results, variation, spreads[some])
        best = fit(scores, groups, with_advantage=with_advantage, penalty=penalty)
        information = find_information(scores, best, groups, penalty, with_advantage=with_advantage)
        # Without the direction of each group's mean, which is fixed.
        determinant = np.linalg.slogdet(information)[1] - np.log(sizes + penalty.weight[:, :1]).sum(1)
        found = np.concatenate([best.bots, best.advantage[:, None]], axis=1)
        penalised = find_likelihood(scores, best) - (penalty.weight * found**2).sum(1) / 2
        logarithm[some] = penalised / dispersion - free * np.log(spreads[some]) - determinant / 2
    # The density of the spread, and the distance of those that are tried, which grows with them.
    logarithm += 3 * np.log(spreads) - 2.5 * np.log1p((spreads / _SCALE) ** 2)
    likelihood = np.exp(logarithm - logarithm.max())
    return SpreadPosterior(spreads, likelihood / likelihood.sum())


def find_shifts(
    scores: Scores, groups: Numbers, penalties: Penalty, likeliest: Strengths, *, with_advantage: bool
) -> Floats:
    """Return by how much the most likely strengths with the weight of each penalty differ from `likeliest`.

    The centres of the penalties do not count.  Returns samples x bots; values between a few weights are interpolated.
    """
    weights = np.log(penalties.weight[:, 0])
    tried = np.linspace(weights.min(), weights.max(), _WEIGHTS)
    found = np.zeros((_WEIGHTS, len(groups)))
    for some in split_samples(_WEIGHTS, len(groups) ** 2):
        weight = np.repeat(np.exp(tried[some, None]), len(groups) + 1, axis=1)
        weight[:, -1] = penalties.weight[:, -1].mean()
        near = likeliest if with_advantage else None
        best = fit(scores, groups, with_advantage=with_advantage, near=near, penalty=Penalty(weight, 0 * weight))
        found[some] = best.bots - likeliest.bots
    return np.stack([np.interp(weights, tried, each) for each in found.T], axis=1)


def draw_penalty(
    results: PairResults, groups: Numbers, spreads: Floats, variation: Variation, chance: Generator
) -> Penalty:
    """Draw the penalty of each sample: with its own spread, dispersion, and means of the prior around 0."""
    draws = len(spreads)
    centre = chance.standard_normal((draws, len(groups) + 1))
    centre[:, :-1] *= spreads[:, None]
    centre[:, -1] *= _ADVANTAGE_SPREAD
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        centre[:, members] -= centre[:, members].mean(1, keepdims=True)
    return make_penalty(spreads, find_dispersion(results, variation), centre)

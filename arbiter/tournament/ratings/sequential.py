"""Sequential tests in advance and afterwards: the expected number of games, and the effect of an early stop."""

from collections.abc import Sequence
from statistics import NormalDist
from typing import Final

from msgspec import Struct

from arbiter.arrays import Booleans, Floats, Numbers, np
from arbiter.games.chance import derive_seed
from arbiter.tournament.ratings.pairs import Pentanomial
from arbiter.tournament.ratings.sprt import NORMALIZED_ELO, Model, Sprt, SprtRun, to_elo
from arbiter.tournament.ratings.values import Estimate, Forecast
from arbiter.tournament.ratings.walk import (
    NOTHING,
    QUARTERS,
    STEPS,
    WIDEST_TILT,
    Walk,
    find_tilt,
    follow,
    measure_walk,
    smooth,
    tabulate_ratios,
    tilt_shares,
)

_RANGE: Final = (0.05, 0.95)  # shares of tests that are shorter than the limits of a forecast
_MOST_DRIFT: Final = 9.0  # from the middle, in halves of the distance of `elo0` and `elo1`
_DRIFTS: Final = 37
_HALF_DRAWN: Final = (1_000, 4_000, 6_000, 4_000, 1_000)  # pairs of equal bots that draw half of their games

_NORMAL: Final = NormalDist()
_LEAST_FREEDOM: Final = 3  # degrees; the spread of fewer pairs says little
_TILTS: Final = 65  # distributions that are tried at once
_INNER_TILTS: Final = 9  # between two of them, for each limit
_ROUNDS: Final = 3


class _Results(Struct, frozen=True):
    """Results of a test that are at least as high as one of them, and how likely they are for a distribution."""

    base: Floats
    """The distribution of pair scores."""
    pairs: Numbers
    """Pairs until each result."""
    scores: Numbers
    logarithm: Floats
    """Logarithm of the probability of each."""
    is_equal: Booleans
    """True for the one that the others are higher than."""

    def weigh(self, tilts: Floats) -> tuple[Floats, Floats]:
        """Return the probabilities of a higher and of an equal result if the distribution is tilted (tilts).

        A tilt changes the probability of all walks with the same number of pairs and the same score by the same factor.
        """
        normalisation = np.log(np.exp(tilts[:, None] * (STEPS - QUARTERS / 2)) @ self.base)
        centred = self.scores - QUARTERS / 2 * self.pairs
        higher, equal = np.zeros(len(tilts)), np.zeros(len(tilts))
        for place, (tilt, factor) in enumerate(zip(tilts.tolist(), normalisation.tolist(), strict=True)):
            likely = np.exp(self.logarithm + tilt * centred - factor * self.pairs)
            higher[place], equal[place] = likely[~self.is_equal].sum(), likely[self.is_equal].sum()
        return higher, equal


class Correction(Struct, frozen=True):
    """Median-unbiased estimate after a sequential test, as distributions of pair scores.

    A distribution is None if no limit follows from the games, for example because one bot has won all of them.
    """

    low: Sequence[float] | None
    best: Sequence[float] | None
    high: Sequence[float] | None
    superiority: float
    """Likelihood that the first bot is stronger."""

    def correct(self, plain: Estimate, model: Model) -> Estimate:
        """Correct an estimate that ignores the early stop; it keeps the numbers for which there is no limit."""
        elo = plain.elo if self.best is None else to_elo(self.best, model)
        low = plain.low if self.low is None else to_elo(self.low, model)
        high = plain.high if self.high is None else to_elo(self.high, model)
        return Estimate(elo, min(elo, low), max(elo, high))


def forecast(sprt: Sprt, most_pairs: int, counts: Pentanomial) -> list[Forecast]:
    """Compute how long a test takes at `elo0`, halfway, and at `elo1`.

    `counts` are pairs of these bots; without any, no game is drawn and the games of a pair are independent, and the
    range of each forecast allows for up to half of the games drawn.
    """
    differences = [sprt.elo0, (sprt.elo0 + sprt.elo1) / 2, sprt.elo1]
    usual = _walk_from(sprt, smooth(counts), differences, most_pairs)
    shortest = usual if any(counts) else _walk_from(sprt, smooth(_HALF_DRAWN), differences, most_pairs)
    return [
        Forecast(
            elo,
            float(usual.expected[place]),
            _find_length(shortest.ended[:, place], _RANGE[0]),
            _find_length(usual.ended[:, place], _RANGE[1]),
            float(usual.undecided[place]),
        )
        for place, elo in enumerate(differences)
    ]


def expect_pairs_left(run: SprtRun, most_pairs: int) -> float:
    """Return how many more pairs a test in progress is expected to take, at most so many.

    The log-likelihood ratio is taken for a Brownian motion without a drift if the true difference is halfway between
    `elo0` and `elo1`.  Before the first pair, all differences around that are equally likely.
    """
    if run.is_over:
        return 0.0
    sprt, shares = run.sprt, smooth(run.counts)
    mean = float(shares @ STEPS) / QUARTERS
    deviation = float(np.sqrt(shares @ (STEPS / QUARTERS - mean) ** 2))
    if sprt.model == "normalized":
        distance = (sprt.elo1 - sprt.elo0) * np.sqrt(2) / NORMALIZED_ELO
    else:
        distance = (1 / (1 + 10 ** (-sprt.elo1 / 400)) - 1 / (1 + 10 ** (-sprt.elo0 / 400))) / deviation
    variance = float(distance**2)  # of the ratio, for each pair
    drifts = np.linspace(-_MOST_DRIFT, _MOST_DRIFT, _DRIFTS) * variance / 2
    likelihood = (drifts * run.llr - drifts**2 * sum(run.counts) / 2) / variance
    weights = np.exp(likelihood - likelihood.max())
    left = [_expect_exit(run.llr - sprt.lower, sprt.upper - run.llr, float(drift), variance) for drift in drifts]
    return float(np.minimum(left, most_pairs) @ weights / weights.sum())


def _expect_exit(below: float, above: float, drift: float, variance: float) -> float:
    """Return the expected time after which a Brownian motion is so far below or above its start."""
    if drift < 0:
        return _expect_exit(above, below, -drift, variance)
    rate = 2 * drift / variance
    if rate * (below + above) < NOTHING:
        return below * above / variance
    share_above = np.expm1(-rate * below) / np.expm1(-rate * (below + above))
    return float((share_above * (below + above) - below) / drift)


def _walk_from(sprt: Sprt, base: Floats, differences: Sequence[float], most_pairs: int) -> Walk:
    """Follow tests with these true differences and the draws of a distribution of pair scores."""
    shares = tilt_shares(base, np.array([find_tilt(base, elo, sprt) for elo in differences]))
    return measure_walk(sprt, tabulate_ratios(sprt, base), shares, most_pairs)


def _find_length(ended: Floats, share: float) -> int:
    """Return the number of pairs after which this share of tests has ended, or the maximum."""
    return min(int(np.searchsorted(ended, share)) + 1, len(ended))


def correct_for_stop(sprt: Sprt, counts: Pentanomial) -> Correction:
    """Estimate the difference from the pairs up to its stop or to its last pair.

    Results of a test are ordered: an earlier acceptance of H1 shows more than a later one, and that more than none, as
    with stagewise ordering in clinical trials (Jennison and Turnbull, Group Sequential Methods, 8.4).  The estimate is
    the difference at which half of all tests have a higher result, the limits those at which few are so high or low.
    """
    base = smooth(counts)
    results = _list_results(sprt, base, counts)
    brackets: list[tuple[float, float] | None] = [(-WIDEST_TILT, WIDEST_TILT)] * 3
    tail = _find_tail(sum(counts))
    # Shares of tests with a higher result, and the part of equal results among them: low limit, estimate, high limit.
    targets = ((tail, 1.0), (0.5, 0.5), (1 - tail, 0.0))
    tilts = np.linspace(-WIDEST_TILT, WIDEST_TILT, _TILTS)
    found: list[float | None] = []
    for _ in range(_ROUNDS):
        higher, equal = results.weigh(tilts)
        found = []
        for number, (share, part_of_equal) in enumerate(targets):
            values = np.maximum.accumulate(higher + part_of_equal * equal)
            place = int(np.searchsorted(values, share))
            if brackets[number] is None or place in {0, len(tilts)}:
                brackets[number] = None
                found.append(None)
                continue
            start, end = float(tilts[place - 1]), float(tilts[place])
            brackets[number] = start, end
            rise = values[place] - values[place - 1]
            found.append(start + (end - start) * float((share - values[place - 1]) / rise))
        inner = [np.linspace(*bracket, _INNER_TILTS) for bracket in brackets if bracket is not None]
        tilts = np.unique(np.concatenate(inner)) if inner else tilts
    low, best, high = (None if tilt is None else tilt_shares(base, np.array([tilt]))[0].tolist() for tilt in found)
    higher, equal = results.weigh(np.array([find_tilt(base, 0.0, sprt)]))
    return Correction(low, best, high, superiority=float(1 - higher[0] - equal[0] / 2))


def _find_tail(pairs: int) -> float:
    """Return the share of tests beyond each limit: 2.5 %, or less after a few pairs, which show little of their spread.

    It is the share of a normal distribution beyond the quantile of Student's t (Abramowitz and Stegun, 26.7.5).
    """
    freedom = max(_LEAST_FREEDOM, pairs - 1)
    z = _NORMAL.inv_cdf(0.975)
    return _NORMAL.cdf(-(z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)))


def _list_results(sprt: Sprt, base: Floats, counts: Pentanomial) -> _Results:
    """List the results of a test that are at least as high as one that ended with these counts."""
    pairs = sum(counts)
    score = sum(count * quarters for quarters, count in enumerate(counts))
    walk = enumerate(follow(sprt, tabulate_ratios(sprt, base), base[None, :], pairs), start=1)
    found = []
    for pair, (scores, shares, ratios) in walk:
        is_listed = (scores >= score if pair == pairs else ratios >= sprt.upper) & (shares[0] > 0)
        found.append((np.full(is_listed.sum(), pair), scores[is_listed], np.log(shares[0, is_listed])))
    pairs_until, scores, logarithm = (np.concatenate(one) for one in zip(*found, strict=True))
    return _Results(base, pairs_until, scores, logarithm, (pairs_until == pairs) & (scores == score))


# --- normalized Elo of a match --------------------------------------------------------------------


_DRAWS: Final = 1000
_LEAST_SPREAD: Final = 0.05
_TAILS: Final = (0.025, 0.975)
_LEAST_COUNT: Final = 0.01  # pairs of each score in a sample: without any spread, the value would be infinite


def estimate_normalized(counts: Pentanomial, seed: int) -> Estimate | None:
    """Estimate normalized Elo, with an interval by a bootstrap as for ratings; None before the first pair."""
    pairs = sum(counts)
    if not pairs:
        return None
    base = smooth(counts)
    chance = np.random.default_rng(derive_seed(seed, "normalized"))
    spread = np.maximum(chance.chisquare(pairs, (_DRAWS, 1)) / pairs, _LEAST_SPREAD)
    weights = chance.standard_gamma(base * (pairs * spread)) + np.finfo(float).tiny
    drawn = np.maximum(weights / weights.sum(1, keepdims=True), _LEAST_COUNT / pairs)
    samples = [to_elo(shares.tolist(), "normalized") for shares in drawn / drawn.sum(1, keepdims=True)]
    elo = to_elo(base.tolist(), "normalized")
    low, high = np.quantile(samples, _TAILS)
    return Estimate(elo, min(elo, float(low)), max(elo, float(high)))

"""Bradley-Terry model fitted by maximum likelihood, to many samples at once. Bots are numbers here.

A bot of strength x scores 1 / (1 + e^(y - x - a)) on average as red against one of strength y, a being the advantage
of having red (Bradley and Terry, Biometrika 39, 1952; the advantage as in Agresti, Categorical Data Analysis, 10.6).
A draw is half a game won and half a game lost.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from arbiter.arrays import Floats, Generator, Numbers, np
from protocol.words import RED, Seat

_LONGEST_STEP: Final = 1.0  # with longer steps Newton's method may not converge
_CLOSE: Final = 1e-4  # as convergence is quadratic, the step after this one is about 1e-8
_MOST_STEPS: Final = 200


class Scores(Struct, frozen=True):
    """Games of pairings with each colour. Arrays have the shape samples x pairings unless noted."""

    bots: int
    one: Numbers
    """The first bot of each pairing (pairings)."""
    two: Numbers
    """The second bot of each pairing (pairings)."""
    red_games: Floats
    """Games of the first bot as red."""
    red_score: Floats
    """Score of the first bot as red."""
    blue_games: Floats
    blue_score: Floats


class Strengths(Struct, frozen=True):
    """A fit, in natural units."""

    bots: Floats
    """samples x bots"""
    advantage: Floats
    """Red's advantage (samples)."""


def fit(scores: Scores, groups: Numbers, *, with_advantage: bool, near: Strengths | None = None) -> Strengths:
    """Fit strengths, with mean 0 in each group, and red's advantage if `with_advantage`, else 0.

    `groups` is the number of each bot's group; no games connect two groups.  The search starts at `near`.
    Every bot must have won and lost a share of a game, at least in a prior.
    """
    samples = len(scores.red_games)
    found = np.zeros((samples, scores.bots + 1))
    if near is not None:
        found[:, :-1] = near.bots
        found[:, -1] = near.advantage
    same_group = (groups[:, None] == groups[None, :]).astype(float)
    for _ in range(_MOST_STEPS):
        gradient, hessian = _differentiate(scores, found, same_group, with_advantage=with_advantage)
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        found += step * (_LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
        if longest.max() < _CLOSE:
            break
    return Strengths(found[:, :-1], found[:, -1])


def _differentiate(scores: Scores, found: Floats, same_group: Floats, *, with_advantage: bool) -> tuple[Floats, Floats]:
    """Return the gradient of the log-likelihood (samples x parameters) and its negative Hessian.

    The parameters are the bots' strengths and the advantage.  `same_group` is added to the Hessian so that it can be
    inverted: it holds the mean of each group at 0.
    """
    one = scores.one
    two = scores.two
    bots = scores.bots
    first = _Grouping(one, bots)
    second = _Grouping(two, bots)
    ahead = found[:, one] - found[:, two]
    advantage = found[:, bots:]
    red, red_weight = _compute_residual(scores.red_games, scores.red_score, ahead + advantage)
    blue, blue_weight = _compute_residual(scores.blue_games, scores.blue_score, ahead - advantage)
    gradient = np.zeros((len(found), bots + 1))
    hessian = np.zeros((len(found), bots + 1, bots + 1))
    gradient[:, :bots] = first.sum(red + blue) - second.sum(red + blue)
    hessian[:, one, two] = hessian[:, two, one] = -(red_weight + blue_weight)
    each = np.arange(bots)
    hessian[:, each, each] = -hessian.sum(2)[:, :bots]
    hessian[:, :bots, :bots] += same_group
    hessian[:, bots, bots] = 1.0
    if with_advantage:
        gradient[:, bots] = (red - blue).sum(1)
        difference = red_weight - blue_weight
        hessian[:, bots, :bots] = hessian[:, :bots, bots] = first.sum(difference) - second.sum(difference)
        hessian[:, bots, bots] = (red_weight + blue_weight).sum(1)
    return gradient, hessian


class _Grouping:
    """The pairings of each bot that is their first, or their second bot."""

    def __init__(self, bot: Numbers, bots: int) -> None:
        """Group the pairings by `bot`, the number of a bot in each pairing."""
        self._order = np.argsort(bot, kind="stable")
        self._present, self._starts = np.unique(bot[self._order], return_index=True)
        self._bots = bots

    def sum(self, values: Floats) -> Floats:
        """Add up values (samples x pairings) by bot (samples x bots)."""
        total = np.zeros((len(values), self._bots))
        total[:, self._present] = np.add.reduceat(values[:, self._order], self._starts, axis=1)
        return total


def _compute_residual(games: Floats, score: Floats, ahead: Floats) -> tuple[Floats, Floats]:
    """Return the difference between scores and expected scores, and its Fisher information."""
    expected = 1.0 / (1.0 + np.exp(-ahead))
    return score - games * expected, games * expected * (1.0 - expected)


def expect_scores(one: Numbers, two: Numbers, strengths: Strengths) -> tuple[Floats, Floats]:
    """Return the expected score of the first bot of each pairing as red and as blue: samples x pairings."""
    ahead = strengths.bots[:, one] - strengths.bots[:, two]
    advantage = strengths.advantage[:, None]
    return 1.0 / (1.0 + np.exp(-ahead - advantage)), 1.0 / (1.0 + np.exp(-ahead + advantage))


def fit_performance(scores: Scores, strength: Floats, seat: Seat, near: Floats) -> Floats:
    """Fit each bot's strength (samples x bots) to its games with one colour, with the opponents' strengths fixed.

    Red's advantage is not removed: it is part of a bot's performance with a colour.  The search starts at `near`.
    """
    one = _Grouping(scores.one, scores.bots)
    two = _Grouping(scores.two, scores.bots)
    sides = [(scores.red_games, scores.red_score), (scores.blue_games, scores.blue_score)]
    (games, score), (others_games, others_score) = sides if seat == RED else reversed(sides)
    found = near.copy()
    for _ in range(_MOST_STEPS):
        ahead = found[:, scores.one] - strength[:, scores.two]
        behind = found[:, scores.two] - strength[:, scores.one]
        first, first_weight = _compute_residual(games, score, ahead)
        second, second_weight = _compute_residual(others_games, others_games - others_score, behind)
        weight = one.sum(first_weight) + two.sum(second_weight)
        gradient = one.sum(first) + two.sum(second)
        step = np.clip(gradient / np.maximum(weight, 1e-300), -_LONGEST_STEP, _LONGEST_STEP)
        found += step
        if np.abs(step).max(initial=0.0) < _CLOSE:
            break
    return found


# --- bootstrap ------------------------------------------------------------------------------------

# Bayesian bootstrap of pairs of games: samples that show how much chance may have changed a tournament.
#
# In each sample every pair of games has a random weight instead of a random number of copies (Rubin, Annals of
# Statistics 9, 1981), so no sample loses the games that connect the bots of a tournament.  The prior, as many games won
# as lost with each colour, has random weights too: the interval of a bot that never lost shows how little a few games
# prove.
#
# A few pairs of a pairing show less of their spread than there is.  So each pairing has one more pair with the results
# that the fit expects, and its weights vary as much as an estimate from so many pairs does: as for Student's t, the
# intervals after a few games are wider.


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

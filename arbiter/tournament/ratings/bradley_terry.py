"""Bradley-Terry model fitted by maximum likelihood, to many samples at once. Bots are numbers here.

A bot of strength x scores 1 / (1 + e^(y - x - a)) on average as red against one of strength y, a being the advantage
of having red (Bradley and Terry, Biometrika 39, 1952; the advantage as in Agresti, Categorical Data Analysis, 10.6).
A draw is half a game won and half a game lost.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from arbiter.arrays import Floats, Numbers, np
from protocol.words import RED, Seat

_LONGEST_STEP: Final = 1.0  # with longer steps Newton's method may not converge
_CLOSE: Final = 1e-4  # as convergence is quadratic, the step after this one is about 1e-8
_MOST_STEPS: Final = 200
_MOST_NUMBERS: Final = 4_000_000  # in an array, to limit the memory


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


class Penalty(Struct, frozen=True):
    """A normal prior of each strength and of red's advantage, in natural units.

    Arrays have the shape samples x (bots + 1), the advantage last; one sample stands for any number.
    """

    weight: Floats
    """Precision of the prior, times the dispersion of scores."""
    centre: Floats
    """Mean of the prior; that of the bots of a group is 0."""


def fit(
    scores: Scores,
    groups: Numbers,
    *,
    with_advantage: bool,
    near: Strengths | None = None,
    penalty: Penalty | None = None,
) -> Strengths:
    """Fit strengths, with mean 0 in each group, and red's advantage if `with_advantage`.

    `groups` is the number of each bot's group; no games connect two groups.  The search starts at `near`; an advantage
    that is not fitted keeps its value there.  Default: 0.
    One sample of scores may be fitted with many penalties.
    Without a penalty every bot must have won and lost a share of a game, at least in a prior.
    """
    samples = max(len(scores.red_games), 0 if penalty is None else len(penalty.weight))
    found = np.zeros((samples, scores.bots + 1))
    if near is not None:
        found[:, :-1] = near.bots
        found[:, -1] = near.advantage
    pairings = _Pairings(scores, groups)
    for _ in range(_MOST_STEPS):
        gradient, hessian = _differentiate(scores, pairings, found, penalty, with_advantage=with_advantage)
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        found += step * (_LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
        if longest.max() < _CLOSE:
            break
    return Strengths(found[:, :-1], found[:, -1])


def find_information(
    scores: Scores, strengths: Strengths, groups: Numbers, penalty: Penalty | None = None, *, with_advantage: bool
) -> Floats:
    """Return the information of fits if games were independent and never drawn: samples x (bots + 1) x (bots + 1).

    1 is added for every two bots of a group, so that it can be inverted.
    """
    found = np.concatenate([strengths.bots, strengths.advantage[:, None]], axis=1)
    return _differentiate(scores, _Pairings(scores, groups), found, penalty, with_advantage=with_advantage)[1]


def find_likelihood(scores: Scores, strengths: Strengths) -> Floats:
    """Return the log-likelihood of fits (samples), if games were independent and never drawn."""
    ahead = strengths.bots[:, scores.one] - strengths.bots[:, scores.two]
    red, blue = ahead + strengths.advantage[:, None], ahead - strengths.advantage[:, None]
    each = scores.red_score * red - scores.red_games * np.logaddexp(0, red)
    each = each + scores.blue_score * blue - scores.blue_games * np.logaddexp(0, blue)
    likelihood: Floats = each.sum(1)
    return likelihood


def split_samples(samples: int, numbers: int) -> Iterator[slice]:
    """Yield blocks of samples that need limited memory; `numbers` is the size of the arrays of one sample."""
    block = max(1, _MOST_NUMBERS // numbers)
    for start in range(0, samples, block):
        yield slice(start, min(start + block, samples))


def _differentiate(
    scores: Scores, pairings: "_Pairings", found: Floats, penalty: Penalty | None, *, with_advantage: bool
) -> tuple[Floats, Floats]:
    """Return the gradient of the log-likelihood (samples x parameters) and its negative Hessian.

    The parameters are the bots' strengths and the advantage.  1 is added to the Hessian for every two bots of a group,
    so that it can be inverted: that holds the mean of each group at 0.
    """
    one = scores.one
    two = scores.two
    bots = scores.bots
    ahead = found[:, one] - found[:, two]
    advantage = found[:, bots:]
    red, red_weight = _compute_residual(scores.red_games, scores.red_score, ahead + advantage)
    blue, blue_weight = _compute_residual(scores.blue_games, scores.blue_score, ahead - advantage)
    gradient = np.zeros((len(found), bots + 1))
    hessian = np.zeros((len(found), bots + 1, bots + 1))
    gradient[:, :bots] = pairings.add_up(red + blue)
    hessian[:, one, two] = hessian[:, two, one] = -(red_weight + blue_weight)
    each = np.arange(bots)
    hessian[:, each, each] = -hessian.sum(2)[:, :bots]
    hessian[:, :bots, :bots] += pairings.same_group
    hessian[:, bots, bots] = 1.0
    if with_advantage:
        gradient[:, bots] = (red - blue).sum(1)
        difference = red_weight - blue_weight
        hessian[:, bots, :bots] = hessian[:, :bots, bots] = pairings.add_up(difference)
        hessian[:, bots, bots] = (red_weight + blue_weight).sum(1)
    if penalty is not None:
        size = bots + with_advantage
        each = np.arange(size)
        gradient[:, :size] -= (penalty.weight * (found - penalty.centre))[:, :size]
        hessian[:, each, each] += penalty.weight[:, :size]
    return gradient, hessian


class _Pairings:
    """The pairings of each bot, and the groups of bots."""

    def __init__(self, scores: Scores, groups: Numbers) -> None:
        self.same_group = (groups[:, None] == groups[None, :]).astype(float)
        self._first, self._second = (_Grouping(bot, scores.bots) for bot in (scores.one, scores.two))

    def add_up(self, values: Floats) -> Floats:
        """Add up values of the first bots of pairings (samples x pairings), negative for the second bots, by bot."""
        return self._first.sum(values) - self._second.sum(values)


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


def fit_performance(
    scores: Scores, strengths: Strengths, seat: Seat, near: Floats, penalty: Penalty | None = None
) -> Floats:
    """Fit each bot's strength (samples x bots) to its games with one colour, with the opponents' strengths fixed.

    Red's advantage is not removed: it is part of a bot's performance with a colour.  The search starts at `near`.
    """
    strength = strengths.bots
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
        if penalty is not None:
            own = found - strengths.advantage[:, None] * (1 if seat == RED else -1)
            gradient -= penalty.weight[:, :-1] * (own - penalty.centre[:, :-1])
            weight += penalty.weight[:, :-1]
        step = np.clip(gradient / np.maximum(weight, 1e-300), -_LONGEST_STEP, _LONGEST_STEP)
        found += step
        if np.abs(step).max(initial=0.0) < _CLOSE:
            break
    return found

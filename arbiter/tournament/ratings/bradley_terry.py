"""The Bradley-Terry model fitted by maximum likelihood, to many samples at once.  Knows bots by number only.

A bot of strength x scores 1 / (1 + e^(y - x - a)) on average as red against one of strength y, a being the advantage
of having red (Bradley and Terry, Biometrika 39, 1952; the advantage as in Agresti, Categorical Data Analysis, 10.6).
A draw is half a game won and half a game lost.
"""

from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from protocol.words import RED, Seat

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

_LONGEST_STEP: Final = 1.0  # beyond, the curve may be too flat for Newton's rule
_SETTLED: Final = 1e-4  # the step after that would be a hundred millionth
_STEPS: Final = 200


class Scores(Struct, frozen=True):
    """Games of pairings: how many, and what the first bot scored in them, with each colour.

    `one` and `two` number the bots of each pairing; the other arrays are samples x pairings.
    """

    bots: int
    one: Numbers
    two: Numbers
    red_games: Floats
    red_score: Floats
    blue_games: Floats
    blue_score: Floats


class Strengths(Struct, frozen=True):
    """What was fitted, in natural units: strengths (samples x bots) and red's advantage (samples)."""

    bots: Floats
    advantage: Floats


def fit(scores: Scores, groups: Numbers, *, seated: bool, near: Strengths | None = None) -> Strengths:
    """Fit strengths, their mean 0 in each group, and red's advantage, 0 unless `seated`.

    `groups` numbers the group of each bot, which no game joins to the others; the search begins `near` another fit.
    Every bot must have won and have lost something, be it of a prior.
    """
    samples = len(scores.red_games)
    found = np.zeros((samples, scores.bots + 1))
    if near is not None:
        found[:, :-1], found[:, -1] = near.bots, near.advantage
    level = (groups[:, None] == groups[None, :]).astype(float)
    for _ in range(_STEPS):
        slope, bend = _derivatives(scores, found, level, seated=seated)
        step = np.linalg.solve(bend, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        found += step * (_LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
        if longest.max() < _SETTLED:
            break
    return Strengths(found[:, :-1], found[:, -1])


def _derivatives(scores: Scores, found: Floats, level: Floats, *, seated: bool) -> tuple[Floats, Floats]:
    """Derive the likelihood's logarithm: its slope (samples x (bots and the advantage)) and how much that bends."""
    one, two, bots = scores.one, scores.two, scores.bots
    ahead, advantage = found[:, one] - found[:, two], found[:, bots:]
    red, red_weight = _residual(scores.red_games, scores.red_score, ahead + advantage)
    blue, blue_weight = _residual(scores.blue_games, scores.blue_score, ahead - advantage)
    sign = np.eye(bots)[one] - np.eye(bots)[two]
    slope, bend = np.zeros((len(found), bots + 1)), np.zeros((len(found), bots + 1, bots + 1))
    slope[:, :bots] = (red + blue) @ sign
    bend[:, one, two] = bend[:, two, one] = -(red_weight + blue_weight)
    each = np.arange(bots)
    bend[:, each, each] = -bend.sum(2)[:, :bots]
    bend[:, :bots, :bots] += level
    bend[:, bots, bots] = 1.0
    if seated:
        slope[:, bots] = (red - blue).sum(1)
        bend[:, bots, :bots] = bend[:, :bots, bots] = (red_weight - blue_weight) @ sign
        bend[:, bots, bots] = (red_weight + blue_weight).sum(1)
    return slope, bend


def _residual(games: Floats, score: Floats, ahead: Floats) -> tuple[Floats, Floats]:
    """Return how far scores are above what is expected, and how much that says of the strengths."""
    expected = 1.0 / (1.0 + np.exp(-ahead))
    return score - games * expected, games * expected * (1.0 - expected)


def performance(scores: Scores, strength: Floats, seat: Seat) -> Floats:
    """Fit each bot's strength (samples x bots) to its games with one colour alone, the opponents' being what they are.

    Red's advantage is not taken out: it is part of what a bot makes of a colour.
    """
    one, two = np.eye(scores.bots)[scores.one], np.eye(scores.bots)[scores.two]
    sides = [(scores.red_games, scores.red_score), (scores.blue_games, scores.blue_score)]
    (games, score), (others_games, others_score) = sides if seat == RED else reversed(sides)
    found = strength.copy()
    for _ in range(_STEPS):
        ahead, behind = found[:, scores.one] - strength[:, scores.two], found[:, scores.two] - strength[:, scores.one]
        mine, mine_weight = _residual(games, score, ahead)
        its, its_weight = _residual(others_games, others_games - others_score, behind)
        weight = mine_weight @ one + its_weight @ two
        step = np.clip((mine @ one + its @ two) / np.maximum(weight, 1e-300), -_LONGEST_STEP, _LONGEST_STEP)
        found += step
        if np.abs(step).max(initial=0.0) < _SETTLED:
            break
    return found

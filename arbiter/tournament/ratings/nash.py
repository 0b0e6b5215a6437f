"""Nash averaging: a rating for pools in which strength goes round in circles.

D. Balduzzi, K. Tuyls, J. Perolat, T. Graepel, "Re-evaluating evaluation", NeurIPS 2018.  Bots play a game against each
other: each side names a bot, or a mix of bots, and scores the difference in strength.  The mix that no bot beats, with
the most even weights if there are several, is the equilibrium of greatest entropy; copies of a bot share its weight.
"""

from typing import Final

from arbiter.arrays import Floats, np

_STAGES: Final = 60  # in each, the temperature is halved
_MOST_STEPS: Final = 50
_CLOSE: Final = 1e-6
_LONGEST_STEP: Final = 3.0
_LEAST_TEMPERATURE: Final = 1e-6  # relative to the largest difference
_LEAST_LOGARITHM: Final = -200.0  # of a weight; less is as good as 0


def average(differences: Floats) -> Floats:
    """Return the weights of the bots in the equilibrium of greatest entropy.

    `differences` is antisymmetric: the strength of the bot in the row above that of the bot in the column.

    With a bonus of `temperature` times its entropy the best mix is unique, and each weight is positive.  It is followed
    by Newton's method from a high temperature to a low one.
    """
    bots = len(differences)
    largest = float(np.abs(differences).max(initial=0.0))
    if largest == 0.0:
        return np.full(bots, 1 / bots)
    scaled = differences / largest
    logarithms = np.full(bots, -np.log(bots))
    temperature = 2.0
    for _ in range(_STAGES):
        logarithms = _solve(scaled, temperature, logarithms)
        if temperature < _LEAST_TEMPERATURE:
            break
        temperature /= 2
    weights = np.exp(logarithms)
    normalized: Floats = weights / weights.sum()
    return normalized


def _solve(differences: Floats, temperature: float, logarithms: Floats) -> Floats:
    """Find the weights w with temperature * log w = differences @ w + constant, near those given."""
    bots = len(differences)
    system = np.zeros((bots + 1, bots + 1))
    for _ in range(_MOST_STEPS):
        weights = np.exp(logarithms)
        fault = temperature * logarithms - differences @ weights
        system[:bots, :bots] = temperature * np.eye(bots) - differences * weights
        system[:bots, bots] = -1.0
        system[bots, :bots] = weights
        step = np.linalg.solve(system, np.append(-fault, 1 - weights.sum()))[:bots]
        before = logarithms
        logarithms = np.maximum(before + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP), _LEAST_LOGARITHM)
        if np.abs(logarithms - before).max() < _CLOSE:
            break
    return logarithms

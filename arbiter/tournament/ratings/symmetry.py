"""Bots with equal records share their samples, so that they have equal intervals and likelihoods.

Two numbers are equal for the model if the fit gives them the same value and the same standard error.  Their samples
differ by chance alone, so the samples of all such numbers are put together, mirrored if the sign is the opposite.
"""

from collections.abc import Callable
from typing import Final

from arbiter.arrays import Booleans, Floats, Numbers, np
from arbiter.tournament.ratings.values import Estimate

TAILS: Final = (0.025, 0.975)
_DIGITS: Final = 4  # of numbers that are compared; fits are far more exact
_STEPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # Elo


class EqualNumbers:
    """Numbers of the model, such as ratings, and which of them are equal, or opposite."""

    def __init__(self, values: Floats, *others: Floats, mirrors: bool = True) -> None:
        """Compare numbers by their values and by others, such as standard errors.

        A number with the opposite value is its mirror image if `mirrors`.
        """
        sizes = np.round(np.column_stack([np.abs(values) if mirrors else values, *others]), _DIGITS) + 0.0
        _, self._kinds = np.unique(sizes, axis=0, return_inverse=True)
        self._kinds = self._kinds.reshape(-1)
        self._signs = np.sign(np.round(values, _DIGITS)) if mirrors else np.ones(len(values))
        order = np.argsort(self._kinds, kind="stable")
        starts = np.flatnonzero(np.diff(self._kinds[order], prepend=-1))
        self._members = np.split(order, starts[1:])
        self._known: dict[tuple[int, float], tuple[float, float, float]] = {}

    def list_equal(self, number: int) -> Numbers:
        """Return the places of the numbers that are equal to one, and of itself."""
        members = self._members[self._kinds[number]]
        same: Numbers = members[self._signs[members] == self._signs[number]]
        return same

    def estimate(
        self, number: int, best: float, find_samples: Callable[[Numbers], Floats], shift: float = 0.0
    ) -> Estimate:
        """Make the estimate of a number (its place) from the samples of all equal ones.

        `find_samples` returns those of the numbers at some places (samples x places); `shift` is added to them.
        """
        key = int(self._kinds[number]), float(self._signs[number])
        if key not in self._known:
            self._known[key] = find_limits(self._gather(number, find_samples))
        low, high, error = self._known[key]
        return round_limits(best, low + shift, high + shift, error)

    def _gather(self, number: int, find_samples: Callable[[Numbers], Floats]) -> Floats:
        """Put the samples of equal and opposite numbers together, with the sign of one."""
        members = self._members[self._kinds[number]]
        samples = find_samples(members)
        if self._signs[number] == 0:
            return np.concatenate([samples, -samples], axis=None)
        together: Floats = (samples * self._signs[members] * self._signs[number]).reshape(-1)
        return together

    def average(self, shares: Floats) -> Floats:
        """Return the mean of each number's share of samples above 0 over all equal ones; one half for zero."""
        above = np.where(self._signs < 0, 1 - shares, shares)
        mean = np.bincount(self._kinds, above) / np.bincount(self._kinds)
        found: Floats = np.where(
            self._signs == 0, 0.5, np.where(self._signs < 0, 1 - mean[self._kinds], mean[self._kinds])
        )
        return found


def find_limits(samples: Floats) -> tuple[float, float, float]:
    """Return the limits of the 95 % interval, and the standard error that the number of samples gives them."""
    count = len(samples)
    spread = (TAILS[0] * TAILS[1] / count) ** 0.5
    levels = np.clip([TAILS[0], TAILS[1], *(tail + side * spread for tail in TAILS for side in (-1, 1))], 0, 1)
    low, high, *around = np.quantile(samples, levels, method="weibull")
    return float(low), float(high), float(max(around[1] - around[0], around[3] - around[2])) / 2


def round_limits(best: float, low: float, high: float, error: float) -> Estimate:
    """Make an estimate whose limits have no more digits than their error allows."""
    step = next((step for step in _STEPS if step >= error), _STEPS[-1])
    low, high = (round(limit / step) * step if error else limit for limit in (low, high))
    best = round(best, _DIGITS) + 0.0
    return Estimate(best, min(best, float(low)), max(best, float(high)))


def estimate(best: float, samples: Floats) -> Estimate:
    """Make an estimate from the most likely number and its samples."""
    return round_limits(best, *find_limits(samples))


def share_of_samples(is_true: Booleans) -> float:
    """Return the share of samples with a property, never 0 and never 1."""
    return float((np.sum(is_true) + 0.5) / (is_true.size + 1))

"""Log-likelihood ratios of Elo differences, from pairs of games counted by their score.

Generalised ratios as in fishtest and fastchess: Michel Van den Bergh, "Comments on Normalized Elo", proposition 1.1 for
logistic Elo and section 4.1 for normalized Elo.
"""

from collections.abc import Sequence
from math import ceil, log, log10, sqrt
from typing import Final, Literal

from arbiter.tournament.ratings.pairs import PAIR_SCORES

Model = Literal["logistic", "normalized"]
MODELS: Final[tuple[Model, ...]] = ("logistic", "normalized")

NORMALIZED_ELO: Final = 800 / log(10)  # normalized Elo of one standard deviation of the score of a game
_UNSEEN: Final = 1e-3  # count of a pair score that has not occurred
_CLOSE: Final = 1e-12
_SAME_SHARES: Final = 1e-9
_MOST_STEPS: Final = 200
_LONGEST_STEP: Final = 0.5  # in standard deviations
_SHARES: Final = tuple(score / 2 for score in PAIR_SCORES)  # of the points of a pair


def llr(counts: Sequence[float], elo0: float, elo1: float, model: Model = "logistic") -> float:
    """Return the generalised log-likelihood ratio of `elo1` to `elo0`; 0 before the first pair."""
    if not any(counts):
        return 0.0
    seen = [count or _UNSEEN for count in counts]
    total = sum(seen)
    shares = [count / total for count in seen]
    fits = _fit_mean if model == "logistic" else _fit_deviation
    likely0, likely1 = fits(shares, elo0), fits(shares, elo1)
    return total * sum(share * log(one / zero) for share, zero, one in zip(shares, likely0, likely1, strict=True))


def to_elo(shares: Sequence[float], model: Model = "logistic") -> float:
    """Return the Elo difference of a distribution of pair scores, which has at least two."""
    mean = sum(share * score for share, score in zip(shares, _SHARES, strict=True))
    if model == "logistic":
        return 400 * log10(mean / (1 - mean))
    variance = sum(share * (score - mean) ** 2 for share, score in zip(shares, _SHARES, strict=True))
    return (mean - 0.5) / sqrt(2 * variance) * NORMALIZED_ELO


def _fit_mean(shares: Sequence[float], elo: float) -> list[float]:
    """Find the likeliest distribution with the mean score that a difference in logistic Elo gives."""
    mean = 1 / (1 + 10 ** (-elo / 400))
    return _tilt(shares, [score - mean for score in _SHARES])


def _fit_deviation(shares: Sequence[float], elo: float) -> list[float]:
    """Find the likeliest distribution whose mean is a multiple of its standard deviation above one half.

    Each step linearises the condition at the last distribution.  It is approached from that of equal bots, because far
    from it no distribution meets the linearised condition.
    """
    target = elo * sqrt(2) / NORMALIZED_ELO
    stages = max(1, ceil(abs(target) / _LONGEST_STEP))
    found = [1 / len(shares)] * len(shares)
    for stage in range(1, stages + 1):
        ratio = target * stage / stages
        for _ in range(_MOST_STEPS):
            mean = sum(share * score for share, score in zip(found, _SHARES, strict=True))
            deviation = sqrt(sum(share * (score - mean) ** 2 for share, score in zip(found, _SHARES, strict=True)))
            before = found
            found = _tilt(
                shares,
                [score - 0.5 - ratio * deviation * (1 + ((score - mean) / deviation) ** 2) / 2 for score in _SHARES],
            )
            if max(abs(one - other) for one, other in zip(before, found, strict=True)) < _SAME_SHARES:
                break
    return found


def _tilt(shares: Sequence[float], values: Sequence[float]) -> list[float]:
    """Find the likeliest distribution in which these values have mean 0: share / (1 + tilt * value)."""
    low, high = -1 / max(values), -1 / min(values)
    tilt = 0.0
    while high - low > _CLOSE:
        total = slope = 0.0
        for share, value in zip(shares, values, strict=True):
            part = value / (1 + tilt * value)
            total += share * part
            slope += share * part * part
        low, high = (tilt, high) if total > 0 else (low, tilt)
        newton = tilt + total / slope
        if abs(newton - tilt) < _CLOSE:
            break
        tilt = newton if low < newton < high else (low + high) / 2
    return [share / (1 + tilt * value) for share, value in zip(shares, values, strict=True)]

"""The sequential probability ratio test (SPRT): is a bot stronger than another?  It stops as soon as games show it.

The log-likelihood ratios of Elo differences, from pairs of games counted by their score, are generalised ones as in
fishtest and fastchess: Michel Van den Bergh, "Comments on Normalized Elo", proposition 1.1 for logistic Elo and
section 4.1 for normalized Elo.
"""

from collections.abc import Iterable, Sequence
from math import ceil, log, log10, sqrt
from operator import add
from typing import Final, Literal

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.tournament.ratings.pairs import PAIR_SCORES, DistinctGames, PairQueue, Pentanomial, count_pairs
from arbiter.tournament.standings.stored_game import StoredGame

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


MOST_ELO: Final = 1000.0

Hypothesis = Literal["H0", "H1"]


class Sprt(Struct, frozen=True, kw_only=True):
    """A test of H1, an advantage of `elo1`, against H0, an advantage of `elo0`."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Probability of accepting H1 if H0 is true."""
    beta: float = 0.05
    """Probability of accepting H0 if H1 is true."""
    model: Model = "logistic"
    """The scale of `elo0` and `elo1`."""

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return log((1 - self.beta) / self.alpha)

    def check(self) -> None:
        """Raise ConfigError if the settings make no test."""
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise ConfigError(
                f"--sprt {self.elo0:g},{self.elo1:g}: must be two numbers of Elo from {-MOST_ELO:g} to {MOST_ELO:g}, "
                "the lower first, such as 0,10"
            )
        for name, share in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < share < 0.5:  # noqa: PLR2004 - a test that errs in half of all cases is none
                raise ConfigError(f"--{name} {share:g}: must be more than 0 and less than 0.5, such as 0.05")


class SprtRun:
    """A test in progress. Pairs count in the order of the schedule, and each distinct game counts once."""

    def __init__(self, sprt: Sprt, bot: str, games: Iterable[StoredGame] = ()) -> None:
        self.sprt = sprt
        self._bot = bot
        self.restart(games)

    def restart(self, games: Iterable[StoredGame]) -> None:
        """Count the games again, after a ruling changed some of them."""
        self.accepted: Hypothesis | None = None
        self.llrs = [0.0]
        """The log-likelihood ratio before the first and after each pair."""
        self.counts: Pentanomial = (0,) * len(PAIR_SCORES)
        self.later_pairs = 0
        """Number of pairs after the verdict, which it does not use."""
        self._queue = PairQueue()
        self._distinct = DistinctGames()
        for game in games:
            self.add(game)

    @property
    def llr(self) -> float:
        """The log-likelihood ratio so far."""
        return self.llrs[-1]

    @property
    def is_over(self) -> bool:
        """True if a hypothesis is accepted."""
        return self.accepted is not None

    def add(self, game: StoredGame) -> None:
        """Add a finished game; count its pair once all earlier pairs are complete."""
        for pair in self._queue.add(game):
            new = None if pair.score is None else self._distinct.add(pair)
            if new is None:
                continue
            if self.is_over:
                self.later_pairs += 1
                continue
            self.counts = tuple(map(add, self.counts, count_pairs([new], self._bot)))
            self.llrs.append(llr(self.counts, self.sprt.elo0, self.sprt.elo1, self.sprt.model))
            if self.llr >= self.sprt.upper:
                self.accepted = "H1"
            elif self.llr <= self.sprt.lower:
                self.accepted = "H0"

"""Sequential probability ratio test: is a bot stronger than another? It stops as soon as the games have shown it.

The generalised SPRT of logistic Elo over pairs of games, as in fishtest and fastchess: Michel Van den Bergh, "Comments
on Normalized Elo", proposition 1.1.
"""

from collections.abc import Iterable, Sequence
from math import log
from operator import add
from typing import Final, Literal

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.tournament.ratings.pairs import PAIR_SCORES, DistinctPairs, PairQueue, Pentanomial, count_pairs
from arbiter.tournament.standings.stored_game import StoredGame

MOST_ELO: Final = 1000.0
_UNSEEN: Final = 1e-3  # count of a pair score that has not occurred
_CLOSE: Final = 1e-12

Hypothesis = Literal["H0", "H1"]


class Sprt(Struct, frozen=True, kw_only=True):
    """A test of H1, an advantage of `elo1`, against H0, an advantage of `elo0`."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Probability of accepting H1 if H0 is true."""
    beta: float = 0.05
    """Probability of accepting H0 if H1 is true."""

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


def llr(counts: Sequence[int], elo0: float, elo1: float) -> float:
    """Return the generalised log-likelihood ratio of `elo1` to `elo0`; 0 before the first pair."""
    if not any(counts):
        return 0.0
    seen = [count or _UNSEEN for count in counts]
    total = sum(seen)
    distribution = [(count / total, score / 2) for count, score in zip(seen, PAIR_SCORES, strict=True)]
    mean0, mean1 = (1 / (1 + 10 ** (-elo / 400)) for elo in (elo0, elo1))
    tilt0, tilt1 = (_solve_tilt(distribution, mean) for mean in (mean0, mean1))
    return total * sum(
        share * log((1 + tilt0 * (score - mean0)) / (1 + tilt1 * (score - mean1))) for share, score in distribution
    )


def _solve_tilt(distribution: Sequence[tuple[float, float]], mean: float) -> float:
    """Find the tilt that gives the likeliest distribution with a mean: share / (1 + tilt (score - mean))."""
    low, high = -1 / (1 - mean), 1 / mean
    tilt = 0.0
    while high - low > _CLOSE:
        value = slope = 0.0
        for share, score in distribution:
            part = (score - mean) / (1 + tilt * (score - mean))
            value += share * part
            slope += share * part * part
        low, high = (tilt, high) if value > 0 else (low, tilt)
        newton = tilt + value / slope
        if abs(newton - tilt) < _CLOSE:
            break
        tilt = newton if low < newton < high else (low + high) / 2
    return tilt


class SprtRun:
    """A test in progress. Pairs count in the order of the schedule, and each distinct pair counts once."""

    def __init__(self, sprt: Sprt, bot: str, games: Iterable[StoredGame] = ()) -> None:
        self.sprt = sprt
        self._bot = bot
        self.restart(games)

    def restart(self, games: Iterable[StoredGame]) -> None:
        """Count the games again, after a ruling changed some of them."""
        self.accepted: Hypothesis | None = None
        self.llr = 0.0
        self.counts: Pentanomial = (0,) * len(PAIR_SCORES)
        self._queue = PairQueue()
        self._distinct = DistinctPairs()
        for game in games:
            self.add(game)

    @property
    def is_over(self) -> bool:
        """True if a hypothesis is accepted."""
        return self.accepted is not None

    def add(self, game: StoredGame) -> None:
        """Add a finished game; count its pair once all earlier pairs are complete."""
        for pair in self._queue.add(game):
            if self.is_over or not self._distinct.add(pair):
                continue
            self.counts = tuple(map(add, self.counts, count_pairs([pair], self._bot)))
            self.llr = llr(self.counts, self.sprt.elo0, self.sprt.elo1)
            if self.llr >= self.sprt.upper:
                self.accepted = "H1"
            elif self.llr <= self.sprt.lower:
                self.accepted = "H0"

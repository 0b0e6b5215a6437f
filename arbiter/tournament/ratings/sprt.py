"""Is a bot stronger than another?  A sequential test that stops as soon as its games have answered.

The generalised sequential probability ratio test of logistic Elo over pairs of games, as fishtest and fastchess do it:
Michel Van den Bergh, "Comments on Normalized Elo", proposition 1.1.  Pure: knows no file and no database.
"""

from collections.abc import Iterable, Sequence
from math import log
from operator import add
from typing import Final, Literal

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.tournament.ratings.pairs import Pair, pairs
from arbiter.tournament.standings.stored_game import StoredGame

MOST_ELO: Final = 1000.0
SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)  # what a pair can come to, as a share of it: LL, LD, DD or WL, WD, WW
_NEVER_SEEN: Final = 1e-3  # what counts for an outcome that has not come up
_CLOSE: Final = 1e-12

Counts = tuple[int, ...]  # of pairs, by SCORES
Verdict = Literal["H0", "H1"]


class Sprt(Struct, frozen=True, kw_only=True):
    """A test of H1, an advantage of `elo1`, against H0, one of `elo0`.

    `alpha` is how often H1 may be accepted where H0 holds, `beta` how often H0 where H1 does.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return log((1 - self.beta) / self.alpha)

    def check(self) -> None:
        """Check that this is a test.  Raises ConfigError."""
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
    seen = [count or _NEVER_SEEN for count in counts]
    total = sum(seen)
    shares = [count / total for count in seen]
    score0, score1 = (1 / (1 + 10 ** (-elo / 400)) for elo in (elo0, elo1))
    tilt0, tilt1 = (_tilt(shares, score) for score in (score0, score1))
    return total * sum(
        share * log((1 + tilt0 * (score - score0)) / (1 + tilt1 * (score - score1)))
        for share, score in zip(shares, SCORES, strict=True)
    )


def _tilt(shares: Sequence[float], mean: float) -> float:
    """Solve for what leads from the shares to the likeliest ones with that mean: share / (1 + tilt (score - mean))."""
    low, high, tilt = -1 / (1 - mean), 1 / mean, 0.0
    distances = [(share, score - mean) for share, score in zip(shares, SCORES, strict=True)]
    while high - low > _CLOSE:
        value = slope = 0.0
        for share, off in distances:
            part = off / (1 + tilt * off)
            value += share * part
            slope += share * part * part
        low, high = (tilt, high) if value > 0 else (low, tilt)
        nearer = tilt + value / slope
        if abs(nearer - tilt) < _CLOSE:
            break
        tilt = nearer if low < nearer < high else (low + high) / 2
    return tilt


def count_pairs(played: Iterable[Pair], bot: str) -> Counts:
    """Count whole pairs by what a bot scored in them."""
    counts = [0] * len(SCORES)
    for pair in played:
        if pair.score is not None:
            share = pair.score / 2
            counts[SCORES.index(share if pair.one == bot else 1 - share)] += 1
    return tuple(counts)


class SprtRun:
    """A test under way.

    Pairs are judged in the order of the schedule, whatever order they are over in: so the verdict does not depend on
    how long games take or how many are played at a time, and a match that goes on later comes to the same.
    """

    def __init__(self, sprt: Sprt, bot: str, games: Iterable[StoredGame] = ()) -> None:
        self.sprt = sprt
        self.verdict: Verdict | None = None
        self.llr = 0.0
        self.counts: Counts = (0,) * len(SCORES)
        self._bot = bot
        self._judged = 0
        self._waiting: dict[int, list[StoredGame]] = {}
        for game in games:
            self.add(game)

    def add(self, game: StoredGame) -> None:
        """Take note of a game that was played."""
        self._waiting.setdefault(game.pair, []).append(game)
        while self.verdict is None and len(self._waiting.get(self._judged + 1, ())) == 2:  # noqa: PLR2004 - a pair
            self._judged += 1
            self._judge(count_pairs(pairs(self._waiting.pop(self._judged)), self._bot))

    def _judge(self, pair: Counts) -> None:
        self.counts = tuple(map(add, self.counts, pair))
        self.llr = llr(self.counts, self.sprt.elo0, self.sprt.elo1)
        if self.llr >= self.sprt.upper:
            self.verdict = "H1"
        elif self.llr <= self.sprt.lower:
            self.verdict = "H0"

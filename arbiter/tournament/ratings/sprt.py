"""Sequential probability ratio test: is a bot stronger than another? It stops as soon as the games have shown it."""

from collections.abc import Iterable
from math import log
from operator import add
from typing import Final, Literal

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.tournament.ratings.llr import Model, llr
from arbiter.tournament.ratings.pairs import PAIR_SCORES, DistinctPairs, PairQueue, Pentanomial, count_pairs
from arbiter.tournament.standings.stored_game import StoredGame

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
    """A test in progress. Pairs count in the order of the schedule, and each distinct pair counts once."""

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
        self._queue = PairQueue()
        self._distinct = DistinctPairs()
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
            if self.is_over or not self._distinct.add(pair):
                continue
            self.counts = tuple(map(add, self.counts, count_pairs([pair], self._bot)))
            self.llrs.append(llr(self.counts, self.sprt.elo0, self.sprt.elo1, self.sprt.model))
            if self.llr >= self.sprt.upper:
                self.accepted = "H1"
            elif self.llr <= self.sprt.lower:
                self.accepted = "H0"

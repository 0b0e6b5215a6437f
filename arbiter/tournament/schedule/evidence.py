"""Evidence, valid whenever the games stop, that a bot is ahead of another one or about equal.

For each pairing, the capital of bets against "the mean score of a pair of games is m" is a martingale or falls on
average if the mean is m or on the other side of it, whatever the pairs are played for.  So the probability that it ever
exceeds 1 / error is at most `error` (Ville's inequality): the games may stop at any time, for any reason.  The bets are
a fixed mixture; pairs of games are bounded, so draws and dependent games of a pair need no model.

- I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by betting", J. R. Stat. Soc. B 86, 2024.
- A. Ramdas, P. Grünwald, V. Vovk, G. Shafer, "Game-theoretic statistics and safe anytime-valid inference", Statistical
  Science 38, 2023.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import exp, fsum, log, log1p
from typing import Final, Literal

from msgspec import Struct

from arbiter.tournament.ratings.pairs import PAIR_SCORES, DistinctGames, Pair, Pentanomial, pair_games
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import Seat

Verdict = Literal["ahead", "behind", "equal"]
"""The first bot scores more than half or less than half, or the difference is less than the width."""
Pairing = tuple[str, str]
"""Two bots in the order of their seeding."""

NO_PAIRS: Final[Pentanomial] = (0,) * len(PAIR_SCORES)
_BETS: Final = (0.05, 0.1, 0.2, 0.4, 0.8)  # shares of the largest bet; small ones suit small differences
_MOST_REPEATS: Final = 10  # pairs in a row: if all of them repeat earlier games, no new ones are expected


class PairingCount(Struct, frozen=True):
    """The pairs of games of a pairing."""

    counts: Pentanomial = NO_PAIRS
    """Pairs by the score of the first bot; each distinct game counts once."""
    played: int = 0
    """All pairs."""
    is_exhausted: bool = False
    """True if the last pairs repeat earlier games, so that no new ones are expected."""


class Limits(Struct, frozen=True):
    """The limits of a verdict."""

    error: float
    """Probability of a wrong decision."""
    width: float
    """Difference in Elo up to which bots are about equal."""
    claims: int
    """Number of claims that would make the decision wrong; each has an equal share of the error."""

    @property
    def threshold(self) -> float:
        """The logarithm of the capital that proves a claim."""
        return log(self.claims / self.error)

    @property
    def margin(self) -> float:
        """The score above one half that the width gives."""
        return 1 / (1 + 10 ** (-self.width / 400)) - 0.5


class CountedPairings(Struct):
    """The pairs of games that a counter has counted, without the digests of their games."""

    counts: dict[Pairing, PairingCount] = {}
    """Pairings without games are left out."""
    repeated: dict[Pairing, int] = {}
    """Games that are identical to an earlier one of their pairing."""
    repeats: dict[Pairing, int] = {}
    """The number of the last pairs in a row that repeat earlier games."""
    waiting: list[tuple[Seat, Pair]] = []
    """New games whose pair has no other new game, by the seat of the first bot."""


class PairingCounter:
    """Counts the pairs of games of each pairing of some bots, one after the other."""

    def __init__(
        self, bots: Sequence[str], counted: CountedPairings | None = None, digests: Iterable[bytes] = ()
    ) -> None:
        """Continue after the pairs that an earlier counter has `counted`, with blocks of `digests` of their games."""
        self.counted = CountedPairings() if counted is None else counted
        self._seeds = {bot: number for number, bot in enumerate(bots)}
        self.distinct = DistinctGames(self.counted.waiting, digests)

    @property
    def counts(self) -> Mapping[Pairing, PairingCount]:
        """The pairs of games by pairing; pairings without games are left out."""
        return self.counted.counts

    def add(self, pair: Pair) -> None:
        """Count a pair of games of two of the bots."""
        is_turned = self._seeds[pair.one] > self._seeds[pair.two]
        pairing = (pair.two, pair.one) if is_turned else (pair.one, pair.two)
        counted, distinct = self.counted, self.distinct
        before = counted.counts.get(pairing, PairingCount())
        counts = list(before.counts)
        if pair.counts:
            earlier, games = distinct.distinct, distinct.games
            new = distinct.add(pair)
            counted.repeats[pairing] = 0 if distinct.distinct > earlier else counted.repeats.get(pairing, 0) + 1
            if repeated := distinct.games - games - (distinct.distinct - earlier):
                counted.repeated[pairing] = counted.repeated.get(pairing, 0) + repeated
            if new is not None and new.score is not None:
                counts[PAIR_SCORES.index(2 - new.score if is_turned else new.score)] += 1
        is_exhausted = counted.repeats.get(pairing, 0) >= _MOST_REPEATS
        counted.counts[pairing] = PairingCount(tuple(counts), before.played + 1, is_exhausted)

    def save(self) -> CountedPairings:
        """Return a copy of what was counted."""
        found = self.counted
        return CountedPairings(
            dict(found.counts), dict(found.repeated), dict(found.repeats), list(self.distinct.waiting)
        )


def count_pairings(bots: Sequence[str], games: Iterable[StoredGame]) -> dict[Pairing, PairingCount]:
    """Count the pairs of games of each pairing of some bots; pairings without games are left out."""
    known = set(bots)
    counter = PairingCounter(bots)
    for pair in pair_games(game for game in games if game.red in known and game.blue in known):
        counter.add(pair)
    return dict(counter.counts)


@lru_cache(maxsize=2**15)
def judge(counts: Pentanomial, limits: Limits) -> Verdict | None:
    """Judge a pairing by its pairs of games; None if they prove nothing yet.

    The bets are the same at each mean: the capital against a better bot is less than that against one that is better by
    the width.  So "behind" and "equal" are wrong about a better bot with the probability of one claim together.
    """
    bets = [share / (0.5 + limits.margin) for share in _BETS]
    threshold = limits.threshold
    if _find_capital(counts, 0.5, bets, 1) >= threshold:
        return "ahead"
    if _find_capital(counts, 0.5, bets, -1) >= threshold:
        return "behind"
    is_below = _find_capital(counts, 0.5 + limits.margin, bets, -1) >= threshold
    if is_below and _find_capital(counts, 0.5 - limits.margin, bets, 1) >= threshold:
        return "equal"
    return None


def _find_capital(counts: Pentanomial, mean: float, bets: Sequence[float], sign: int) -> float:
    """Return the logarithm of the capital of bets that the mean share of the points is more (sign 1) or less (-1)."""
    shares = [score / 2 - mean for score in PAIR_SCORES]
    capitals = [
        fsum(count * log1p(sign * bet * share) for count, share in zip(counts, shares, strict=True)) for bet in bets
    ]
    highest = max(capitals)
    return highest + log(fsum(exp(one - highest) for one in capitals) / len(capitals))


def find_verdicts(counts: Mapping[Pairing, PairingCount], limits: Limits) -> dict[Pairing, Verdict]:
    """Judge all pairings; those without a verdict are left out."""
    found = {pairing: judge(one.counts, limits) for pairing, one in counts.items()}
    return {pairing: verdict for pairing, verdict in found.items() if verdict is not None}

"""Count the pairs of games of each pairing: each distinct game is evidence once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from arbiter.tournament.ratings.pairs import PAIR_SCORES, DistinctGames, Pair, Pentanomial
from protocol.words import Seat

Pairing = tuple[str, str]
"""Two bots in the order of their seeding."""

NO_PAIRS: Final[Pentanomial] = (0,) * len(PAIR_SCORES)
_MOST_REPEATS: Final = 10  # pairs in a row: if all of them repeat earlier games, no new ones are expected


class PairingCount(Struct, frozen=True):
    """The pairs of games of a pairing."""

    counts: Pentanomial = NO_PAIRS
    """Pairs by the score of the first bot; each distinct game counts once."""
    is_exhausted: bool = False
    """True if the last pairs repeat earlier games, so that no new ones are expected."""


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
        counts = list(counted.counts.get(pairing, PairingCount()).counts)
        if pair.counts:
            earlier, games = distinct.distinct, distinct.games
            new = distinct.add(pair)
            counted.repeats[pairing] = 0 if distinct.distinct > earlier else counted.repeats.get(pairing, 0) + 1
            if repeated := distinct.games - games - (distinct.distinct - earlier):
                counted.repeated[pairing] = counted.repeated.get(pairing, 0) + repeated
            if new is not None and new.score is not None:
                counts[PAIR_SCORES.index(2 - new.score if is_turned else new.score)] += 1
        is_exhausted = counted.repeats.get(pairing, 0) >= _MOST_REPEATS
        counted.counts[pairing] = PairingCount(tuple(counts), is_exhausted)

    def save(self) -> CountedPairings:
        """Return a copy of what was counted."""
        found = self.counted
        return CountedPairings(
            dict(found.counts), dict(found.repeated), dict(found.repeats), list(self.distinct.waiting)
        )

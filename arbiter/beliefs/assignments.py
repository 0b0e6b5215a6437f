"""The ways to give hidden pieces or cards their ranks: drawn uniformly, or by weights.

A set of ranks is a mask: an int with one bit for each rank, by its index in the rule set.
"""

from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise, product
from math import comb, prod
from random import Random
from typing import Final

from msgspec import Struct

_SWEEPS: Final = 12  # exchanges tried for each piece, if there are weights
_LEAST_WEIGHT: Final = 1e-12
_Way = tuple[int, ...]

Draw = list[int]
"""The index of the rank of each of `Assignments.pieces`."""
Weigh = Callable[[int, int], float]
"""Returns the weight of a piece for the index of a rank."""


class _Division(Struct, eq=False):
    """The ways to divide the pieces of one rank and of those after it among groups of some sizes."""

    count: int
    """The number of ways to give the ranks to the pieces of the groups."""
    totals: Sequence[float] = ()
    """The same for each part, added up."""
    parts: "Sequence[tuple[list[tuple[int, Draw]], _Division]]" = ()
    """The groups that get pieces of the rank, with these, and the division of the other ranks; none at the end."""


class Assignments:
    """All ways to give each piece a rank out of its mask, if there are so many pieces of each rank."""

    def __init__(self, masks: Mapping[int, int], counts: Sequence[int]) -> None:
        """Prepare to draw; `masks` are those of the pieces, `counts` the number of pieces of each rank.

        Raises ValueError if there is no way.
        """
        self._masks = dict(masks)
        self._counts = list(counts)
        self.certain: list[tuple[int, int]] = []
        """The pieces that have the same rank in every way that this was easy to find for, with its index."""
        self._find_certain()
        groups: dict[int, list[int]] = defaultdict(list)
        for piece, mask in self._masks.items():
            groups[mask].append(piece)
        self._groups = sorted(groups.items(), key=lambda group: group[0].bit_count())
        self.pieces = tuple(piece for _, group in self._groups for piece in group)
        """The other pieces."""
        chain = [mask for mask, _ in self._groups]
        self._is_chain = all(small & ~large == 0 for small, large in pairwise(chain))
        self._steps = self._plan_steps() if self._is_chain else []
        self._divisions = cache(self._divide)
        if not self._is_chain:
            self._division = self._divisions(0, tuple(len(pieces) for _, pieces in self._groups))
            if not self._division.count:
                raise ValueError("no ranks agree with what was shown")

    def _find_certain(self) -> None:
        """Fix the pieces with one possible rank, as long as that leaves others with one."""
        while True:
            left = sum(1 << kind for kind, count in enumerate(self._counts) if count)
            for piece, mask in self._masks.items():
                self._masks[piece] = mask & left
            single = [piece for piece, mask in self._masks.items() if mask & (mask - 1) == 0]
            for piece in single:
                kind = self._masks.pop(piece).bit_length() - 1
                if kind < 0 or not self._counts[kind]:
                    raise ValueError("no ranks agree with what was shown")
                self._counts[kind] -= 1
                self.certain.append((piece, kind))
            if not single:
                return

    def _plan_steps(self) -> list[tuple[int, list[int]]]:
        """For sets that contain one another: the size of each, and the ranks that it has more than the one before."""
        steps = []
        before = room = 0
        for mask, pieces in self._groups:
            new = [
                kind for kind, count in enumerate(self._counts) if (mask & ~before) >> kind & 1 for _ in range(count)
            ]
            room += len(new) - len(pieces)
            if room < 0:
                raise ValueError("no ranks agree with what was shown")
            steps.append((len(pieces), new))
            before = mask
        if room:
            raise ValueError("no ranks agree with what was shown")
        return steps

    def draw(self, rng: Random) -> Draw:
        """Draw one of the ways, each with the same probability, without the certain pieces."""
        return self._draw_chain(rng) if self._is_chain else self._draw_any(rng)

    def _draw_chain(self, rng: Random) -> Draw:
        """Deal ranks like cards, to the pieces with the fewest possible ranks first."""
        random = rng.random
        drawn: Draw = []
        deck: list[int] = []
        for size, new in self._steps:
            deck += new
            if 2 * size < len(deck):
                for _ in range(size):
                    number = int(random() * len(deck))
                    drawn.append(deck[number])
                    deck[number] = deck[-1]
                    del deck[-1]
            else:
                deck.sort(key=lambda _: random())
                drawn += deck[:size]
                del deck[:size]
        return drawn

    def _draw_any(self, rng: Random) -> Draw:
        """Divide the pieces of each rank among the groups, in proportion to the number of ways for the other ranks."""
        random = rng.random
        decks: list[list[int]] = [[] for _ in self._groups]
        division = self._division
        while parts := division.parts:
            totals = division.totals
            dealt, division = parts[bisect(totals, random() * totals[-1], 0, len(parts) - 1) if len(parts) > 1 else 0]
            for group, cards in dealt:
                decks[group] += cards
        drawn: Draw = []
        for deck in decks:
            deck.sort(key=lambda _: random())
            drawn += deck
        return drawn

    def _divide(self, kind: int, sizes: _Way) -> _Division:
        """Divide the pieces of the ranks from one on among groups of some sizes."""
        if kind == len(self._counts):
            return _Division(int(not any(sizes)))
        count = self._counts[kind]
        if not count:
            return self._divisions(kind + 1, sizes)
        most = [
            range(min(size, count) + 1 if mask >> kind & 1 else 1)
            for (mask, _), size in zip(self._groups, sizes, strict=True)
        ]
        parts: list[tuple[list[tuple[int, Draw]], _Division]] = []
        numbers: list[int] = []
        for way in product(*most):
            if sum(way) == count:
                rest = self._divisions(kind + 1, tuple(size - used for size, used in zip(sizes, way, strict=True)))
                if rest.count:
                    parts.append(([(group, [kind] * used) for group, used in enumerate(way) if used], rest))
                    numbers.append(prod(map(comb, sizes, way)) * rest.count)
        return _Division(sum(numbers), [float(total) for total in accumulate(numbers)], parts)

    def reweigh(self, drawn: Draw, rng: Random, weigh: Weigh) -> Draw:
        """Exchange ranks of a drawn way until its probability is nearly proportional to the product of all weights."""
        pieces = self.pieces
        kinds = drawn.copy()
        if len(pieces) < 2:  # noqa: PLR2004 - nothing to exchange
            return drawn
        masks = [self._masks[piece] for piece in pieces]
        table = [[max(weigh(piece, kind), _LEAST_WEIGHT) for kind in range(len(self._counts))] for piece in pieces]
        for _ in range(_SWEEPS * len(pieces)):
            one, other = rng.sample(range(len(pieces)), 2)
            here, there = kinds[one], kinds[other]
            if here == there or not (masks[one] >> there & 1 and masks[other] >> here & 1):
                continue
            ratio = table[one][there] * table[other][here] / (table[one][here] * table[other][there])
            if rng.random() < ratio:
                kinds[one], kinds[other] = there, here
        return kinds

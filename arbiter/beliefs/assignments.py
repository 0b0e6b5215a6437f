"""The ways to give hidden pieces or cards their ranks: drawn uniformly, or by weights.

A set of ranks is a mask: an int with one bit for each rank, by its index in the rule set.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise, product
from math import comb, prod
from random import Random
from typing import Final

_SWEEPS: Final = 12  # exchanges tried for each piece, if there are weights
_LEAST_WEIGHT: Final = 1e-12
_Way = tuple[int, ...]

Draw = list[tuple[int, int]]
"""Pairs of a piece and the index of its rank."""
Weigh = Callable[[int, int], float]
"""Returns the weight of a piece for the index of a rank."""


class Assignments:
    """All ways to give each piece a rank out of its mask, if there are so many pieces of each rank."""

    def __init__(self, masks: Mapping[int, int], counts: Sequence[int]) -> None:
        """Prepare to draw; `masks` are those of the pieces, `counts` the number of pieces of each rank.

        Raises ValueError if there is no way.
        """
        self._masks = dict(masks)
        self._counts = list(counts)
        self.certain: Draw = []
        """The pieces that have the same rank in every way that this was easy to find for."""
        self._find_certain()
        groups: dict[int, list[int]] = defaultdict(list)
        for piece, mask in self._masks.items():
            groups[mask].append(piece)
        self._groups = sorted(groups.items(), key=lambda group: group[0].bit_count())
        chain = [mask for mask, _ in self._groups]
        self._is_chain = all(small & ~large == 0 for small, large in pairwise(chain))
        self._steps = self._plan_steps() if self._is_chain else []
        self._sizes = tuple(len(pieces) for _, pieces in self._groups)
        self._ways = cache(self._count_ways)
        if not self._is_chain and not self._ways(0, self._sizes)[0]:
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

    def _plan_steps(self) -> list[tuple[list[int], list[int]]]:
        """For sets that contain one another: the pieces of each, and the ranks that it has more than the one before."""
        steps = []
        before = room = 0
        for mask, pieces in self._groups:
            new = [
                kind for kind, count in enumerate(self._counts) if (mask & ~before) >> kind & 1 for _ in range(count)
            ]
            room += len(new) - len(pieces)
            if room < 0:
                raise ValueError("no ranks agree with what was shown")
            steps.append((pieces, new))
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
        for pieces, new in self._steps:
            deck += new
            deck.sort(key=lambda _: random())
            drawn += zip(pieces, deck, strict=False)
            del deck[: len(pieces)]
        return drawn

    def _draw_any(self, rng: Random) -> Draw:
        """Divide the pieces of each rank among the groups, in proportion to the number of ways for the other ranks."""
        waiting = [rng.sample(pieces, len(pieces)) for _, pieces in self._groups]
        drawn: Draw = []
        sizes = self._sizes
        for kind in range(len(self._counts)):
            _, ways, totals = self._ways(kind, sizes)
            chosen = rng.choices(ways, cum_weights=totals)[0]
            for group, count in enumerate(chosen):
                drawn += ((waiting[group].pop(), kind) for _ in range(count))
            sizes = tuple(size - count for size, count in zip(sizes, chosen, strict=True))
        return drawn

    def _count_ways(self, kind: int, sizes: _Way) -> tuple[int, list[_Way], list[int]]:
        """Count the ways to give ranks, from one on, to groups of some sizes: all, and by the use of this rank."""
        if kind == len(self._counts):
            return int(not any(sizes)), [], []
        count = self._counts[kind]
        most = [
            range(min(size, count) + 1 if mask >> kind & 1 else 1)
            for (mask, _), size in zip(self._groups, sizes, strict=True)
        ]
        ways = [way for way in product(*most) if sum(way) == count]
        numbers = [
            prod(map(comb, sizes, way))
            * self._ways(kind + 1, tuple(size - used for size, used in zip(sizes, way, strict=True)))[0]
            for way in ways
        ]
        return sum(numbers), ways, list(accumulate(numbers))

    def reweigh(self, drawn: Draw, rng: Random, weigh: Weigh) -> Draw:
        """Exchange ranks of a drawn way until its probability is nearly proportional to the product of all weights."""
        pieces, kinds = map(list, zip(*drawn, strict=True)) if drawn else ([], [])
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
        return list(zip(pieces, kinds, strict=True))

"""Pairing of a Swiss round: the best matching of all bots.

A round is a match with both colours, as in the FIDE's Double-Swiss System (Handbook C.04.5), so colours need no
balancing from round to round.  The rules are those of FIDE for byes, brackets and pairings, the most important first:

1. no bot has a second bye before all have had one (C.04.1 d);
2. no two bots meet again if it can be avoided (C.04.1 b);
3. the bye goes to the lowest ranked bot that can have it (C.04.5, 3.4);
4. from the highest score group down: as few bots as possible come up to it from lower groups, and from as little lower
   as possible (C4 and C5), and among equals the highest ranked (3.5);
5. the upper half of such a bracket meets the lower half in the same order; if that is impossible, the lower half
   changes places before the halves do, and the last before the first (3.6).

Each rule outweighs all that come after it, and no two pairings are equal in all: there is one best.  Unlike in C.04.5,
bots that come up rank below the group that they come up to, whatever their seeding, and it does not matter
which bots floated in the round before (C7, C8).
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct


class PairingPool(Struct, frozen=True):
    """The bots to pair and their earlier rounds."""

    ranked: tuple[str, ...]
    """The highest ranked first."""
    points: Mapping[str, float]
    met: Mapping[frozenset[str], int]
    """Number of rounds in which two bots met."""
    byes: Mapping[str, int]


def pair_off(pool: PairingPool) -> tuple[list[tuple[str, str]], str | None]:
    """Pair all bots, the highest ranked first, and return the bot with the bye if their number is odd."""
    import networkx as nx  # noqa: PLC0415 - slow to import, and only needed here

    ranked = pool.ranked
    costs = _Costs(pool)
    graph: nx.Graph[int] = nx.Graph()
    places = range(len(ranked) + len(ranked) % 2)
    graph.add_weighted_edges_from((one, two, -costs.of(one, two)) for two in places for one in range(two))
    best = sorted(sorted(edge) for edge in nx.max_weight_matching(graph, maxcardinality=True))
    bye = next((ranked[one] for one, two in best if two == len(ranked)), None)
    return [(ranked[one], ranked[two]) for one, two in best if two < len(ranked)], bye


class _Costs:
    """Cost of each pairing: its faults as digits of one number, the gravest first."""

    def __init__(self, pool: PairingPool) -> None:
        self._pool = pool
        self._count = len(pool.ranked)
        points = [pool.points[bot] for bot in pool.ranked]
        scores = sorted(set(points), reverse=True)
        self._groups = [scores.index(score) for score in points]
        most = max([*pool.met.values(), *pool.byes.values(), 1])
        self._grave = self._count * most + 1
        self._rise = self._count * len(scores) + 1

    def of(self, one: int, two: int) -> int:
        """Return the cost of pairing two places, `one` the higher ranked; the last place is the bye."""
        cost = 0
        for digit, base in self._list_digits(one, two):
            cost = cost * base + digit
        return cost

    def _list_digits(self, one: int, two: int) -> Iterator[tuple[int, int]]:
        """Yield each rule's digit with its base; the digits of a whole round add up to less than the base."""
        count = self._count
        bots = self._pool.ranked
        is_bye = two == count
        yield self._pool.byes.get(bots[one], 0) if is_bye else 0, self._grave
        yield 0 if is_bye else self._pool.met.get(frozenset((bots[one], bots[two])), 0), self._grave
        yield count - 1 - one if is_bye else 0, count
        rise = 0 if is_bye else self._groups[two] - self._groups[one]
        for group in range(self._groups[-1] + 1):
            here = rise if group == self._groups[one] else 0
            yield int(here > 0), count
            yield here, self._rise
        yield (1 << count) - self._bit(two) if rise else 0, count << count
        yield 0 if is_bye else self._bit(two), 1 << count
        for place in range(count):
            yield two if place == one and not is_bye else 0, count

    def _bit(self, place: int) -> int:
        """Return a weight that outweighs all places after this one."""
        return 1 << (self._count - 1 - place)

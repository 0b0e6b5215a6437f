"""Who meets whom in a round of a Swiss tournament: one best matching of all bots.

A round is a match of both colours, as in the FIDE's Double-Swiss System (Handbook C.04.5), so there are no colours to
balance from round to round.  The rules are its rules for byes, brackets and pairings, the most important first:

1. nobody has a second bye before all have had one (C.04.1 d);
2. no two meet again while it can be avoided (C.04.1 b);
3. the bye goes to the lowest ranked that can have it (C.04.5, 3.4);
4. from the highest score group down: as few as possible come up to it from lower ones, and from as little lower as
   possible (C4 and C5), and of equals the highest ranked (3.5);
5. the upper half of those who are so together meets the lower half in the same order; where that cannot be, the lower
   half changes places before the halves do, and the last before the first (3.6).

Each rule outweighs all that come after it, and no two pairings are equal in all: there is one best.  Unlike C.04.5,
those who come up stand below those whom they come up to, whatever their seeding, and who floated in the round before
(C7, C8) does not matter.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

Pairing = tuple[str, str]


class PairingPool(Struct, frozen=True):
    """The bots to be paired, the highest ranked first, and what they have behind them."""

    ranked: tuple[str, ...]
    points: Mapping[str, float]
    met: Mapping[frozenset[str], int]
    byes: Mapping[str, int]


def pair_off(entrants: PairingPool) -> tuple[list[Pairing], str | None]:
    """Pair all entrants, the highest ranked first, but the one that has the bye where their number is odd."""
    import networkx as nx  # noqa: PLC0415 - slow to import, and only needed here

    ranked, costs = entrants.ranked, _Costs(entrants)
    graph: nx.Graph[int] = nx.Graph()
    places = range(len(ranked) + len(ranked) % 2)
    graph.add_weighted_edges_from((one, two, -costs.of(one, two)) for two in places for one in range(two))
    best = sorted(sorted(edge) for edge in nx.max_weight_matching(graph, maxcardinality=True))
    bye = next((ranked[one] for one, two in best if two == len(ranked)), None)
    return [(ranked[one], ranked[two]) for one, two in best if two < len(ranked)], bye


class _Costs:
    """What is to be said against each pairing: its faults as digits of one number, the gravest first."""

    def __init__(self, entrants: PairingPool) -> None:
        self._entrants = entrants
        self._count = len(entrants.ranked)
        points = [entrants.points[bot] for bot in entrants.ranked]
        scores = sorted(set(points), reverse=True)
        self._groups = [scores.index(score) for score in points]
        most = max([*entrants.met.values(), *entrants.byes.values(), 1])
        self._grave = self._count * most + 1
        self._rise = self._count * len(scores) + 1

    def of(self, one: int, two: int) -> int:
        """Count what is against a pairing of two places, `one` the higher ranked; the last place is the bye."""
        cost = 0
        for digit, base in self._digits(one, two):
            cost = cost * base + digit
        return cost

    def _digits(self, one: int, two: int) -> Iterator[tuple[int, int]]:
        """Yield each rule's digit with its base, which no sum of such digits of a whole round reaches."""
        count, bots = self._count, self._entrants.ranked
        is_bye = two == count
        yield self._entrants.byes.get(bots[one], 0) if is_bye else 0, self._grave
        yield 0 if is_bye else self._entrants.met.get(frozenset((bots[one], bots[two])), 0), self._grave
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
        """Weigh a place so that it outweighs all that come after it."""
        return 1 << (self._count - 1 - place)

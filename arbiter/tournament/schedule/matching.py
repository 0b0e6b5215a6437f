"""The best pairing of a few bots by the rules of a Swiss round: a matching of minimum weight."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct


class Seeker(Struct, frozen=True):
    """A bot that is to be paired."""

    bot: str
    group: int
    """Number of its score group, the highest first."""
    byes: int = 0


def match(
    seekers: Sequence[Seeker], met: Mapping[frozenset[str], int], *, open_places: int = 0, spare: int = 0
) -> list[tuple[int, int]]:
    """Pair bots, the highest ranked first; return pairs of their numbers in this order, the higher ranked first.

    If their number is odd, one of them is paired with the number after the last one: it has the bye.

    The first `open_places` are no bots, but stand for opponents in the group above the others; the last `spare` bots
    need no opponent.  Pairs of two of either mean nothing, and neither does a bye of a spare bot.
    """
    import networkx as nx  # noqa: PLC0415 - slow to import, and only needed here

    costs = _Costs(seekers, met)
    count = len(seekers)
    first_spare = count - spare
    graph: nx.Graph[int] = nx.Graph()
    for two in range(count + count % 2):
        for one in range(two):
            if two < open_places or one >= first_spare:
                graph.add_edge(one, two, weight=0)
            elif two < count or not (spare or open_places):
                graph.add_edge(one, two, weight=-costs.of(one, two))
    return sorted((min(edge), max(edge)) for edge in nx.max_weight_matching(graph, maxcardinality=True))


class _Costs:
    """Cost of each pairing: its faults as digits of one number, the gravest first."""

    def __init__(self, seekers: Sequence[Seeker], met: Mapping[frozenset[str], int]) -> None:
        self._seekers = seekers
        self._met = met
        self._count = len(seekers)
        self._groups = [seeker.group - seekers[0].group for seeker in seekers]
        most = max([*met.values(), *(seeker.byes for seeker in seekers), 1])
        self._grave = self._count * most + 1
        self._rise = self._count * (self._groups[-1] + 1) + 1

    def of(self, one: int, two: int) -> int:
        """Return the cost of pairing two places, `one` the higher ranked; the last place is the bye."""
        cost = 0
        for digit, base in self._list_digits(one, two):
            cost = cost * base + digit
        return cost

    def _list_digits(self, one: int, two: int) -> Iterator[tuple[int, int]]:
        """Yield each rule's digit with its base; the digits of a whole round add up to less than the base."""
        count = self._count
        is_bye = two == count
        higher = self._seekers[one]
        yield higher.byes if is_bye else 0, self._grave
        yield 0 if is_bye else self._met.get(frozenset((higher.bot, self._seekers[two].bot)), 0), self._grave
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

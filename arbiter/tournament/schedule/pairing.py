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

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

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


# --- a round --------------------------------------------------------------------------------------


_MANY: Final = 40  # bots; fewer are matched all at once, in a tenth of a second


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
    if not pool.ranked:
        return [], None
    scores = sorted({pool.points[bot] for bot in pool.ranked}, reverse=True)
    groups = {score: number for number, score in enumerate(scores)}
    seekers = [Seeker(bot, groups[pool.points[bot]], pool.byes.get(bot, 0)) for bot in pool.ranked]
    if len(seekers) >= _MANY:
        free: Seeker | None = None
        if len(seekers) % 2:  # whichever bot has the bye, no two of the others need to meet again
            fewest = min(seeker.byes for seeker in seekers)
            free = next(seeker for seeker in reversed(seekers) if seeker.byes == fewest)
        playing = [seeker for seeker in seekers if seeker is not free]
        if (pairs := ScoreGroups(playing, pool.met).pair()) is not None:  # else no score group is large enough
            return [(playing[one].bot, playing[two].bot) for one, two in pairs], None if free is None else free.bot
    best = match(seekers, pool.met)
    bye = next((seekers[one].bot for one, two in best if two == len(seekers)), None)
    return [(seekers[one].bot, seekers[two].bot) for one, two in best if two < len(seekers)], bye


# --- many bots, score group by score group --------------------------------------------------------

Pairs = tuple[tuple[int, int], ...]
"""Pairs of places in the ranking, the higher ranked of each pair first."""


class _Matched(Struct, frozen=True):
    """The pairs of the bots between two large groups."""

    pairs: Pairs
    up: tuple[int, ...]
    """Bots that meet one of the large group above."""
    places: Collection[int]
    """All bots that have an opponent."""
    has_met: bool
    """True if two of them meet again."""


class ScoreGroups:
    """The bots of a round, by their score groups.

    A matching of all bots takes hours for a thousand of them.  But most groups are so large that all of their bots can
    be paired within the group for the first time, whichever of them meet bots from above.  Such a group separates those
    above it from those below, and only the bots between two of them are matched.

    If all groups taken as large can be paired, the pairing is the one that a matching of all finds: each rule is kept
    as well as it could be if the large groups were not paired at all.
    """

    def __init__(self, seekers: Sequence[Seeker], met: Mapping[frozenset[str], int]) -> None:
        """Pair an even number of bots, the highest ranked first; `met` counts the rounds in which two bots met."""
        self._seekers = seekers
        self._met = met
        places = {seeker.bot: place for place, seeker in enumerate(seekers)}
        self._opponents: list[set[int]] = [set() for _ in seekers]
        """Bots that each bot has met."""
        for pairing, count in met.items():
            if count and pairing <= places.keys():
                one, two = (places[bot] for bot in pairing)
                self._opponents[one].add(two)
                self._opponents[two].add(one)
        self._most_met = max(map(len, self._opponents), default=0)
        self._groups: dict[int, tuple[int, ...]] = {
            group: tuple(members) for group, members in groupby(range(len(seekers)), lambda one: seekers[one].group)
        }
        self._halves: dict[tuple[tuple[int, ...], ...], Pairs | None] = {}
        self._matches: dict[tuple[tuple[int, ...], ...], _Matched] = {}

    def pair(self) -> Pairs | None:
        """Return the best pairing; None if no group is large enough."""
        small: set[int] = set()
        while len(small) < len(self._groups):
            found = self._try(small)
            if not isinstance(found, int):
                return found
            small.add(found)
        return None

    def _try(self, small: Collection[int]) -> Pairs | int:
        """Pair all bots if all groups but some are large; return the number of one that is not, if there is one."""
        pairs: list[tuple[int, int]] = []
        large = -1
        above: tuple[int, ...] = ()  # of the last large group, the bots that do not meet one from above it
        between: tuple[int, ...] = ()  # bots below it, of small groups
        for group, own in self._groups.items():
            if group in small:
                between += own
                continue
            up = above[: len(above) % 2]  # as few as possible come up to a large group
            # Of the bots that may meet those from above: if a lower ranked one did, one of these could replace it.
            most = len(up) + len(between) + self._most_met + 1 if up or between else 0
            candidates = tuple(range(own[0], min(own[0] + most, len(self._seekers))))
            matched = self._match(up, between, candidates)
            if matched.has_met or any(place > own[-1] for place in matched.places):
                return group
            halves = self._pair_large(above, matched)
            if halves is None:
                return large
            pairs += [*matched.pairs, *halves]
            large = group
            above = tuple(one for one in own if one not in matched.places)
            between = ()
        if large < 0:
            return next(group for group in self._groups if group not in small)
        matched = self._match(above[: len(between)], between, ())
        halves = self._pair_large(above, matched)
        if matched.has_met or halves is None:
            return large
        return tuple(sorted([*pairs, *matched.pairs, *halves]))

    def _match(self, up: tuple[int, ...], between: tuple[int, ...], candidates: tuple[int, ...]) -> _Matched:
        """Match bots between two large groups.

        They can meet any of the group above, but at most as many of it as `up`, and `candidates` below them.
        """
        key = (up, between, candidates)
        if not up and not between:
            return _Matched((), (), (), has_met=False)
        if key in self._matches:
            return self._matches[key]
        places = (*between, *candidates)
        found = match(
            [*(Seeker("", self._seekers[one].group) for one in up), *(self._seekers[place] for place in places)],
            self._met,
            open_places=len(up),
            spare=len(candidates),
        )
        first_spare = len(up) + len(between)
        pairs = tuple(
            (places[one - len(up)], places[two - len(up)]) for one, two in found if len(up) <= one < first_spare
        )
        risen = tuple(sorted(places[two - len(up)] for one, two in found if one < len(up) <= two))
        self._matches[key] = _Matched(
            pairs,
            risen,
            {place for pair in pairs for place in pair}.union(risen),
            has_met=any(two in self._opponents[one] for one, two in pairs),
        )
        return self._matches[key]

    def _pair_large(self, above: tuple[int, ...], matched: _Matched) -> Pairs | None:
        """Pair a large group and the bots that come up to it; None if that is impossible or may not be best."""
        members = (*above, *matched.up)
        halves = self._pair_halves(members)
        rises = any(self._seekers[one].group != self._seekers[two].group for one, two in matched.pairs)
        if rises and halves != self._pair_halves(members, matched.up):
            return None  # it may be better if bots that have come up change places
        return halves

    def _pair_halves(self, members: tuple[int, ...], new: tuple[int, ...] = ()) -> Pairs | None:
        """Pair the upper half of a group, and of those that come up to it, with the lower half; None if impossible.

        Each bot meets the highest ranked one that leaves an opponent to all others.  `new` are taken as bots that have
        met none of the others.
        """
        key = (members, new)
        if key in self._halves:
            return self._halves[key]
        half = len(members) // 2
        upper, lower = members[:half], members[half:]
        pairs: list[tuple[int, int]] = []
        if self._can_meet(upper, lower, new):
            for number, one in enumerate(upper, start=1):
                others = ((two, tuple(other for other in lower if other != two)) for two in lower)
                two, lower = next(
                    (two, left)
                    for two, left in others
                    if self._is_new(one, two, new) and self._can_meet(upper[number:], left, new)
                )
                pairs.append((one, two))
        self._halves[key] = tuple(pairs) if len(pairs) == half else None
        return self._halves[key]

    def _is_new(self, one: int, two: int, new: tuple[int, ...]) -> bool:
        return two in new or two not in self._opponents[one]

    def _can_meet(self, upper: Sequence[int], lower: Sequence[int], new: tuple[int, ...]) -> bool:
        """Return True if each bot of one half can have an opponent in the other half that it has not met."""
        if len(lower) >= 2 * self._most_met:
            return True
        opponent_of: dict[int, int] = {}

        def find_opponent(one: int, tried: set[int]) -> bool:
            for two in lower:
                if two not in tried and self._is_new(one, two, new):
                    tried.add(two)
                    if two not in opponent_of or find_opponent(opponent_of[two], tried):
                        opponent_of[two] = one
                        return True
            return False

        return all(find_opponent(one, set()) for one in upper)

"""The pairing to play next, so that the games decide an order, a winner or the best few as soon as possible.

A pure function of the results so far, the pairings in progress and a random number: top-two Thompson sampling
(D. Russo, "Simple Bayesian algorithms for best-arm identification", Operations Research 68, 2020), with two bots that
meet as in double Thompson sampling (H. Wu, X. Liu, NeurIPS 2016).  Strengths are drawn from what the games say about
them; the best bots by one draw meet the bots that come nearest to them by another draw.

What is decided rests on the verdicts of `evidence` about bots that met, and on nothing else: if A is ahead of B, and B
of C, then A is placed ahead of C.  Strengths only choose the games.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count
from math import exp, fsum, log, sqrt
from operator import mul
from statistics import NormalDist
from typing import Final

from msgspec import Struct

from arbiter.games.chance import derive_seed
from arbiter.tournament.ratings.pairs import PAIR_SCORES
from arbiter.tournament.schedule.evidence import Pairing, PairingCount, Verdict

_SPREAD: Final = 1.5  # standard deviation of strengths before the first game, in natural units: about 260 Elo
_VERSION_SPREAD: Final = 1.0  # of the difference between a version and its parent: about 170 Elo
_STEPS: Final = 4  # of Newton's method
_LONGEST_STEP: Final = 2.0
ELO_UNIT: Final = 400 / log(10)  # in a natural unit
_NORMAL: Final = NormalDist()
_DIGITS: Final = 9  # of strengths that are compared

Matrix = list[list[float]]


class Knowledge(Struct, frozen=True, dict=True):
    """The verdicts and strengths that the games of a pool have shown."""

    bots: tuple[str, ...]
    """In the order of their seeding."""
    counts: Mapping[Pairing, PairingCount]
    verdicts: Mapping[Pairing, Verdict]
    width: float
    """Difference in Elo up to which bots are about equal."""
    parents: Mapping[str, str] = {}
    """Bots that are new versions of others: before its first game, such a bot is about as strong as its parent."""
    people: frozenset[str] = frozenset()
    """Players that are rated apart, against the programs: their games change no rating of a program."""

    @cached_property
    def strengths(self) -> list[float]:
        """The likeliest strength of each bot, in natural units, with mean 0 before the first game."""
        return self._fit[0]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The numbers of the bots, the best first: by the verdicts, and by strength as far as they leave it open."""
        ahead = self._reach_ahead
        left = set(range(len(self.bots)))
        found: list[int] = []
        while left:
            # Bots that are ahead of each other in a circle do not wait for each other.
            free = [
                bot
                for bot in left
                if not any(other != bot and ahead[other] >> bot & 1 and not ahead[bot] >> other & 1 for other in left)
            ]
            best = max(free, key=lambda bot: (round(self.strengths[bot], _DIGITS), -bot))
            found.append(best)
            left.remove(best)
        return tuple(found)

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each bot of the order; a bot that is about equal to the one above it shares its rank.

        So does a bot of the same strength, such as one that has not played yet.
        """
        ranks: list[int] = []
        for place, bot in enumerate(self.order):
            shares = bool(place) and self._is_level(self.order[place - 1], bot)
            group = [other for other, rank in zip(self.order, ranks, strict=False) if rank == ranks[-1]]
            shares = shares and not any(self.find_verdict(other, bot) == "ahead" for other in group)
            ranks.append(ranks[-1] if shares else place + 1)
        return tuple(ranks)

    def find_verdict(self, one: int, two: int) -> Verdict | None:
        """Return what is known of a bot and another one: by their games, or as it follows from those of others."""
        if self._reach_ahead[one] >> two & 1:
            return "equal" if self._reach_ahead[two] >> one & 1 else "ahead"
        if self._reach_ahead[two] >> one & 1:
            return "behind"
        bots = (self.bots[one], self.bots[two])
        return "equal" if "equal" in (self.verdicts.get(bots), self.verdicts.get(bots[::-1])) else None

    def _is_level(self, one: int, two: int) -> bool:
        """Return True if two bots are about equal, or nothing at all separates them."""
        verdict = self.find_verdict(one, two)
        return verdict == "equal" or (
            verdict is None and round(self.strengths[one], _DIGITS) == round(self.strengths[two], _DIGITS)
        )

    def is_cut(self, size: int) -> bool:
        """Return True if the first bots of the order, of a number `size`, are known to be the best."""
        best, rest = self.order[:size], sum(1 << bot for bot in self.order[size:])
        return all(self._reach[bot] & rest == rest for bot in best)

    def is_related(self, one: int, two: int) -> bool:
        """Return True if it is known which of two bots is ahead, or that they are about equal."""
        return bool(self._reach[one] >> two & 1 or self._reach[two] >> one & 1)

    def is_placed(self, bot: int) -> bool:
        """Return True if it is known of each other bot whether it is ahead of this one, behind it, or about equal."""
        return all(self.is_related(bot, other) for other in range(len(self.bots)) if other != bot)

    def count(self, one: int, two: int) -> PairingCount:
        """Return the games of two bots."""
        return self.counts.get(self.pair(one, two), PairingCount())

    def pair(self, one: int, two: int) -> Pairing:
        """Return the pairing of two bots."""
        return self.bots[min(one, two)], self.bots[max(one, two)]

    def draw_strengths(self, chance: Iterator[float]) -> list[float]:
        """Draw strengths from a normal approximation of what the games say about them."""
        strengths, factor = self._fit
        noise = [_NORMAL.inv_cdf(next(chance)) for _ in strengths]
        return [mean + change for mean, change in zip(strengths, _solve_upper(factor, noise), strict=True)]

    def judge_gain(self, one: int, two: int) -> float:
        """Return what a pair of games of two bots is expected to show about their order, from 0 to 1.

        It is the probability that the order of their strengths is wrong, as a share of one half, times the share of the
        variance of their difference that the games remove.
        """
        if self.count(one, two).is_exhausted:
            return 0.0
        difference, deviation = (value / ELO_UNIT for value in self.compare(one, two))
        won = 1 / (1 + exp(-difference))
        removed = 2 * won * (1 - won) * deviation**2
        return 2 * _NORMAL.cdf(-abs(difference) / deviation) * removed / (1 + removed)

    def compare(self, one: int, two: int) -> tuple[float, float]:
        """Return by how much a bot is likely to be stronger than another one, and the standard deviation, in Elo."""
        covariance = self._covariance
        variance = covariance[one][one] + covariance[two][two] - 2 * covariance[one][two]
        return ELO_UNIT * (self.strengths[one] - self.strengths[two]), ELO_UNIT * sqrt(variance)

    def rate(self, bot: int) -> tuple[float, float]:
        """Return by how much a bot is stronger than the mean, and the standard deviation, in Elo.

        The mean is that of all players that are not rated apart.
        """
        covariance, pool = self._covariance, self._pool
        mean = fsum(self.strengths[one] for one in pool) / len(pool)
        with_mean = fsum(covariance[bot][one] for one in pool) / len(pool)
        variance = covariance[bot][bot] - 2 * with_mean + self._variance_of_mean
        return ELO_UNIT * (self.strengths[bot] - mean), ELO_UNIT * sqrt(max(0.0, variance))

    @cached_property
    def _variance_of_mean(self) -> float:
        pool = self._pool
        return fsum(self._covariance[one][two] for one in pool for two in pool) / len(pool) ** 2

    @cached_property
    def _pool(self) -> list[int]:
        """The numbers of the players that are not rated apart, or of all if there are no others."""
        every = range(len(self.bots))
        return [one for one in every if self.bots[one] not in self.people] or list(every)

    def expect_rate(self, bot: int) -> float:
        """Return the expected score against all others, each counted equally: from 0 to 1.

        Players that are rated apart do not count as others.
        """
        own = self.strengths[bot]
        others = [1 / (1 + exp(self.strengths[other] - own)) for other in self._pool if other != bot]
        return fsum(others) / max(1, len(others))

    @cached_property
    def _covariance(self) -> Matrix:
        """The covariance of the strengths, in the normal approximation."""
        columns = _invert_lower(self._fit[1])
        size = len(columns)
        found = [[0.0] * size for _ in range(size)]
        for one in range(size):
            for two in range(one, size):
                found[one][two] = found[two][one] = fsum(map(mul, columns[one][two - one :], columns[two]))
        if self.people:
            self._follow_programs(found)
        return found

    def _follow_programs(self, covariance: Matrix) -> None:
        """Add to the covariance what people that are rated apart take over from the programs that they have met."""
        programs = self._pool
        people = [one for one in range(len(self.bots)) if one not in programs]
        numbers = {bot: number for number, bot in enumerate(self.bots)}
        weights = {person: dict.fromkeys(programs, 0.0) for person in people}
        for (first, second), found in self.counts.items():
            one, two = sorted((numbers[first], numbers[second]), key=lambda number: number not in weights)
            if one in weights and two not in weights:
                expected = 1 / (1 + exp(self.strengths[two] - self.strengths[one]))
                weights[one][two] += _sum_games(found)[0] * expected * (1 - expected)
        slopes = [  # by how much the strength of each person moves with that of each program
            [fsum(covariance[person][other] * weights[other][program] for other in people) for program in programs]
            for person in people
        ]
        shared = [
            [fsum(map(mul, slope, (covariance[other][program] for other in programs))) for program in programs]
            for slope in slopes
        ]
        for one, with_programs in zip(people, shared, strict=True):
            for two, slope in zip(people, slopes, strict=True):
                covariance[one][two] += fsum(map(mul, with_programs, slope))
            for program, value in zip(programs, with_programs, strict=True):
                covariance[one][program] = covariance[program][one] = value

    @cached_property
    def _reach_ahead(self) -> list[int]:
        """For each bot, the bots that it is ahead of, directly or through others, as bits."""
        return self._close({"ahead": (True, False), "behind": (False, True), "equal": (False, False)})

    @cached_property
    def _reach(self) -> list[int]:
        """The same, with bots that are about equal ahead of each other."""
        return self._close({"ahead": (True, False), "behind": (False, True), "equal": (True, True)})

    def _close(self, directions: Mapping[Verdict, tuple[bool, bool]]) -> list[int]:
        """Return the bots that each bot reaches by verdicts; a verdict leads on, back, both ways or nowhere."""
        numbers = {bot: number for number, bot in enumerate(self.bots)}
        reach = [0] * len(self.bots)
        for (first, second), verdict in self.verdicts.items():
            one, two = numbers[first], numbers[second]
            leads_on, leads_back = directions[verdict]
            reach[one] |= leads_on << two
            reach[two] |= leads_back << one
        for middle in range(len(reach)):
            for start in range(len(reach)):
                if reach[start] >> middle & 1:
                    reach[start] |= reach[middle]
        return reach

    @cached_property
    def _fit(self) -> tuple[list[float], Matrix]:
        """Fit strengths (Bradley-Terry, a normal prior); return them and the Cholesky factor of their information."""
        numbers = {bot: number for number, bot in enumerate(self.bots)}
        games = [
            (numbers[one], numbers[two], *_sum_games(found))
            for (one, two), found in self.counts.items()
            if found.counts
        ]
        size = len(self.bots)
        links = {numbers[bot]: numbers[parent] for bot, parent in self.parents.items()}
        apart = {number for bot, number in numbers.items() if bot in self.people}
        strengths = [0.0] * size
        factor: Matrix = []
        for _ in range(_STEPS + 1):
            gradient = [0.0] * size
            information = [[0.0] * size for _ in range(size)]
            for bot in range(size):
                spread = _SPREAD if bot not in links else _VERSION_SPREAD
                distance = strengths[bot] - (strengths[links[bot]] if bot in links else 0.0)
                gradient[bot] -= distance / spread**2
                information[bot][bot] += 1 / spread**2
                if bot in links:
                    parent = links[bot]
                    gradient[parent] += distance / spread**2
                    information[parent][parent] += 1 / spread**2
                    information[bot][parent] -= 1 / spread**2
                    information[parent][bot] -= 1 / spread**2
            for one, two, number, score in games:
                expected = 1 / (1 + exp(strengths[two] - strengths[one]))
                surplus, weight = score - number * expected, number * expected * (1 - expected)
                is_mixed = (one in apart) != (two in apart)  # then the strength of the program counts as known
                if not is_mixed or one in apart:
                    gradient[one] += surplus
                    information[one][one] += weight
                if not is_mixed or two in apart:
                    gradient[two] -= surplus
                    information[two][two] += weight
                if not is_mixed:
                    information[one][two] -= weight
                    information[two][one] -= weight
            factor = _factor(information)
            step = _solve_upper(factor, _solve_lower(factor, gradient))
            longest = max(_LONGEST_STEP, *map(abs, step))
            strengths = [own + change * _LONGEST_STEP / longest for own, change in zip(strengths, step, strict=True)]
        return strengths, factor


def _sum_games(found: PairingCount) -> tuple[int, float]:
    """Return the number of games of a pairing that are evidence, and the first bot's score."""
    return 2 * sum(found.counts), fsum(map(mul, found.counts, PAIR_SCORES))


# --- the next pairing -----------------------------------------------------------------------------


def list_open(knowledge: Knowledge, sizes: Sequence[int]) -> list[int]:
    """List the sizes for which it is not decided which bots are the best ones."""
    return [size for size in sizes if not knowledge.is_cut(size)]


def choose_pairing(
    knowledge: Knowledge, sizes: Sequence[int], in_progress: Collection[Pairing], number: int
) -> Pairing | None:
    """Choose the pairing that promises most for the decision which bots are the best, for numbers of bots `sizes`.

    A pairing in progress is chosen only if there is no other.  `number` is a random number, from which all random
    choices follow.  Returns None if all is decided, or if no new games are expected of the pairings that could decide.
    """
    chance = _draw_shares(number)
    opened = sorted(list_open(knowledge, sizes), key=lambda _: next(chance))
    least = knowledge.width / ELO_UNIT
    for size in opened:
        first = knowledge.draw_strengths(chance)
        best = sorted(range(len(first)), key=lambda bot: -first[bot])[:size]
        second = knowledge.draw_strengths(chance)
        for leaders in (best, knowledge.order[:size]):
            candidates = [
                # The nearest bots; of those that may be about equal, the ones that have met most often.
                (
                    max(second[one] - second[two], least),
                    -sum(knowledge.count(one, two).counts),
                    knowledge.pair(one, two),
                )
                for one, two in _list_candidates(knowledge, leaders)
            ]
            if candidates:
                idle = [candidate for candidate in candidates if candidate[-1] not in in_progress]
                return min(idle or candidates)[-1]
    return None


def _draw_shares(number: int) -> Iterator[float]:
    """Yield random numbers between 0 and 1, which follow from a number."""
    for place in count():
        yield (derive_seed(number, place) + 0.5) / 2**53


def _list_candidates(knowledge: Knowledge, leaders: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the pairings of a leader and another bot whose games could decide something."""
    others = [bot for bot in range(len(knowledge.bots)) if bot not in leaders]
    for one in leaders:
        for two in others:
            if not knowledge.is_related(one, two) and not knowledge.count(one, two).is_exhausted:
                yield one, two


# --- linear equations -----------------------------------------------------------------------------

# A schedule must be the same on every machine: libraries of linear algebra round differently, and so does `sum` in
# different versions of Python; `fsum` rounds once.


def _factor(matrix: Matrix) -> Matrix:
    """Return the lower Cholesky factor of a positive definite matrix."""
    lower: Matrix = []
    for row, values in enumerate(matrix):
        own: list[float] = []
        for column in range(row):
            other = lower[column]
            own.append((values[column] - fsum(map(mul, own, other))) / other[column])
        own.append(sqrt(values[row] - fsum(map(mul, own, own))))
        lower.append(own)
    return lower


def _solve_lower(lower: Matrix, values: Sequence[float]) -> list[float]:
    """Solve lower @ x = values."""
    found: list[float] = []
    for row, value in zip(lower, values, strict=True):
        found.append((value - fsum(map(mul, found, row))) / row[len(found)])
    return found


def _invert_lower(lower: Matrix) -> Matrix:
    """Return the columns of the inverse, each from the diagonal on."""
    columns: list[list[float]] = []
    for first in range(len(lower)):
        column = [1 / lower[first][first]]
        for row in range(first + 1, len(lower)):
            column.append(-fsum(map(mul, lower[row][first:row], column)) / lower[row][row])
        columns.append(column)
    return columns


def _solve_upper(lower: Matrix, values: Sequence[float]) -> list[float]:
    """Solve the transpose of lower @ x = values."""
    left = list(values)
    for row in range(len(lower) - 1, -1, -1):
        left[row] /= lower[row][row]
        for column in range(row):
            left[column] -= lower[row][column] * left[row]
    return left

"""Strengths of the players of a ladder by their games, and what further games would show about their order."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import exp, fsum, log, sqrt
from operator import mul
from statistics import NormalDist
from typing import Final

from msgspec import Struct

from arbiter.tournament.ratings.pairs import PAIR_SCORES
from arbiter.tournament.schedule.pairing_counts import Pairing, PairingCount

_SPREAD: Final = 1.5  # standard deviation of strengths before the first game, in natural units: about 260 Elo
_VERSION_SPREAD: Final = 1.0  # of the difference between a version and its parent: about 170 Elo
_STEPS: Final = 4  # of Newton's method
_LONGEST_STEP: Final = 2.0
ELO_UNIT: Final = 400 / log(10)  # in a natural unit
_NORMAL: Final = NormalDist()

Matrix = list[list[float]]


class KnownStrengths(Struct, frozen=True, dict=True):
    """The strengths that the games of a pool have shown."""

    bots: tuple[str, ...]
    """In the order of their seeding."""
    counts: Mapping[Pairing, PairingCount]
    parents: Mapping[str, str] = {}
    """Bots that are new versions of others: before its first game, such a bot is about as strong as its parent."""
    people: frozenset[str] = frozenset()
    """Players that are rated apart, against the programs: their games change no rating of a program."""

    @cached_property
    def strengths(self) -> list[float]:
        """The likeliest strength of each bot, in natural units, with mean 0 before the first game."""
        return self._fit[0]

    def judge_gain(self, one: int, two: int) -> float:
        """Return what a pair of games of two bots is expected to show about their order, from 0 to 1.

        It is the probability that the order of their strengths is wrong, as a share of one half, times the share of the
        variance of their difference that the games remove.
        """
        played = self.counts.get((self.bots[min(one, two)], self.bots[max(one, two)]))
        if played is not None and played.is_exhausted:
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
        covariance = self._covariance
        pool = self._pool
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
                surplus = score - number * expected
                weight = number * expected * (1 - expected)
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

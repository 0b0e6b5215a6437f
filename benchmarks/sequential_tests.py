"""Simulated sequential tests with a seed: error rates, length, and estimates before and after the correction."""

import math
import random
import statistics

from msgspec import Struct

from arbiter.tournament.ratings.sequential import correct_for_stop, forecast
from arbiter.tournament.ratings.sprt import Sprt, llr
from arbiter.tournament.ratings.values import Estimate
from benchmarks.measured import Measured

RUNS, SHORT_RUNS = 1000, 20
MOST_CORRECTED = 120  # of the runs, the first
SEED = 1
MOST_PAIRS = 5000
RESAMPLES = 500
UNLIMITED = Estimate(0.0, -math.inf, math.inf)  # the estimate if the games set no limit
SETTINGS = (
    *((Sprt(elo0=0, elo1=50), elo, 0.0) for elo in (-25, 0, 25, 50, 75)),
    *((Sprt(elo0=0, elo1=50), elo, 0.5) for elo in (0, 25, 50)),
    *((Sprt(elo0=0, elo1=200), elo, 0.0) for elo in (0, 100, 200)),
    *((Sprt(elo0=0, elo1=50, model="normalized"), elo, 0.0) for elo in (0, 50)),
    (Sprt(elo0=0, elo1=50, model="normalized"), 50, 0.5),
)


class Summary(Struct, frozen=True):
    """Simulated tests of one kind."""

    test: Sprt
    elo: float
    """The true difference, on the scale of the test."""
    drawn: float
    """Share of games that are drawn."""
    runs: int
    accepted: float
    """Share of tests that accepted H1."""
    pairs: float
    """Mean number of pairs of games."""
    expected: float | None
    """The number that is forecast, at the differences for which there is a forecast."""
    score: tuple[float, float]
    """Median of the score's Elo at the stop, and its standard error."""
    corrected: tuple[float, float]
    """The same of the corrected Elo."""
    plain_coverage: float
    """Share of the intervals of a fixed number of games that contain the truth."""
    coverage: float
    """Share of the corrected intervals."""
    corrected_runs: int
    """The number of tests with corrected values: the first ones."""
    in_range: float | None
    """Share of tests whose length is in the range of the forecast."""


def draw_pairs(elo: float, sprt: Sprt, drawn: float) -> list[float]:
    """Return the probabilities of pair scores: independent games with this share of draws."""
    if sprt.model == "logistic":
        score = 1 / (1 + 10 ** (-elo / 400))
    else:
        # The ratio of score - 1/2 to the standard deviation, whose square is (1 - drawn) / 4 - (score - 1/2)^2.
        ratio = elo / (800 / math.log(10))
        score = 1 / 2 + ratio * math.sqrt((1 - drawn) / 4 / (1 + ratio * ratio))
    won, lost = score - drawn / 2, 1 - score - drawn / 2
    return [lost**2, 2 * lost * drawn, 2 * won * lost + drawn**2, 2 * won * drawn, won**2]


def run_test(sprt: Sprt, weights: list[float], chance: random.Random) -> tuple[int, ...]:
    """Draw pairs until a test ends; return their counts."""
    counts = [0] * 5
    while sum(counts) < MOST_PAIRS:
        counts[chance.choices(range(5), weights)[0]] += 1
        if not sprt.lower < llr(counts, sprt.elo0, sprt.elo1, sprt.model) < sprt.upper:
            break
    return tuple(counts)


def estimate_plainly(counts: tuple[int, ...], sprt: Sprt) -> Estimate:
    """Estimate as after a fixed number of games, by the normal distribution of the score."""
    pairs = sum(counts)
    mean = sum(count * score / 4 for score, count in enumerate(counts)) / pairs
    variance = sum(count * (score / 4 - mean) ** 2 for score, count in enumerate(counts)) / pairs
    error = 1.96 * math.sqrt(variance / pairs)

    def to_elo(score: float) -> float:
        inside = min(max(score, 1e-6), 1 - 1e-6)
        if sprt.model == "logistic":
            return 400 * math.log10(inside / (1 - inside))
        return (inside - 0.5) / math.sqrt(2 * max(variance, 1e-9)) * 800 / math.log(10)

    return Estimate(to_elo(mean), to_elo(mean - error), to_elo(mean + error))


def find_median(values: list[float], chance: random.Random) -> tuple[float, float]:
    """Return the median and its standard error, by a bootstrap."""
    medians = [statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLES)]
    return statistics.median(values), statistics.stdev(medians)


def measure(sprt: Sprt, elo: float, drawn: float, runs: int, seed: int) -> Summary:
    """Simulate tests."""
    chance = random.Random(seed)
    weights = draw_pairs(elo, sprt, drawn)
    tests = [run_test(sprt, weights, chance) for _ in range(runs)]
    plain = [estimate_plainly(counts, sprt) for counts in tests]
    corrected = [correct_for_stop(sprt, counts).correct(UNLIMITED, sprt.model) for counts in tests[:MOST_CORRECTED]]
    # Before the first game nothing is known about draws, so the forecast of a match assumes none.
    expected = {one.elo: one for one in forecast(sprt, MOST_PAIRS, (0,) * 5)}.get(elo)
    return Summary(
        sprt,
        elo,
        drawn,
        runs,
        accepted=sum(llr(counts, sprt.elo0, sprt.elo1, sprt.model) >= sprt.upper for counts in tests) / runs,
        pairs=statistics.mean(map(sum, tests)),
        expected=None if drawn or expected is None else expected.pairs,
        score=find_median([one.elo for one in plain], chance),
        corrected=find_median([one.elo for one in corrected], chance),
        plain_coverage=sum(one.low <= elo <= one.high for one in plain) / runs,
        coverage=sum(one.low <= elo <= one.high for one in corrected) / len(corrected),
        corrected_runs=len(corrected),
        in_range=None
        if expected is None
        else sum(expected.low <= sum(counts) <= expected.high for counts in tests) / runs,
    )


def list_errors(found: list[Summary], *, is_full: bool) -> list[Measured]:
    """List the shares of wrong decisions at the bounds of the tests."""
    rows = []
    for one in found:
        test = one.test
        if one.elo in {test.elo0, test.elo1}:
            wrong = one.accepted if one.elo == test.elo0 else 1 - one.accepted
            what = f"wrong decisions of {test.elo0:g} against {test.elo1:g}, {test.model}, true Elo {one.elo:g}, {one.drawn:.0%} drawn"
            most = 0.05 + 2 * (wrong * (1 - wrong) / one.runs) ** 0.5
            rows.append(Measured(what, wrong, "", "nothing", at_most=most if is_full else None))
    return rows


def main(*, is_full: bool) -> list[Measured]:
    """Simulate and print."""
    found = [measure(*setting, RUNS if is_full else SHORT_RUNS, SEED) for setting in SETTINGS]
    print(*found, sep="\n")
    return list_errors(found, is_full=is_full)

"""Simulated matches of several candidates against one baseline: how often any is accepted that is not better."""

import random

from arbiter.tournament.ratings.pairs import Sprt, llr
from arbiter.tournament.results.snapshot import Matches
from benchmarks.measured import Measured

RUNS, SHORT_RUNS = 1000, 30
SEED = 1
SPRT = Sprt(elo0=0, elo1=50)
COUNTS = (1, 3, 8)
MOST_PAIRS = 5000


def run_test(sprt: Sprt, elo: float, chance: random.Random) -> tuple[bool, int]:
    """Play pairs of independent games until a test ends; return True if H1 is accepted, and the number of pairs."""
    won = 1 / (1 + 10 ** (-elo / 400))
    counts = [0] * 5
    for pair in range(1, MOST_PAIRS + 1):
        counts[2 * ((chance.random() < won) + (chance.random() < won))] += 1
        ratio = llr(counts, sprt.elo0, sprt.elo1)
        if ratio >= sprt.upper or ratio <= sprt.lower:
            return ratio > 0, pair
    return False, MOST_PAIRS


def main(*, is_full: bool = False) -> list[Measured]:
    runs = RUNS if is_full else SHORT_RUNS
    chance = random.Random(SEED)
    rows = []
    print("| candidates, all equal to the baseline | any accepted | mean games of each |")
    print("|---|---|---|")
    for candidates in COUNTS:
        tests = Matches([*(f"bot{number}" for number in range(candidates)), "main"], SPRT).runs.values()
        found = [[run_test(test.sprt, 0.0, chance) for test in tests] for _ in range(runs)]
        wrong = sum(any(is_accepted for is_accepted, _ in one) for one in found) / runs
        games = 2 * sum(pairs for one in found for _, pairs in one) / runs / candidates
        error = (wrong * (1 - wrong) / runs) ** 0.5
        print(f"| {candidates} | {100 * wrong:.1f} ± {100 * error:.1f} % | {games:,.0f} |", flush=True)
        target = 100 * (SPRT.alpha + 2 * error) if is_full else None
        rows.append(
            Measured(f"any of {candidates} equal candidates accepted", 100 * wrong, "%", "nothing", at_most=target)
        )
    return rows

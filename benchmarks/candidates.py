"""Simulated matches of several candidates against one baseline: how often any is accepted that is not better."""

import random
import statistics

from arbiter.tournament.ratings.sprt import Sprt, llr
from arbiter.tournament.results.snapshot import Matches
from benchmarks.measured import Measured, write_markdown, write_share

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


def simulate(*, is_full: bool) -> tuple[str, list[Measured]]:
    """Simulate; return the table, and the shares of matches with a wrong decision."""
    runs = RUNS if is_full else SHORT_RUNS
    chance = random.Random(SEED)
    rows, measured = [], []
    for candidates in COUNTS:
        tests = Matches([*(f"bot{number}" for number in range(candidates)), "main"], SPRT).runs.values()
        found = [[run_test(test.sprt, 0.0, chance) for test in tests] for _ in range(runs)]
        wrong = sum(any(is_accepted for is_accepted, _ in one) for one in found)
        games = [2 * sum(pairs for _, pairs in one) / candidates for one in found]
        error = statistics.stdev(games) / runs**0.5
        rows.append((str(candidates), write_share(wrong, runs), f"{statistics.mean(games):,.0f} ± {error:.0f}"))
        share = wrong / runs
        most = 100 * (SPRT.alpha + 2 * (share * (1 - share) / runs) ** 0.5) if is_full else None
        what = f"any of {candidates} equal candidates accepted"
        measured.append(Measured(what, 100 * share, "%", "nothing", at_most=most))
    return write_markdown(("candidates", "any of them accepted", "mean games of each"), rows), measured


def main(*, is_full: bool = False) -> list[Measured]:
    """Simulate and print."""
    table, rows = simulate(is_full=is_full)
    print(table)
    return rows

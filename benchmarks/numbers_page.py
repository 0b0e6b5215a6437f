"""Write docs/numbers.md and its plots: all simulations of the statistics, with their seeds and standard errors.

The short form simulates less, and writes into benchmarks/build/numbers.
"""

from pathlib import Path
from typing import Final

from benchmarks import candidates, cycles, intervals, priors, ratings, sequential_tests
from benchmarks.measured import Measured
from benchmarks.numbers_tables import (
    describe_attainable,
    describe_intervals,
    describe_likelihoods,
    describe_tests,
    plot_intervals,
    plot_tests,
)

DOCS: Final = Path(__file__).parent.parent / "docs"
SHORT_DOCS: Final = Path(__file__).parent / "build" / "numbers"
PAGE: Final = Path(__file__).with_suffix(".txt")

Texts = dict[str, str]  # that take the places of names in the page


def write_intervals(plots: Path, *, is_full: bool) -> tuple[Texts, list[Measured]]:
    """Measure intervals and likelihoods."""
    found, measured = intervals.simulate_all(is_full=is_full)
    (plots / "intervals.svg").write_text(plot_intervals(found), encoding="utf-8")
    return {
        "intervals": describe_intervals(found),
        "attainable": describe_attainable(),
        "likelihoods": describe_likelihoods(intervals.list_usual(found)),
        "outliers": describe_likelihoods(intervals.list_usual(found, is_usual=False)),
    }, measured


def write_tests(plots: Path, *, is_full: bool) -> tuple[Texts, list[Measured]]:
    """Measure sequential tests."""
    runs = sequential_tests.RUNS if is_full else sequential_tests.SHORT_RUNS
    found = [sequential_tests.measure(*setting, runs, sequential_tests.SEED) for setting in sequential_tests.SETTINGS]
    (plots / "sequential.svg").write_text(plot_tests(found), encoding="utf-8")
    corrected = min(runs, sequential_tests.MOST_CORRECTED)
    texts = {"tests": f"{runs:,}", "corrected": f"{corrected:,}", "sequential": describe_tests(found)}
    return texts, sequential_tests.list_errors(found, is_full=is_full)


def write_tables(_: Path, *, is_full: bool) -> tuple[Texts, list[Measured]]:
    """Measure what has a single table."""
    texts: Texts = {"prior_spread": f"{priors.SPREAD:g}"}
    measured: list[Measured] = []
    for name, number, runs, short_runs, simulate in (
        ("priors", "prior_tournaments", priors.TOURNAMENTS, priors.SHORT_TOURNAMENTS, priors.simulate),
        ("cycles", "cycle_pools", cycles.POOLS, cycles.SHORT_POOLS, cycles.simulate),
        ("candidates", "candidate_matches", candidates.RUNS, candidates.SHORT_RUNS, candidates.simulate),
    ):
        table, rows = simulate(is_full=is_full)
        texts |= {name: table, number: f"{runs if is_full else short_runs:,}"}
        measured += rows
    return texts, measured


def main(*, is_full: bool) -> list[Measured]:
    """Simulate with one thread, and write the page."""
    docs = DOCS if is_full else SHORT_DOCS
    plots = docs / "plots"
    plots.mkdir(parents=True, exist_ok=True)
    texts, measured = {"seed": str(intervals.SEED), **ratings.describe()}, []
    for write in (write_intervals, write_tests, write_tables):
        some, rows = write(plots, is_full=is_full)
        texts |= some
        measured += rows
    page = docs / "numbers.md"
    page.write_text(PAGE.read_text(encoding="utf-8").format(**texts), encoding="utf-8")
    print(f"written: {page}")
    return measured

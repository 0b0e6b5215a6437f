"""The tables and plots of docs/numbers.md."""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from operator import mul
from typing import Final

from benchmarks import intervals, sequential_tests
from benchmarks.measured import write_markdown

WIDTH: Final = 640
ROW: Final = 30
LEFT: Final = 300
GAMES: Final = 4  # of a match with few possible scores
DIFFERENCES: Final = (0, 50, 100, 150, 200, 300)  # Elo, of such matches
MIDDLE: Final = 0.955  # of the shares that intervals should have


def plot(
    title: str, labels: Sequence[str], dots: Sequence[Sequence[tuple[float, float, str]]], marks: Sequence[float]
) -> str:
    """Draw a dot plot as SVG: for each label, dots with a value, a standard error and a colour; lines at the marks."""
    values = [value + side * error for row in dots for value, error, _ in row for side in (-2, 2)] + list(marks)
    low, high = min(values), max(values)

    def x(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - 20) * (value - low) / (high - low or 1), 1)

    height = ROW * len(labels) + 50
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for mark in marks:
        lines.append(f'<line x1="{x(mark)}" x2="{x(mark)}" y1="10" y2="{height - 30}" stroke="#bbb"/>')
        lines.append(f'<text x="{x(mark)}" y="{height - 12}" text-anchor="middle" fill="#444">{mark:g}</text>')
    for place, (label, row) in enumerate(zip(labels, dots, strict=True)):
        y = 10 + ROW * place + ROW // 2
        lines.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end" fill="#222">{label}</text>')
        for number, (value, error, colour) in enumerate(row):
            height_of_dot = y + 6 * number - 3 * (len(row) - 1)
            ends = f'x1="{x(value - 2 * error)}" x2="{x(value + 2 * error)}"'
            lines.append(f'<line {ends} y1="{height_of_dot}" y2="{height_of_dot}" stroke="{colour}"/>')
            lines.append(f'<circle cx="{x(value)}" cy="{height_of_dot}" r="4" fill="{colour}"/>')
    return "\n".join([*lines, "</svg>", ""])


def describe_intervals(found: Sequence[intervals.Coverage]) -> str:
    """Write the table of coverage."""
    return write_markdown(
        ("tournament", "simulated", "bots", "differences", "red's advantage", "half width"),
        [
            (
                one.name,
                f"{one.tournaments:,}",
                *(
                    f"{100 * mean:.1f} % ± {100 * error:.1f}"
                    for mean, error in (one.bots, one.differences, one.advantage)
                ),
                f"{one.half_width:.0f}",
            )
            for one in found
        ],
    )


def describe_attainable() -> str:
    """Write the shares of intervals of a score that can contain a difference, next to 95.5 %."""
    rows = []
    for elo in DIFFERENCES:
        won = 1 / (1 + 10 ** (-elo / 400))
        scores = [comb(GAMES, score) * won**score * (1 - won) ** (GAMES - score) for score in range(GAMES + 1)]
        shares = [sum(scores[first:last]) for first, last in combinations(range(GAMES + 2), 2)]
        below, above = max(one for one in shares if one < MIDDLE), min(one for one in shares if one >= MIDDLE)
        rows.append((f"{elo} Elo", f"{100 * below:.1f} %", f"{100 * above:.1f} %"))
    return write_markdown(("true difference", "at most", "or at least"), rows)


def describe_likelihoods(found: Sequence[intervals.Coverage]) -> str:
    """Write the table of statements and truth, in ten bins."""
    tables = [sum(one.superiority for one in found), sum(one.first for one in found)]
    rows = []
    for place in range(intervals.BINS):
        cells = []
        for table in tables:
            count, stated, true, *squares = table[place].tolist()
            share = true / max(count, 1)
            # Statements about the same tournament depend on each other: a tournament is one observation.
            error = sum(map(mul, squares, (share**2, -2 * share, 1))) ** 0.5 / max(count, 1)
            cells += (
                [f"{100 * stated / count:.0f} %", f"{100 * share:.1f} % ± {100 * error:.1f}"] if count else ["", ""]
            )
        rows.append(cells)
    return write_markdown(("LOS", "true", "first", "true"), rows)


def describe_tests(found: Sequence[sequential_tests.Summary]) -> str:
    """Write the table of sequential tests."""

    def share(value: float, runs: int) -> str:
        return f"{100 * value:.1f} % ± {100 * (value * (1 - value) / runs) ** 0.5:.1f}"

    def median(value: float, error: float) -> str:
        return f"{round(value) + 0} ± {error:.0f}"

    return write_markdown(
        (
            "test",
            "true Elo",
            "drawn",
            "H1 accepted",
            "pairs",
            "expected",
            "Elo at the stop",
            "corrected",
            "interval",
            "corrected interval",
            "in the range",
        ),
        [
            (
                f"{one.test.elo0:g} against {one.test.elo1:g}, {one.test.model}",
                f"{one.elo:g}",
                f"{100 * one.drawn:.0f} %",
                share(one.accepted, one.runs),
                f"{one.pairs:.0f}",
                "" if one.expected is None else f"{one.expected:.0f}",
                median(*one.score),
                median(*one.corrected),
                share(one.plain_coverage, one.runs),
                share(one.coverage, one.corrected_runs),
                "" if one.in_range is None else share(one.in_range, one.runs),
            )
            for one in found
        ],
    )


def plot_intervals(found: Sequence[intervals.Coverage]) -> str:
    """Draw the coverage of the intervals of bots."""
    rows = [[(*one.bots, "#2360a5")] for one in found]
    marks = (0.9, 0.94, 0.95, 1.0)
    return plot("Share of intervals that contain the true rating", [one.name for one in found], rows, marks)


def plot_tests(found: Sequence[sequential_tests.Summary]) -> str:
    """Draw the Elo at the stop of a test, and corrected."""
    of_test = [one for one in found if (one.test.elo1, one.test.model) == (50, "logistic")]
    return plot(
        "Median Elo at the stop of a test of 0 against 50 (red) and corrected (blue)",
        [f"true Elo {one.elo:g}, {one.drawn:.0%} drawn: at the stop (red), corrected" for one in of_test],
        [[(*one.score, "#b23a26"), (*one.corrected, "#2360a5")] for one in of_test],
        [one.elo for one in of_test if not one.drawn],
    )

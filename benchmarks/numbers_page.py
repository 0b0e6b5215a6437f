"""Write docs/numbers.md and its plots: all simulations of the statistics, with their seeds and standard errors.

The short form simulates less, and writes into benchmarks/build/numbers.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks import intervals, ratings, sequential_tests
from benchmarks.measured import Measured

DOCS: Final = Path(__file__).parent.parent / "docs"
SHORT_DOCS: Final = Path(__file__).parent / "build" / "numbers"
TOURNAMENTS, SHORT_TOURNAMENTS = 100, 2
TESTS, SHORT_TESTS = 120, 10
SEED: Final = 1
WIDTH: Final = 640
ROW: Final = 30
LEFT: Final = 300
PAGE: Final = """# Numbers

Simulations of the statistics in [standings.md](standings.md): how often intervals contain the truth, how often tests err, and what they cost.
`.venv/bin/python -m benchmarks numbers_page --full` repeats them and writes this page; the seed is {seed}, and "±" is one standard error.

- [Intervals of ratings](#intervals-of-ratings)
- [Likelihoods](#likelihoods)
- [After a sequential test](#after-a-sequential-test)
- [Processor time](#processor-time)
- [Another program for ratings](#another-program-for-ratings)

To see these statistics for a tournament:

```console
$ arbiter standings tournaments/demo.toml --show ratings
```

## Intervals of ratings

{tournaments} simulated tournaments of each kind; an interval should contain the true rating in 95 of 100.
Unless the name of a row says otherwise, strengths have a standard deviation of 150 Elo, red is worth 40 Elo, and one game in five between equal bots is drawn.

{intervals}

![Share of the intervals of ratings that contain the true rating, for each kind of tournament](plots/intervals.svg)

"Half width" is the mean of half the width of a bot's interval, in Elo.
In the rows with deployments, each bot chooses one of so many deployments at random in each game, so that games repeat.

## Likelihoods

What LOS and the probability of being first state, and the share of these statements that are true, over all these tournaments (without those of equal bots).
Statements about the same tournament depend on each other, so standard errors are somewhat larger than those given.

{likelihoods}

## After a sequential test

{tests} simulated tests for each true difference, with alpha and beta 0.05 and independent games.
"Expected" is the number of pairs that a match prints before its first game.
"Elo at the stop" is the median of the score's Elo when the test stops, "corrected" that of the estimate that the match shows; both should be the true difference.
The standard errors of medians come from a bootstrap.
The last columns are the shares of 95 % intervals that contain the true difference: as after a fixed number of games, and corrected.

{sequential}

![Median Elo at the stop of a test and corrected, for each true difference](plots/sequential.svg)

## Processor time

The ratings of 100 bots after {games} games take {seconds:.1f} s of processor time, with one thread; the target is 5 s.
Ratings on served pages are computed again after a hundred times their duration, so they take less than 1 % of a core.

## Another program for ratings

{other}
For Ordo, run `ordo -Q -W -a 0 -p games.pgn` after `arbiter ratings RESULTS --pgn games.pgn`, and for BayesElo `readpgn games.pgn`, `elo`, `mm 1 1`.
Both differ from these ratings after a few games, because their priors differ: here, each bot has half a drawn game more, or one and a quarter if no bot has met all others.
Ordo and BayesElo were not available on the machine that wrote this page, so nobody has compared them yet.

Nash averaging was compared with the implementation in [OpenSpiel](https://github.com/google-deepmind/open_spiel) 2.0.2, which solves the same problem with cvxpy: in nine pools of 3 to 100 bots no weight differed by more than 0.00001. In two more pools OpenSpiel stopped with an error; there no weight differed from that of cvxpy alone by more than 0.00002.
The arbiter has its own, of 60 lines, because OpenSpiel and cvxpy with what they need take more than 300 MB.
"""


def write_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


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
    return write_table(
        ("tournament", "bots", "differences", "red's advantage", "half width"),
        [
            (
                one.name,
                *(
                    f"{100 * mean:.1f} % ± {100 * error:.1f}"
                    for mean, error in (one.bots, one.differences, one.advantage)
                ),
                f"{one.half_width:.0f}",
            )
            for one in found
        ],
    )


def describe_likelihoods(found: Sequence[intervals.Coverage]) -> str:
    """Write the table of statements and truth, in ten bins."""
    tables = [sum(one.superiority for one in found), sum(one.first for one in found)]
    rows = []
    for place in range(intervals.BINS):
        cells = []
        for table in tables:
            count, stated, true = table[place].tolist()
            share = true / max(count, 1)
            error = (share * (1 - share) / max(count, 1)) ** 0.5
            cells += [f"{100 * stated / max(count, 1):.0f} %", f"{100 * share:.1f} % ± {100 * error:.1f}"]
        rows.append(cells)
    return write_table(("LOS", "true", "first", "true"), rows)


def describe_tests(found: Sequence[sequential_tests.Summary]) -> str:
    """Write the table of sequential tests."""

    def share(value: float, runs: int) -> str:
        return f"{100 * value:.1f} % ± {100 * (value * (1 - value) / runs) ** 0.5:.1f}"

    def median(value: float, error: float) -> str:
        return f"{round(value) + 0} ± {error:.0f}"

    return write_table(
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
                share(one.coverage, one.runs),
            )
            for one in found
        ],
    )


def main(*, is_full: bool) -> list[Measured]:
    """Simulate with one thread, and write the page."""
    docs, number, runs = (DOCS, TOURNAMENTS, TESTS) if is_full else (SHORT_DOCS, SHORT_TOURNAMENTS, SHORT_TESTS)
    plots = docs / "plots"
    coverage = [intervals.measure(setting, number, SEED) for setting in intervals.SETTINGS]
    tests = [sequential_tests.measure(*setting, runs, SEED) for setting in sequential_tests.SETTINGS]
    games, seconds = ratings.measure_speed()
    largest = ratings.compare()
    other = (
        "`python -m benchmarks ratings` compares the ratings with those of [choix](https://pypi.org/project/choix/), if it is installed; here it was not."
        if largest is None
        else "`python -m benchmarks ratings` exports a simulated tournament of 12 bots with 6,600 games as PGN, and rates its headers with "
        f"[choix](https://pypi.org/project/choix/), another implementation of the Bradley-Terry model: no rating differs by more than {largest:.1f} Elo."
    )
    plots.mkdir(parents=True, exist_ok=True)
    rows = [[(*one.bots, "#2360a5")] for one in coverage]
    (plots / "intervals.svg").write_text(
        plot(
            "Share of intervals that contain the true rating",
            [one.name for one in coverage],
            rows,
            (0.9, 0.94, 0.95, 1.0),
        ),
        encoding="utf-8",
    )
    of_test = [one for one in tests if (one.test.elo1, one.test.model) == (50, "logistic")]
    (plots / "sequential.svg").write_text(
        plot(
            "Median Elo at the stop of a test of 0 against 50 (red) and corrected (blue)",
            [f"true Elo {one.elo:g}, {one.drawn:.0%} drawn: at the stop (red), corrected" for one in of_test],
            [[(*one.score, "#b23a26"), (*one.corrected, "#2360a5")] for one in of_test],
            [one.elo for one in of_test if not one.drawn],
        ),
        encoding="utf-8",
    )
    page = PAGE.format(
        seed=SEED,
        tournaments=f"{number:,}",
        tests=f"{runs:,}",
        intervals=describe_intervals(coverage),
        likelihoods=describe_likelihoods(coverage),
        sequential=describe_tests(tests),
        games=f"{games:,}",
        seconds=seconds,
        other=other,
    )
    page_file = docs / "numbers.md"
    page_file.write_text(page, encoding="utf-8")
    print(f"written: {page_file}")
    return []

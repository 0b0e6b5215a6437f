"""Coordinates of the lines and bars of charts, which the templates draw."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, log10
from typing import Final

from msgspec import Struct

from arbiter.tournament.ratings.sprt import SprtRun
from arbiter.tournament.ratings.values import Estimate, Ratings
from arbiter.tournament.standings.crosstable import round_points
from arbiter.tournament.standings.stored_game import StoredGame

WIDTH: Final = 640
HEIGHT: Final = 280
_MOST_POINTS: Final = 160  # of a line; more cannot be seen
_TICKS: Final = 5
_BINS: Final = 24


class ChartLine(Struct, frozen=True):
    """The line of a bot."""

    bot: str

    points: str
    """The points in the syntax of SVG."""

    value: float
    """The value at the end of the line."""


class Plot(Struct, frozen=True):
    """Lines, and the ticks of both axes with their coordinate and value."""

    lines: tuple[ChartLine, ...]
    x_ticks: tuple[tuple[float, float], ...]
    y_ticks: tuple[tuple[float, float], ...]


def plot_scores(bots: Sequence[str], games: Iterable[StoredGame]) -> Plot:
    """Plot the points of each bot after each game, in the order in which the games started."""
    played = sorted((game for game in games if game.ending != "void"), key=lambda game: (game.started, game.id))
    runs: dict[str, list[tuple[int, float]]] = {bot: [(0, 0.0)] for bot in bots}
    for number, game in enumerate(played, start=1):
        for bot, points in ((game.red, game.red_points), (game.blue, game.blue_points)):
            if bot in runs:
                runs[bot].append((number, round_points(runs[bot][-1][1] + points)))
    values = [value for run in runs.values() for _, value in run]
    low = min(0.0, *values)
    high = max(1.0, *values)

    def x(number: float) -> float:
        return round(WIDTH * number / max(1, len(played)), 1)

    def y(value: float) -> float:
        return round(HEIGHT * (high - value) / (high - low), 1)

    lines = []
    for bot, run in runs.items():
        last = run[-1][1]
        complete = [*run, (len(played), last)]
        step = ceil(len(complete) / _MOST_POINTS)
        kept = [*complete[::step], complete[-1]]
        lines.append(ChartLine(bot, " ".join(f"{x(number):g},{y(value):g}" for number, value in kept), last))
    return Plot(
        lines=tuple(lines),
        x_ticks=tuple((x(tick), tick) for tick in choose_ticks(0, max(1, len(played)))),
        y_ticks=tuple((y(tick), tick) for tick in choose_ticks(low, high)),
    )


def plot_test(run: SprtRun) -> Plot:
    """Plot the log-likelihood ratio of a sequential test after each pair of games, with its bounds."""
    values = run.llrs
    low = min(run.sprt.lower, *values)
    high = max(run.sprt.upper, *values)
    pairs = max(1, len(values) - 1)

    def x(pair: float) -> float:
        return round(WIDTH * pair / pairs, 1)

    def y(value: float) -> float:
        return round(HEIGHT * (high - value) / (high - low), 1)

    step = ceil(len(values) / _MOST_POINTS)
    points = [*list(enumerate(values))[::step], (len(values) - 1, values[-1])]
    return Plot(
        lines=(ChartLine("LLR", " ".join(f"{x(pair):g},{y(value):g}" for pair, value in points), values[-1]),),
        x_ticks=tuple((x(tick), tick) for tick in choose_ticks(0, pairs)),
        y_ticks=tuple((y(tick), round(tick, 2)) for tick in (run.sprt.lower, 0.0, run.sprt.upper)),
    )


def choose_ticks(low: float, high: float) -> list[float]:
    """Choose round values from `low` to `high`."""
    step = _round_up((high - low) / _TICKS)
    return [round_points(step * number) for number in range(ceil(low / step), floor(high / step) + 1)]


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, 50 ..., also below 1."""
    unit = 10.0 ** floor(log10(value))
    return next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= value)


class Bar(Struct, frozen=True):
    label: str
    value: float

    share: float
    """Length in per cent of the longest bar."""


def make_bars(values: Mapping[str, float]) -> tuple[Bar, ...]:
    most = max(values.values(), default=0.0) or 1.0
    return tuple(Bar(label, value, round(100 * value / most, 1)) for label, value in values.items())


def count_lengths(games: Iterable[StoredGame]) -> tuple[Bar, ...]:
    """Count games by their length in plies, in intervals of a round size."""
    plies = [game.plies for game in games if game.ending not in {"walkover", "void"}]
    if not plies:
        return ()
    step = int(_round_up(max(1.0, max(plies) / _BINS)))
    counts = Counter(length // step for length in plies)
    return make_bars(
        {f"{number * step}-{(number + 1) * step - 1}": counts[number] for number in range(max(counts) + 1)}
    )


class Scale(Struct, frozen=True):
    """A scale of Elo ratings."""

    low: float
    high: float

    def at(self, elo: float) -> float:
        """Return the position of a rating, from 0 to 100."""
        return round(100 * (elo - self.low) / (self.high - self.low), 2)


def make_rating_scale(ratings: Ratings) -> Scale:
    """Make a scale that contains all ratings with their intervals."""
    found: list[Estimate] = [one.rating for one in ratings.bots if one.rating]
    low = min((one.low for one in found), default=0.0)
    high = max((one.high for one in found), default=0.0)
    margin = max(1.0, (high - low) * 0.04)
    return Scale(low - margin, high + margin)

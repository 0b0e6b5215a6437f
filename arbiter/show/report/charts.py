"""Coordinates of the lines and bars of charts, which the templates draw."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, log10
from typing import Final

from msgspec import Struct
from rich.cells import cell_len, chop_cells

from arbiter.tournament.ratings.sprt import SprtRun
from arbiter.tournament.ratings.values import Estimate, Ratings
from arbiter.tournament.standings.crosstable import round_points
from arbiter.tournament.standings.stored_game import StoredGame

WIDTH: Final = 640
HEIGHT: Final = 280
_MOST_POINTS: Final = 160  # of a line, half as many on a small chart; more cannot be seen
_TICKS: Final = 5
_LABEL_HEIGHT: Final = 14.0
_LONGEST_LABEL: Final = 16  # columns of text
MOST_TOGETHER: Final = 8
"""Lines that one chart shows in different colours; more lines have a chart each."""
_SERIES: Final = (1, 1.5, 2, 3, 5, 7)  # in each power of ten: each interval is about one and a half times the last


class ChartLine(Struct, frozen=True):
    """The line of a bot."""

    bot: str

    points: str
    """The points in the syntax of SVG."""

    value: float
    """The value at the end of the line."""

    colour: int = 1
    """Number of the colour, from 1."""

    label_y: float = 0.0
    """Height of the label next to the end of the line; labels do not overlap."""


class Mark(Struct, frozen=True):
    """A place on the axis at which a bot began."""

    x: float
    bot: str


class Axes(Struct, frozen=True):
    """The ranges that the axes of a plot show."""

    left: float
    right: float
    low: float
    high: float

    def x(self, value: float) -> float:
        return round(WIDTH * (value - self.left) / max(1, self.right - self.left), 1)

    def y(self, value: float) -> float:
        return round(HEIGHT * (self.high - value) / (self.high - self.low), 1)

    def path(self, points: Iterable[tuple[float, float]]) -> str:
        """Write the points of a line in the syntax of SVG."""
        return " ".join(f"{self.x(at):g},{self.y(value):g}" for at, value in points)

    def outline(self, history: Sequence[tuple[int, Estimate]]) -> str:
        """Write the outline of intervals in the syntax of SVG; empty for none."""
        points = [(at, one.high) for at, one in history] + [(at, one.low) for at, one in reversed(history)]
        return self.path(points)

    def plot(self, lines: Iterable[ChartLine], y_ticks: Iterable[float] | None = None, band: str = "") -> "Plot":
        """Make a plot of these axes; by default with round values as ticks."""
        return Plot(
            lines=tuple(lines),
            x_ticks=tuple(
                (self.x(tick), tick)
                for tick in choose_ticks(self.left, max(self.left + 1, self.right))
                if tick == int(tick)  # the axis counts games or events
            ),
            y_ticks=tuple((self.y(tick), round(tick, 2)) for tick in y_ticks or choose_ticks(self.low, self.high)),
            band=band,
            axes=self,
        )


class Plot(Struct, frozen=True):
    """Lines, and the ticks of both axes with their coordinate and value."""

    lines: tuple[ChartLine, ...]
    x_ticks: tuple[tuple[float, float], ...]
    y_ticks: tuple[tuple[float, float], ...]
    axes: Axes

    band: str = ""
    """The outline of an interval around the line, in the syntax of SVG."""

    marks: tuple[Mark, ...] = ()


def plot_scores(bots: Sequence[str], games: Iterable[StoredGame]) -> Plot:
    """Plot by how many points each bot is above or below the mean of all, in the order in which the games started."""
    played = sorted((game for game in games if game.ending != "annulled"), key=lambda game: (game.started, game.id))
    step = ceil(len(played) / (_MOST_POINTS if len(bots) <= MOST_TOGETHER else _MOST_POINTS // 2)) or 1
    points = dict.fromkeys(bots, 0.0)
    runs: dict[str, list[tuple[int, float]]] = {bot: [(0, 0.0)] for bot in bots}
    for number, game in enumerate(played, start=1):
        for bot, won in ((game.red, game.red_points), (game.blue, game.blue_points)):
            if bot in points:
                points[bot] += won
        if number % step == 0 or number == len(played):
            mean = sum(points.values()) / len(points)
            for bot, run in runs.items():
                run.append((number, round_points(points[bot] - mean)))
    return plot_runs(runs, 0, len(played), 0.5)


def plot_runs(
    runs: Mapping[str, Sequence[tuple[int, float]]],
    left: int,
    right: int,
    least: float,
    band: Sequence[tuple[int, Estimate]] = (),
) -> Plot:
    """Plot a line for each bot; the axis shows at least the values from -`least` to `least`, and those of the band."""
    values = [value for run in runs.values() for _, value in run]
    values += [value for _, one in band for value in (one.low, one.high)]
    axes = Axes(left, right, min(-least, *values), max(least, *values))
    heights = spread_labels([axes.y(run[-1][1]) for run in list(runs.values())[:MOST_TOGETHER]])
    heights += [0.0] * (len(runs) - len(heights))
    lines = (
        ChartLine(bot, axes.path(run), run[-1][1], number % MOST_TOGETHER + 1, height)
        for number, ((bot, run), height) in enumerate(zip(runs.items(), heights, strict=True))
    )
    return axes.plot(lines, band=axes.outline(band))


def plot_ratings(bot: str, history: Sequence[tuple[int, Estimate]]) -> Plot:
    """Plot the ratings of a bot after numbers of games, with their intervals as a band."""
    low = min(one.low for _, one in history)
    high = max(one.high for _, one in history)
    room = max(1.0, (high - low) * 0.05)
    axes = Axes(history[0][0], history[-1][0], low - room, high + room)
    middle = axes.path((games, one.elo) for games, one in history)
    return axes.plot([ChartLine(bot, middle, history[-1][1].elo)], band=axes.outline(history))


def plot_test(run: SprtRun) -> Plot:
    """Plot the log-likelihood ratio of a sequential test after each pair of games, with its bounds."""
    values = run.llrs
    axes = Axes(0, len(values) - 1, min(run.sprt.lower, *values), max(run.sprt.upper, *values))
    step = ceil(len(values) / _MOST_POINTS)
    points = [*list(enumerate(values))[::step], (len(values) - 1, values[-1])]
    return axes.plot([ChartLine("LLR", axes.path(points), values[-1])], (run.sprt.lower, 0.0, run.sprt.upper))


def spread_labels(heights: Sequence[float]) -> list[float]:
    """Move labels apart so that they do not overlap, as little as possible and within the chart."""
    order = sorted(range(len(heights)), key=lambda number: heights[number])
    found = [0.0] * len(heights)
    above = -_LABEL_HEIGHT
    for number in order:
        above = found[number] = max(heights[number], above + _LABEL_HEIGHT)
    below = HEIGHT + _LABEL_HEIGHT
    for number in reversed(order):
        below = found[number] = round(min(found[number], below - _LABEL_HEIGHT), 1)
    return found


def shorten_label(text: str) -> str:
    """Cut a text that is too long for a label of a chart; letters of double width count twice."""
    if cell_len(text) <= _LONGEST_LABEL:
        return text
    return f"{chop_cells(text, _LONGEST_LABEL)[0]}\N{HORIZONTAL ELLIPSIS}"


def choose_ticks(low: float, high: float) -> list[float]:
    """Choose round values from `low` to `high`."""
    least = (high - low) / _TICKS
    unit = 10.0 ** floor(log10(least))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= least)
    return [round_points(step * number) for number in range(ceil(low / step), floor(high / step) + 1)]


class Bar(Struct, frozen=True):
    label: str
    value: float

    share: float
    """Length in per cent of the longest bar."""


def make_bars(values: Mapping[str, float]) -> tuple[Bar, ...]:
    most = max(values.values(), default=0.0) or 1.0
    return tuple(Bar(label, value, round(100 * value / most, 1)) for label, value in values.items())


def count_lengths(games: Iterable[StoredGame]) -> tuple[Bar, ...]:
    """Count games by their length in plies, in intervals that grow with it: 20-29, 30-49, 50-69, 70-99, 100-149."""
    plies = [game.plies for game in games if game.was_played]
    if not plies:
        return ()
    edges = [0, *dict.fromkeys(int(step * 10**power) for power in range(9) for step in _SERIES)]
    counts = Counter(bisect_right(edges, length) - 1 for length in plies)
    bars = {}
    for number in range(min(counts), max(counts) + 1):
        low, high = edges[number], edges[number + 1] - 1
        bars[f"{low}\N{EN DASH}{high}" if high > low else str(low)] = counts[number]
    return make_bars(bars)


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

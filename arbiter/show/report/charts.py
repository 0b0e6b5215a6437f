"""Coordinates of the lines and bars of charts, which the templates draw."""

import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, log10
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.tournament.ratings.sprt import SprtRun
from arbiter.tournament.ratings.values import Estimate, Ratings
from arbiter.tournament.standings.crosstable import round_points
from arbiter.tournament.standings.stored_game import StoredGame

WIDTH: Final = 640
HEIGHT: Final = 280
_MOST_POINTS: Final = 160  # of a line; more cannot be seen
_TICKS: Final = 5
_LABEL_HEIGHT: Final = 14.0
_MOST_LABELS: Final = int(HEIGHT / _LABEL_HEIGHT)
_LONGEST_LABEL: Final = 16  # columns of text
_COLOURS: Final = 8
_DASHES: Final = 3  # solid, dashed, dotted
_SERIES: Final = (1, 1.5, 2, 3, 5, 7)  # in each power of ten: each interval is about one and a half times the last


class ChartLine(Struct, frozen=True):
    """The line of a bot."""

    bot: str

    points: str
    """The points in the syntax of SVG."""

    value: float
    """The value at the end of the line."""

    colour: int = 0
    """Number of the colour, from 1; 0 for a thin line without a label, because there are too many."""

    dash: int = 0
    """Number of the pattern: 0 is solid."""

    label_y: float = 0.0
    """Height of the label next to the end of the line; labels do not overlap."""

    @property
    def style(self) -> str:
        """The classes of colour and pattern."""
        return f"c{self.colour} d{self.dash}"


class Plot(Struct, frozen=True):
    """Lines, and the ticks of both axes with their coordinate and value."""

    lines: tuple[ChartLine, ...]
    x_ticks: tuple[tuple[float, float], ...]
    y_ticks: tuple[tuple[float, float], ...]

    band: str = ""
    """The outline of an interval around the line, in the syntax of SVG."""


def plot_scores(bots: Sequence[str], games: Iterable[StoredGame]) -> Plot:
    """Plot by how many points each bot is above or below the mean of all, in the order in which the games started."""
    played = sorted((game for game in games if game.ending != "void"), key=lambda game: (game.started, game.id))
    step = ceil(len(played) / _MOST_POINTS) or 1
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
    values = [value for run in runs.values() for _, value in run]
    low = min(-0.5, *values)
    high = max(0.5, *values)

    def x(number: float) -> float:
        return round(WIDTH * number / max(1, len(played)), 1)

    def y(value: float) -> float:
        return round(HEIGHT * (high - value) / (high - low), 1)

    heights = spread_labels([y(run[-1][1]) for run in list(runs.values())[:_MOST_LABELS]])
    lines = []
    for number, (bot, run) in enumerate(runs.items()):
        path = " ".join(f"{x(at):g},{y(value):g}" for at, value in run)
        line = ChartLine(bot, path, run[-1][1])
        if number < _MOST_LABELS:
            dash = number // _COLOURS % _DASHES
            line = replace(line, colour=number % _COLOURS + 1, dash=dash, label_y=heights[number])
        lines.append(line)
    return Plot(
        lines=tuple(lines),
        x_ticks=tuple((x(tick), tick) for tick in choose_ticks(0, max(1, len(played)))),
        y_ticks=tuple((y(tick), tick) for tick in choose_ticks(low, high)),
    )


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
    width = 0
    for place, letter in enumerate(text):
        width += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if width > _LONGEST_LABEL:
            return f"{text[:place]}\N{HORIZONTAL ELLIPSIS}"
    return text


def plot_ratings(bot: str, history: Sequence[tuple[int, Estimate]]) -> Plot:
    """Plot the ratings of a bot after numbers of games, with their intervals as a band."""
    low = min(one.low for _, one in history)
    high = max(one.high for _, one in history)
    room = max(1.0, (high - low) * 0.05)
    low, high = low - room, high + room
    first, last = history[0][0], history[-1][0]

    def x(games: float) -> float:
        return round(WIDTH * (games - first) / max(1, last - first), 1)

    def y(value: float) -> float:
        return round(HEIGHT * (high - value) / (high - low), 1)

    def path(values: Iterable[tuple[int, float]]) -> str:
        return " ".join(f"{x(games):g},{y(value):g}" for games, value in values)

    upper = path((games, one.high) for games, one in history)
    lower = path((games, one.low) for games, one in reversed(history))
    middle = path((games, one.elo) for games, one in history)
    return Plot(
        lines=(ChartLine(bot, middle, history[-1][1].elo, colour=1),),
        x_ticks=tuple((x(tick), tick) for tick in choose_ticks(first, max(first + 1, last))),
        y_ticks=tuple((y(tick), tick) for tick in choose_ticks(low, high)),
        band=f"{upper} {lower}",
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
    """Count games by their length in plies, in intervals that grow with the length: 20-29, 30-49, 50-69, 70-99, 100-149."""
    plies = [game.plies for game in games if game.took_place]
    if not plies:
        return ()
    edges = [0, *dict.fromkeys(int(step * 10**power) for power in range(9) for step in _SERIES)]
    counts = Counter(bisect_right(edges, length) - 1 for length in plies)
    bars = {}
    for number in range(min(counts), max(counts) + 1):
        low, high = edges[number], edges[number + 1] - 1
        bars[f"{low}-{high}" if high > low else str(low)] = counts[number]
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

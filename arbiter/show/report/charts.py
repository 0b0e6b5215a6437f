"""Where the lines and bars of charts lie: numbers for templates, which draw them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, log10
from typing import Final

from msgspec import Struct

from arbiter.tournament.ratings.values import Estimate, Ratings
from arbiter.tournament.standings.crosstable import round_points
from arbiter.tournament.standings.stored_game import StoredGame

WIDTH: Final = 640
HEIGHT: Final = 280
_MOST_POINTS: Final = 160  # of a line; more nobody can tell apart
_TICKS: Final = 5
_BINS: Final = 24


class ChartLine(Struct, frozen=True):
    """A bot's line: its points as SVG has them, where it ends, and the value there."""

    bot: str
    points: str
    end: tuple[float, float]
    value: float


class Plot(Struct, frozen=True):
    """Lines and the ticks of both axes, each with its place and value."""

    lines: tuple[ChartLine, ...]
    across: tuple[tuple[float, float], ...]
    up: tuple[tuple[float, float], ...]


def score_plot(bots: Sequence[str], games: Iterable[StoredGame]) -> Plot:
    """Plot the points that each bot had won after so many games, in the order in which they began."""
    played = sorted((game for game in games if game.ending != "void"), key=lambda game: (game.started, game.id))
    runs: dict[str, list[tuple[int, float]]] = {bot: [(0, 0.0)] for bot in bots}
    for number, game in enumerate(played, start=1):
        for bot, won in ((game.red, game.red_points), (game.blue, game.blue_points)):
            if bot in runs:
                runs[bot].append((number, round_points(runs[bot][-1][1] + won)))
    values = [value for run in runs.values() for _, value in run]
    low, high = min(0.0, *values), max(1.0, *values)
    return Plot(
        lines=tuple(_line(bot, run, len(played), low, high) for bot, run in runs.items()),
        across=tuple((_x(tick, len(played)), tick) for tick in ticks(0, max(1, len(played)))),
        up=tuple((_y(tick, low, high), tick) for tick in ticks(low, high)),
    )


def _line(bot: str, run: Sequence[tuple[int, float]], count: int, low: float, high: float) -> ChartLine:
    run = [*run, (count, run[-1][1])]
    step = max(1, ceil(len(run) / _MOST_POINTS))
    kept = [*run[::step], run[-1]]
    places = [(_x(number, count), _y(value, low, high)) for number, value in kept]
    return ChartLine(bot, " ".join(f"{x:g},{y:g}" for x, y in places), places[-1], run[-1][1])


def _x(value: float, most: float) -> float:
    return round(WIDTH * value / max(1, most), 1)


def _y(value: float, low: float, high: float) -> float:
    return round(HEIGHT * (high - value) / (high - low), 1)


def ticks(low: float, high: float) -> list[float]:
    """Choose round values between two."""
    rough = (high - low) / _TICKS
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough)
    return [round_points(step * number) for number in range(ceil(low / step), floor(high / step) + 1)]


class Bar(Struct, frozen=True):
    """A bar, how much it stands for, and its length in per cent of the longest."""

    label: str
    value: float
    share: float


def bars(values: Mapping[str, float]) -> tuple[Bar, ...]:
    """Make bars of values."""
    most = max(values.values(), default=0.0) or 1.0
    return tuple(Bar(label, value, round(100 * value / most, 1)) for label, value in values.items())


def lengths(games: Iterable[StoredGame]) -> tuple[Bar, ...]:
    """Count games by their length, in steps that are round."""
    plies = [game.plies for game in games if game.ending not in {"walkover", "void"}]
    if not plies:
        return ()
    step = _round_step(max(plies))
    counts = Counter(length // step for length in plies)
    return bars({f"{number * step}-{(number + 1) * step - 1}": counts[number] for number in range(max(counts) + 1)})


def _round_step(most: int) -> int:
    rough = max(1.0, most / _BINS)
    unit = 10.0 ** floor(log10(rough))
    return int(next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough))


class Scale(Struct, frozen=True):
    """The Elo scale of the ratings, as far as their intervals go."""

    low: float
    high: float

    def at(self, elo: float) -> float:
        """Place a number on it, from 0 to 100."""
        return round(100 * (elo - self.low) / (self.high - self.low), 2)


def rating_scale(ratings: Ratings) -> Scale:
    """Find the scale that holds all ratings with their intervals."""
    found: list[Estimate] = [one.rating for one in ratings.bots if one.rating]
    low, high = min((one.low for one in found), default=0.0), max((one.high for one in found), default=0.0)
    room = max(1.0, (high - low) * 0.04)
    return Scale(low - room, high + room)

"""Evaluations of the bots over the plies of a game, plotted with block characters."""

from collections.abc import Collection
from typing import Final

from arbiter.show.replay.frame import get_evaluation
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.replay import Replay
from protocol.words import SEATS, Seat

_BLOCKS: Final = "▁▂▃▄▅▆▇█"


def plot_evaluations(replay: Replay, viewer: Viewer, width: int) -> dict[Seat, str]:
    """Plot the evaluations of each seat that sent any in one line of at most `width` characters, over all plies."""
    found: dict[Seat, dict[int, float]] = {}
    last = max(1, replay.ply(replay.last))
    for act in filter(None, map(replay.act, range(1, len(replay)))):
        for seat, value in get_evaluation(act.entry, viewer).items():
            found.setdefault(seat, {})[act.ply] = value
    return {seat: _plot(found[seat], width, last) for seat in SEATS if seat in found}


def find_column(ply: int, width: int, last: int) -> int:
    """Return the column of a ply in a plot of at most `width` columns; `last` is the last ply."""
    columns = max(1, min(width, last))
    return min(columns - 1, max(0, ply - 1) * columns // last)


def scale_evaluations(values: Collection[tuple[int, float]], columns: int) -> list[float | None]:
    """Return a value from 0 to 1 for each column of a plot, by the evaluations in the columns; None before the first.

    The scale is that of the largest evaluation, and the middle is 0.  A column shows its last evaluation, or the one
    before if it contains none.
    """
    largest = max(abs(value) for _, value in values) or 1.0
    line: list[float | None] = [None] * columns
    for column, value in values:
        line[column] = (value / largest + 1) / 2
    for column in range(1, columns):
        if line[column] is None:
            line[column] = line[column - 1]
    return line


def _plot(values: dict[int, float], width: int, last: int) -> str:
    found = [(find_column(ply, width, last), value) for ply, value in values.items()]
    line = scale_evaluations(found, max(1, min(width, last)))
    return "".join(" " if value is None else _BLOCKS[round(value * (len(_BLOCKS) - 1))] for value in line)

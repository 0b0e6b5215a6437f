"""A whole game at a glance, as a viewer may see it: graphs in block characters, and a timeline with marks of attacks."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from arbiter.show.cards import CardTable
from arbiter.show.replay.acts import is_attack, is_capture
from arbiter.show.replay.frame import get_evaluation
from arbiter.show.replay.knowledge import Viewer, sees_secrets_of
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.canvas import Box, Canvas
from arbiter.show.theme import find_value
from protocol.words import BLUE, RED, SEATS, Seat


class Sample(Struct, frozen=True):
    """A game at one frame."""

    material: int
    """Points of the pieces that blue lost, minus those of red."""
    seen: dict[Seat, float]
    """Share of the pieces on the board that their opponent knows, from 0 to 1; empty in a card game."""


class Overview:
    """Samples and events of a replay, for one viewer.  They are kept, and the replay may grow."""

    def __init__(self, replay: Replay, viewer: Viewer) -> None:
        self._replay = replay
        self._viewer = viewer
        self._samples: dict[int, Sample] = {}
        self._attacks: dict[int, bool] = {}
        self._evaluations: dict[Seat, dict[int, float]] = {}
        self._read = 0

    def sample(self, number: int) -> Sample:
        """Return the sample of a frame."""
        if number not in self._samples:
            sample = self._take_sample(number)
            if not number:  # the setup of a game in progress changes
                return sample
            self._samples[number] = sample
        return self._samples[number]

    def attacks(self) -> dict[int, bool]:
        """Return the frames of attacks, each with True if a piece was lost."""
        self._read_acts()
        return self._attacks

    def evaluations(self) -> dict[Seat, dict[int, float]]:
        """Return the evaluations by the seats that sent any, and by frame."""
        self._read_acts()
        return {seat: self._evaluations[seat] for seat in SEATS if seat in self._evaluations}

    def _read_acts(self) -> None:
        for number in range(self._read + 1, len(self._replay)):
            act = self._replay.act(number)
            if act is None:
                continue
            if is_attack(act):
                self._attacks[number] = is_capture(act)
            for seat, value in get_evaluation(act.entry, self._viewer).items():
                self._evaluations.setdefault(seat, {})[number] = value
        self._read = self._replay.last

    def _take_sample(self, number: int) -> Sample:
        view = self._replay.view(number, self._viewer)
        lost = {
            seat: sum(find_value(rank) * count for rank, count in view.captured.get(seat, {}).items()) for seat in SEATS
        }
        seen: dict[Seat, float] = {}
        if not isinstance(view, CardTable):
            known = frozenset(self._replay.known_places(number, self._viewer))
            for seat in SEATS:
                own = sees_secrets_of(self._viewer, seat)
                pieces = [piece for piece in view.pieces if piece.seat == seat]
                count = sum(piece.place in known if own else piece.rank is not None for piece in pieces)
                seen[seat] = count / max(1, len(pieces))
        return Sample(lost[BLUE] - lost[RED], seen)


_BLOCKS: Final = " ▁▂▃▄▅▆▇█"
_EIGHTHS: Final = len(_BLOCKS) - 1
_LABEL_WIDTH, _VALUE_WIDTH = 12, 10
_HIGHEST: Final = 3
_LINE, _CAPTURE, _ATTACK, _CURSOR = "─", "┴", "┄", "●"
_LEAST_SCALE: Final = 10  # points of material; less than that is a small advantage
_LEAST_SHARE: Final = 0.25  # of an army; the graphs of both seats have one scale


class Graph(Struct, frozen=True):
    """A line of values from 0 to 1, one for each column."""

    label: str
    values: Sequence[float | None]
    """None before the first value."""
    seats: Sequence[Seat]
    """The seat in whose colour each column is painted."""
    value: str
    """The value of the current frame."""


class Timeline(Struct, frozen=True):
    """The line below the graphs."""

    label: str
    attacks: Mapping[int, bool]
    """Frames of attacks, each with True if a piece was lost."""
    number: int
    """The current frame."""
    last: int
    pace: str


def count_graphs(overview: Overview) -> int:
    """Return how many graphs a game has."""
    return 1 + len(overview.sample(0).seen) + len(overview.evaluations())


def plot_width(width: int) -> int:
    """Return the columns of a plot on a screen of a width."""
    return max(1, width - _LABEL_WIDTH - _VALUE_WIDTH)


def find_column(number: int, last: int, columns: int) -> int:
    """Return the column of a frame."""
    return round(number * (columns - 1) / last) if last else 0


def find_frame(column: int, last: int, columns: int) -> int:
    """Return the last frame of a column."""
    return min(last, round(column * last / max(1, columns - 1)))


def frame_at(x: int, box: Box, last: int) -> int | None:
    """Return the frame at a column of a screen; None outside the plots."""
    columns = plot_width(box.width)
    column = x - box.x - _LABEL_WIDTH
    return find_frame(column, last, columns) if 0 <= column < columns else None


def make_graphs(overview: Overview, number: int, last: int, columns: int) -> list[Graph]:
    """Make the graphs of a game, the most important first."""
    samples = [overview.sample(find_frame(column, last, columns)) for column in range(columns)]
    now = overview.sample(number)
    scale = max([_LEAST_SCALE, *(abs(sample.material) for sample in (*samples, now))])
    leads = f"red +{now.material}" if now.material > 0 else f"blue +{-now.material}" if now.material else "equal"
    graphs = [
        Graph(
            "material",
            [(sample.material / scale + 1) / 2 for sample in samples],
            [RED if sample.material >= 0 else BLUE for sample in samples],
            leads,
        )
    ]
    largest = max([_LEAST_SHARE, *(share for sample in (*samples, now) for share in sample.seen.values())])
    for seat, share in now.seen.items():
        shares = [sample.seen[seat] / largest for sample in samples]
        graphs.append(Graph(f"{seat} seen", shares, [seat] * columns, f"{share:.0%}"))
    for seat, values in overview.evaluations().items():
        graphs.append(_plot_evaluations(seat, values, number, last, columns))
    return graphs


def _plot_evaluations(seat: Seat, values: dict[int, float], number: int, last: int, columns: int) -> Graph:
    """Plot the evaluations of a seat; the scale is that of its largest one, and the middle is 0."""
    largest = max(map(abs, values.values())) or 1.0
    line: list[float | None] = [None] * columns
    for at, value in values.items():
        line[find_column(at, last, columns)] = (value / largest + 1) / 2
    for column in range(1, columns):
        if line[column] is None:
            line[column] = line[column - 1]
    now = next((values[at] for at in sorted(values, reverse=True) if at <= number), None)
    return Graph(f"{seat} eval", line, [seat] * columns, "" if now is None else f"{now:+g}")


def paint_graphs(canvas: Canvas, box: Box, graphs: Sequence[Graph], cursor: int) -> None:
    """Paint as many graphs as there is room for in a box, the last one at its lower edge."""
    if not box.height:
        return
    look = canvas.look
    shown = graphs[: box.height]
    height = min(_HIGHEST, box.height // len(shown))
    left, right = _find_plot(box)
    for number, graph in enumerate(shown):
        top = box.bottom - height * (len(shown) - number)
        canvas.write(box.x + 1, top + height - 1, graph.label, look.soft, right=left)
        canvas.write(right + 1, top + height - 1, graph.value, look.page, right=box.right)
        for row in range(height):
            x, y = left, top + height - 1 - row
            for seat, columns in groupby(range(len(graph.values)), graph.seats.__getitem__):
                bars = "".join(_choose_block(graph.values[column], row, height) for column in columns)
                x = canvas.write(x, y, bars, look.names[seat])
            canvas.write(left + cursor, y, " ", look.target)


def paint_timeline(canvas: Canvas, box: Box, timeline: Timeline) -> None:
    """Paint a line of the game with the current frame and the attacks."""
    look = canvas.look
    left, right = _find_plot(box)
    columns = right - left
    canvas.write(box.x + 1, box.y, timeline.label, look.strong, right=left)
    canvas.write(left, box.y, _LINE * columns, look.soft)
    for at, captures in timeline.attacks.items():
        column = find_column(at, timeline.last, columns)
        canvas.write(left + column, box.y, _CAPTURE if captures else _ATTACK, look.page)
    canvas.write(left + find_column(timeline.number, timeline.last, columns), box.y, _CURSOR, look.key)
    canvas.write(right + 1, box.y, timeline.pace, look.key, right=box.right)


def _find_plot(box: Box) -> tuple[int, int]:
    """Return the first column of the plots in a box, and the one after the last."""
    left = box.x + _LABEL_WIDTH
    return left, left + plot_width(box.width)


def _choose_block(value: float | None, row: int, height: int) -> str:
    if value is None:
        return " "
    # Also the smallest value has a visible bar.
    eighths = max(1, round(value * height * _EIGHTHS)) - row * _EIGHTHS
    return _BLOCKS[max(0, min(_EIGHTHS, eighths))]

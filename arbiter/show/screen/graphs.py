"""A whole game at a glance, as a viewer may see it: graphs in block characters, and a timeline of the attacks."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from arbiter.show.boards import CardTable
from arbiter.show.replay.frame import get_evaluation
from arbiter.show.replay.knowledge import Viewer, is_attack, is_capture, name_place, sees_secrets_of
from arbiter.show.replay.plain_text import scale_evaluations
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.canvas import Box, Canvas
from arbiter.show.text import write_evaluation
from arbiter.show.theme import find_value
from protocol.words import BLUE, RED, SEATS, Seat

_BLOCKS: Final = " ▁▂▃▄▅▆▇█"
_EIGHTHS: Final = len(_BLOCKS) - 1
_HANGING: Final = " ▔▀█"
_THIRDS: Final = len(_HANGING) - 1
_ZERO: Final = "─"
_LABEL_WIDTH: Final = 12
_VALUE_WIDTH: Final = 10
HIGHEST_GRAPH: Final = 3
_LEAST_SCALE: Final = 10  # points of material; less than that is a small advantage
_LEAST_SHARE: Final = 0.25  # of an army; the graphs of both seats have one scale


class Sample(Struct, frozen=True):
    """A game at one frame."""

    material: int
    """Points of the pieces that blue lost, minus those of red."""
    seen: dict[Seat, float]
    """Share of the pieces left (with cards in the hand and the deck) that their opponent knows, from 0 to 1."""


class Overview:
    """Samples and events of a replay, for one viewer.  They are kept, and the replay may grow."""

    def __init__(self, replay: Replay, viewer: Viewer) -> None:
        self.replay: Final = replay
        self.attacks: Final[dict[int, bool]] = {}
        """The frames of attacks, each with True if a piece was lost."""
        self.evaluations: Final[dict[Seat, dict[int, float]]] = {seat: {} for seat in SEATS}
        """The evaluations of each seat by frame."""
        self._viewer = viewer
        self._samples: dict[int, Sample] = {}
        self._read = 0

    def update(self) -> None:
        """Read the attacks and evaluations that were added to the replay."""
        for number in range(self._read + 1, len(self.replay)):
            act = self.replay.act(number)
            if act is None:
                continue
            if is_attack(act):
                self.attacks[number] = is_capture(act)
            for seat, value in get_evaluation(act.entry, self._viewer).items():
                self.evaluations[seat][number] = value
        self._read = self.replay.last

    def sample(self, number: int) -> Sample:
        """Return the sample of a frame."""
        if number and number in self._samples:  # the setup of a game in progress changes
            return self._samples[number]
        view = self.replay.view(number, self._viewer)
        lost = {
            seat: sum(find_value(rank) * count for rank, count in view.captured.get(seat, {}).items()) for seat in SEATS
        }
        seen: dict[Seat, float] = {}
        known = frozenset(self.replay.known_places(number, self._viewer))
        for seat in SEATS:
            own = sees_secrets_of(self._viewer, seat)
            pieces = [piece for piece in view.pieces if piece.seat == seat]
            count = sum(name_place(piece) in known if own else piece.rank is not None for piece in pieces)
            left = len(pieces)
            if isinstance(view, CardTable):
                left = len(view.line[seat]) + view.hand_counts.get(seat, 0) + view.deck_counts.get(seat, 0)
            seen[seat] = count / max(1, left)
        sample = self._samples[number] = Sample(lost[BLUE] - lost[RED], seen)
        return sample

    @property
    def graphs(self) -> int:
        """The number of graphs."""
        return 1 + len(self.sample(0).seen) + sum(map(bool, self.evaluations.values()))


class Graph(Struct, frozen=True):
    """A line of values, one for each column: from 0 to 1, or from -1 to 1 if it is drawn from a zero line."""

    label: str
    values: Sequence[float | None]
    """None before the first value."""
    seats: Sequence[Seat]
    """The seat in whose colour each column is painted."""
    value: str
    """The value of the current frame."""
    has_zero_line: bool = False


def find_column(number: int, last: int, columns: int) -> int:
    """Return the column of a frame."""
    return round(number * (columns - 1) / last) if last else 0


def find_frame(column: int, last: int, columns: int) -> int:
    """Return the last frame of a column."""
    return min(last, round(column * last / max(1, columns - 1)))


def frame_at(x: int, box: Box, last: int) -> int | None:
    """Return the frame at a column of a screen; None outside the plots."""
    left, columns = _find_plot(box)
    return find_frame(x - left, last, columns) if 0 <= x - left < columns else None


def _find_plot(box: Box) -> tuple[int, int]:
    """Return the first column of the plots in a box, and how many they have."""
    return box.x + _LABEL_WIDTH, max(1, box.width - _LABEL_WIDTH - _VALUE_WIDTH)


def make_graphs(overview: Overview, number: int, columns: int) -> list[Graph]:
    """Make the graphs of a game, the most important first."""
    last = overview.replay.last
    samples = [overview.sample(find_frame(column, last, columns)) for column in range(columns)]
    now = overview.sample(number)
    scale = max([_LEAST_SCALE, *(abs(sample.material) for sample in (*samples, now))])
    write = overview.replay.sentences.write
    leads = write("equal")
    if now.material:
        leads = write("leads", seat=write(RED if now.material > 0 else BLUE), points=str(abs(now.material)))
    balance = [sample.material / scale for sample in samples]
    leaders: list[Seat] = [RED if sample.material >= 0 else BLUE for sample in samples]
    graphs = [Graph(write("graph_lead", scale=str(scale)), balance, leaders, leads, has_zero_line=True)]
    largest = max([_LEAST_SHARE, *(share for sample in (*samples, now) for share in sample.seen.values())])
    for seat, share in now.seen.items():
        shares = [sample.seen[seat] / largest for sample in samples]
        graphs.append(Graph(write("graph_seen", seat=write(seat)), shares, [seat] * columns, f"{share:.0%}"))
    for seat, values in overview.evaluations.items():
        if values:
            scaled = scale_evaluations([(find_column(at, last, columns), one) for at, one in values.items()], columns)
            line = [None if one is None else 2 * one - 1 for one in scaled]
            value = next((write_evaluation(values[at]) for at in reversed(values) if at <= number), "")
            graphs.append(
                Graph(write("graph_eval", seat=write(seat)), line, [seat] * columns, value, has_zero_line=True)
            )
    return graphs


def paint_graphs(canvas: Canvas, box: Box, overview: Overview, number: int) -> None:
    """Paint as many graphs as there is room for in a box, the last one at its lower edge."""
    look = canvas.look
    left, columns = _find_plot(box)
    cursor = left + find_column(number, overview.replay.last, columns)
    shown = make_graphs(overview, number, columns)[: box.height]
    height = min(HIGHEST_GRAPH, box.height // len(shown)) if shown else 0
    for place, graph in enumerate(reversed(shown)):
        bottom = box.bottom - 1 - height * place
        canvas.write(box.x + 1, bottom, graph.label, look.soft, right=left)
        canvas.write(left + columns + 1, bottom, graph.value, look.page, right=box.right)
        for row in range(height):
            x = left
            for seat, run in groupby(range(columns), graph.seats.__getitem__):
                values = (graph.values[column] for column in run)
                if graph.has_zero_line:
                    bars = "".join(draw_from_zero(value, height)[row] for value in values)
                else:
                    bars = "".join(_choose_block(value, row, height) for value in values)
                x = canvas.write(x, bottom - row, bars, look.names[seat])
            canvas.write(cursor, bottom - row, " ", look.target)


def _choose_block(value: float | None, row: int, height: int) -> str:
    if value is None:
        return " "
    # Also the smallest value has a visible bar.
    eighths = max(1, round(value * height * _EIGHTHS)) - row * _EIGHTHS
    return _BLOCKS[max(0, min(_EIGHTHS, eighths))]


def draw_from_zero(value: float | None, height: int) -> str:
    """Draw a bar of up to three rows above or below a zero line, from the lowest row up."""
    if value is None:
        return " " * height
    rising = _BLOCKS[max(1, round(value * _EIGHTHS))] if value > 0 else ""
    hanging = _HANGING[max(1, round(-value * _THIRDS))] if value < 0 else ""
    if height == 1:
        return rising or hanging or _ZERO
    if height < HIGHEST_GRAPH:
        return (hanging or _HANGING[1]) + (rising or " ")
    return (hanging or " ") + _ZERO + (rising or " ")


def paint_timeline(canvas: Canvas, box: Box, overview: Overview, number: int, pace: str) -> None:
    """Paint a line of the game with the current frame and the attacks, and the speed at which it is played."""
    look = canvas.look
    replay = overview.replay
    left, columns = _find_plot(box)
    canvas.write(box.x + 1, box.y, f"{replay.ply(number)}/{replay.ply(replay.last)}", look.strong, right=left)
    canvas.write(left, box.y, "─" * columns, look.soft)
    for at, captures in overview.attacks.items():
        column = find_column(at, replay.last, columns)
        canvas.write(left + column, box.y, "┴" if captures else "┄", look.page)
    canvas.write(left + find_column(number, replay.last, columns), box.y, "●", look.key)
    canvas.write(left + columns + 1, box.y, pace, look.key, right=box.right)

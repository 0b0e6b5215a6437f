"""The list of what both bots report, ply by ply: time, evaluation and note of each."""

from typing import Final

from arbiter.show.replay.disagreements import find_disagreements
from arbiter.show.replay.frame import get_evaluation, get_notes
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.canvas import Box, Canvas
from arbiter.show.screen.panels import write_ply
from arbiter.show.text import write_evaluation

DISAGREES: Final = "≠"
_MOVE: Final = 8  # columns
_TIME: Final = 6
_VALUE: Final = 6
_SEATS: Final = 2


class ReportList:
    """The plies around the current one, one in a line."""

    def __init__(self, box: Box, ply: int, last_ply: int, first: int | None = None) -> None:
        """Arrange the list; `first` is the first turn, from 0."""
        rows = max(1, box.height - 1)
        wanted = ply - 1 - rows // 2 if first is None else _SEATS * first
        begin = max(0, min(wanted, last_ply - rows))
        self.first: Final = begin // _SEATS
        last = min(last_ply, begin + rows)
        self.cells: Final[dict[int, Box]] = {
            one: Box(box.x, box.y + one - begin, box.width, 1) for one in range(begin + 1, last + 1)
        }
        """The places of the visible plies."""
        self._head: Final = Box(box.x, box.y, box.width, 1)

    def ply_at(self, x: int, y: int) -> int | None:
        """Return the ply at a position of the screen, if there is one."""
        return next((ply for ply, box in self.cells.items() if box.contains(x, y)), None)

    def paint(self, canvas: Canvas, replay: Replay, viewer: Viewer, current: int) -> None:
        """Paint the list; `current` is the current ply."""
        look = canvas.look
        ply_head, move, evaluation = (replay.sentences.write(f"head_{one}") for one in ("ply", "move", "eval"))
        head = f"{ply_head:>4} {move:<{_MOVE}}{'s':>{_TIME}}{evaluation:>{_VALUE}}"
        canvas.write(self._head.x, self._head.y, head, look.soft, right=self._head.right)
        disagreements = set(find_disagreements(replay, replay.last)) if viewer == "arbiter" else set()
        for ply, box in self.cells.items():
            number = replay.find_ply(ply)
            act = replay.act(number)
            if act is None:
                continue
            style = look.names[act.entry.seat]
            if ply == current:
                style = look.target
                canvas.fill(box, style)
            seconds = "" if act.entry.ms is None else f"{act.entry.ms / 1000:.2f}"[: _TIME - 1]
            evaluations = get_evaluation(act.entry, viewer).values()
            value = "".join(write_evaluation(float(f"{one:.4g}")) for one in evaluations)
            text = f"{ply:>4} {write_ply(replay, ply, viewer)[:_MOVE]:<{_MOVE}}{seconds:>{_TIME}}{value:>{_VALUE}}"
            x = canvas.write(box.x, box.y, text, style, right=box.right)
            x = canvas.write(x, box.y, DISAGREES if number in disagreements else " ", look.key, right=box.right)
            for note in get_notes(act.entry, viewer).values():
                canvas.write(x + 1, box.y, note, style, right=box.right)

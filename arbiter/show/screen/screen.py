"""The whole screen of a game at one frame, and recordings of it in the format of asciinema (version 2).

All room of a screen is used, first for the board, then for text and graphs.
"""

from collections.abc import Iterable
from itertools import zip_longest
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from rich.color import ColorSystem
from rich.segment import Segment

from arbiter.show.boards import CardTable, Cell, Grid, Square
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.plain_text import describe_players, make_grid
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import ShownFight, find_fight
from arbiter.show.screen.board import BoardPicture, ScreenMoment
from arbiter.show.screen.canvas import LOOKS, Box, Canvas, wrap
from arbiter.show.screen.graphs import HIGHEST_GRAPH, Overview, frame_at, paint_graphs, paint_timeline
from arbiter.show.screen.panels import (
    LEAST_WIDTH,
    MoveList,
    paint_footer,
    paint_player,
    paint_text,
    paint_title,
)
from arbiter.show.screen.reports import ReportList
from arbiter.show.text import number
from protocol.words import BLUE, OPPONENT, RED

_GAP: Final = 1
_TITLE: Final = 1
_PLAYERS: Final = 2
_TIMELINE: Final = 1
_FOOTER: Final = 1
_LEAST_TEXT: Final = 3
_GOOD_TEXT: Final = 5
_MOST_TEXT: Final = 6


class ScreenLayout(Struct, frozen=True):
    """The parts of a screen; `cell` is the size of a square."""

    cell: Cell
    title: Box
    upper: Box
    board: Box
    lower: Box
    moves: Box
    text: Box
    graphs: Box
    timeline: Box
    footer: Box


def needed_size(grid: Grid) -> tuple[int, int]:
    """Return the columns and lines that a screen needs for a grid."""
    width = grid.width() + _GAP + LEAST_WIDTH
    return width, _TITLE + _PLAYERS + grid.height() + _LEAST_TEXT + _TIMELINE + _FOOTER


def arrange(grid: Grid, width: int, height: int, graphs: int) -> ScreenLayout | None:
    """Arrange a screen with so many graphs; None if it is too small for the board.

    The timeline is one more line below the graphs; on a low screen some of the graphs are left out.
    """
    needed_width, needed_height = needed_size(grid)
    if width < needed_width or height < needed_height:
        return None
    around = _TITLE + _PLAYERS + _TIMELINE + _FOOTER
    cell = grid.largest_cell(width - _GAP - LEAST_WIDTH, height - around - _GOOD_TEXT - graphs)
    board = Box(0, _TITLE + 1, grid.width(cell), grid.height(cell))
    room = height - around - board.height
    good_text = min(_MOST_TEXT, max(_LEAST_TEXT, room - graphs))
    levels = max(1, min(HIGHEST_GRAPH, (room - good_text) // max(1, graphs)))
    of_graphs = max(0, min(graphs * levels, room - _LEAST_TEXT))
    left = board.right + _GAP
    text = Box(0, board.bottom + 1, width, room - of_graphs)
    return ScreenLayout(
        cell,
        title=Box(0, 0, width, _TITLE),
        upper=Box(0, _TITLE, board.width, 1),
        board=board,
        lower=Box(0, board.bottom, board.width, 1),
        moves=Box(left, _TITLE, width - left, board.height + _PLAYERS),
        text=text,
        graphs=Box(0, text.bottom, width, of_graphs),
        timeline=Box(0, text.bottom + of_graphs, width, _TIMELINE),
        footer=Box(0, height - _FOOTER, width, _FOOTER),
    )


class Screen(Struct, frozen=True):
    """A painted screen; `layout` is None if it is too small for the board."""

    lines: list[list[Segment]]
    layout: ScreenLayout | None
    grid: Grid
    moves: MoveList | ReportList | None
    last: int
    """Number of the last frame."""
    text_scrolled: int = 0
    """Lines of the text above the first visible one."""

    def write_ansi(self) -> str:
        """Write the screen as text with ANSI colours."""
        return "\n".join(
            "".join(style.render(text, color_system=ColorSystem.TRUECOLOR) for text, style, _ in line if style)
            for line in self.lines
        )

    def write_text(self) -> str:
        """Write the screen as text without colours."""
        return "\n".join("".join(segment.text for segment in line).rstrip() for line in self.lines)

    def square_at(self, x: int, y: int) -> Square | None:
        """Return the square at a position, if there is one."""
        if self.layout is None or not self.layout.board.contains(x, y):
            return None
        return self.grid.square_at(x - self.layout.board.x, y - self.layout.board.y, self.layout.cell)

    def ply_at(self, x: int, y: int) -> int | None:
        """Return the ply in the list of moves at a position, if there is one."""
        return self.moves.ply_at(x, y) if self.moves else None

    def frame_at(self, x: int, y: int) -> int | None:
        """Return the frame in the graphs at a position, if there is one."""
        if self.layout is None or not self.layout.graphs.y <= y <= self.layout.timeline.y:
            return None
        return frame_at(x, self.layout.timeline, self.last)


class ScreenPainter:
    """Paints the screens of a replay, which may grow."""

    def __init__(self, replay: Replay) -> None:
        self.replay: Final = replay
        self._overviews: dict[Viewer, Overview] = {}

    def paint(self, moment: ScreenMoment, width: int, height: int) -> Screen:
        """Paint a screen of so many columns and lines."""
        replay = self.replay
        overview = self._overviews.setdefault(moment.viewer, Overview(replay, moment.viewer))
        overview.update()
        frame = replay.frame(moment.number, moment.viewer)
        fight = find_fight(replay, moment.number, moment.viewer)
        shown = self._show_before_fight(moment, frame, fight) if fight and moment.fight_step else frame
        grid = make_grid(shown, moment.bottom, replay.sentences)
        canvas = Canvas(width, height, moment.look)
        layout = arrange(grid, width, height, overview.graphs)
        if layout is None:
            columns, lines = needed_size(grid)
            needs = replay.sentences.write(
                "too_small", columns=str(columns), lines=str(lines), width=str(width), height=str(height)
            )
            for y, line in enumerate(wrap(needs, max(1, width))):
                canvas.write(0, y, line, moment.look.page)
            return Screen(canvas.lines(), None, grid, None, replay.last)

        paint_title(canvas, layout.title, replay, moment)
        for box, seat in ((layout.upper, OPPONENT[moment.bottom]), (layout.lower, moment.bottom)):
            paint_player(canvas, box, replay, frame, seat)
        shown_fight = fight if moment.fight_step > 1 else None
        picture = BoardPicture(replay, moment, shown, grid, layout.cell, shown_fight)
        picture.paint(canvas, layout.board.x, layout.board.y)
        ply = replay.ply(moment.number)
        make_list = ReportList if moment.shows_reports else MoveList
        moves = make_list(layout.moves, ply, replay.ply(replay.last), moment.first_turn)
        moves.paint(canvas, replay, moment.viewer, ply)
        text_scrolled = paint_text(canvas, layout.text, replay, moment, frame, fight=fight)
        paint_graphs(canvas, layout.graphs, overview, moment.number)
        paint_timeline(canvas, layout.timeline, overview, moment.number, moment.pace)
        paint_footer(canvas, layout.footer, replay.sentences)
        return Screen(canvas.lines(), layout, grid, moves, replay.last, text_scrolled)

    def _show_before_fight(self, moment: ScreenMoment, frame: Frame, fight: ShownFight) -> Frame:
        """Return the frame before a fight, with both pieces as far as the viewer knows them after it."""
        before = self.replay.frame(moment.number - 1, moment.viewer)
        if isinstance(before.view, CardTable):
            return replace(before, seat=frame.seat, marks=frame.marks)
        fighters = {piece.place: piece for piece in (fight.attacker, fight.defender)}
        pieces = [
            replace(piece, rank=fighters[piece.place].rank) if piece.place in fighters else piece
            for piece in before.view.pieces
        ]
        return replace(before, seat=frame.seat, marks=frame.marks, view=replace(before.view, pieces=pieces))


WIDTH: Final = 100
HEIGHT: Final = 30
LAST_S: Final = 3.0
"""Duration of the last frame."""
_START: Final = "\x1b[?25l\x1b[2J"  # hide the cursor, clear the screen
_END: Final = "\x1b[0m\x1b[?25h"


def write_cast(replay: Replay, viewer: Viewer, numbers: Iterable[int], theme: str, *, speed: float) -> bytes:
    """Write some frames as a recording, as a viewer sees them; `speed` is the number of frames per second."""
    painter = ScreenPainter(replay)
    header = {
        "version": 2,
        "width": WIDTH,
        "height": HEIGHT,
        "title": describe_players(replay.record, replay.sentences),
        "env": {"TERM": "xterm-256color"},
    }
    events: list[tuple[float, str, str]] = [(0.0, "o", _START)]
    shown: list[str] = []
    for step, frame in enumerate(numbers):
        moment = ScreenMoment(
            number=frame,
            viewer=viewer,
            bottom=BLUE if viewer == BLUE else RED,
            look=LOOKS[theme],
            pace=f"{number(speed)}/s",
        )
        lines = painter.paint(moment, WIDTH, HEIGHT).write_ansi().split("\n")
        pairs = enumerate(zip_longest(shown, lines, fillvalue=""), start=1)
        changes = (f"\x1b[{row};1H{new}" for row, (old, new) in pairs if old != new)
        events.append((round(step / speed, 3), "o", "".join(changes)))
        shown = lines
    events.append((events[-1][0] + LAST_S, "o", _END))
    return b"".join(msgspec.json.encode(line) + b"\n" for line in (header, *events))

"""Boards, cards and single pieces, painted in colours; the letters and signs show everything that the colours do."""

from typing import Final

from msgspec import Struct
from rich.style import Style

from arbiter.show.boards import OWNER, Cell, Grid, Square, write_rank
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import Viewer, name_place, sees_secrets_of
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import ShownFight
from arbiter.show.screen.canvas import LOOKS, Box, Canvas, ScreenLook
from arbiter.show.theme import ATTACK, DEFAULT_THEME, KNOWN
from protocol.messages import ViewPiece
from protocol.words import RED, Seat

LEGEND: Final = {
    "pieces": "R8 b8",
    "known": f"R8{KNOWN}",
    "unknown": "b?",
    "moved": "b8'",
    "act": "▹ ▸",
    "attack": ATTACK,
    "lake": "~~",
}
"""Signs on the board by the keys of their texts, after `legend_`."""
"""The signs on a board, for the help."""

_HAS_MOVED: Final = "'"
_LOWER_EDGE: Final = "▀"
_NAMED_FROM: Final = Cell(10, 3)  # smaller squares have no room for a name


class ScreenMoment(Struct, frozen=True, kw_only=True):
    """The part of a game that a screen shows, and in which way."""

    number: int
    """Number of the frame."""
    viewer: Viewer = "arbiter"
    bottom: Seat = RED
    """The seat at the bottom of the board."""
    look: ScreenLook = LOOKS[DEFAULT_THEME]
    state: str = ""
    """Words at the right end of the title, before the viewer."""
    pace: str = ""
    """The speed at which the game is played."""
    selected: Square | None = None
    fight_step: int = 0
    """Step of the animation of a fight: 1 before it, 2 during it; 0 shows the result."""
    first_turn: int | None = None
    """The first turn in the list of moves, from 0; None shows those around the current ply."""
    shows_reports: bool = False
    """List what the bots report instead of the moves."""
    text_scrolled: int = 0
    """Lines above the first visible one of the text below the board."""


class BoardPicture(Struct, frozen=True):
    """A grid with everything that its picture depends on."""

    replay: Replay
    moment: ScreenMoment
    frame: Frame
    """The frame that is shown: during a fight, the one before it."""
    grid: Grid
    cell: Cell
    fight: ShownFight | None = None
    """A fight to show on the square of the defender."""

    def paint(self, canvas: Canvas, x: int, y: int) -> None:
        """Paint the grid with the names of its rows and columns."""
        grid = self.grid
        cell = self.cell
        look = canvas.look
        left = x + grid.margin
        for column, name in enumerate(grid.columns):
            line = y + grid.height(cell) - 1 if grid.names_below else y
            canvas.write(left + column * cell.width + cell.width // 2, line, name, look.soft)
        for number, row in enumerate(grid.rows):
            line = y + (not grid.names_below) + number * cell.height
            canvas.write(x, line + self._middle, row.label, look.soft)
            for column, square in enumerate(row.squares):
                box = Box(left + column * cell.width, line, cell.width, cell.height)
                self._paint_square(canvas, box, square, look.squares[(number + column) % 2])
            canvas.write(left + len(row.squares) * cell.width, line + self._middle, row.tail, look.soft)

    @property
    def _middle(self) -> int:
        """The line of a square with the sign of its piece; the name and the edge are below it."""
        return max(0, (self.cell.height - 2) // 2)

    def _paint_square(self, canvas: Canvas, box: Box, square: Square, ground: Style) -> None:
        look = canvas.look
        y = box.y + self._middle
        if square.is_lake and square.piece is None:
            canvas.fill(box, look.lake, "~")
            return
        mark = ""  # the sign left of a piece
        if self.moment.selected is not None and square.is_at(self.moment.selected):
            mark, ground = ">", look.selected
        elif square.around[0] == "*":
            mark, ground = ATTACK, look.target
        elif square.around[0] == "[":
            mark, ground = ("▹", look.source) if square.piece is None else ("▸", look.target)
        canvas.fill(box, ground)
        if square.piece is None:
            canvas.write(box.x + box.width // 2, y, "·", ground)
        else:
            self._paint_piece(canvas, Box(box.x + 1, box.y, box.width - 1, box.height), square.piece, ground)
        canvas.write(box.x, y, mark, ground)
        fight = self.fight
        if fight is not None and square.is_at(Square(fight.defender.place, seat=square.seat and fight.defender.seat)):
            text = f"{write_rank(fight.attacker.rank)}{ATTACK}{write_rank(fight.defender.rank)}"
            canvas.fill(Box(box.x, y, box.width, 1), look.target)
            canvas.write(box.x + (box.width - len(text)) // 2, y, text, look.target)

    def _paint_piece(self, canvas: Canvas, box: Box, piece: ViewPiece, ground: Style) -> None:
        look = canvas.look
        is_known = name_place(piece) in self.frame.known
        styles = look.known
        if piece.rank is None:
            styles = look.unknown
        elif sees_secrets_of(self.moment.viewer, piece.seat) and not is_known:
            styles = look.hidden
        style = styles[piece.seat]
        canvas.fill(box, style)
        y = box.y + self._middle
        text = write_piece(piece, is_known=is_known)
        canvas.write(box.x + min((box.width - 2) // 2, box.width - len(text)), y, text, style)
        if box.height >= _NAMED_FROM.height and self.cell.width >= _NAMED_FROM.width and piece.rank is not None:
            name = self.replay.labels[piece.seat][piece.rank][: box.width]
            canvas.write(box.x + (box.width - len(name)) // 2, y + 1, name, style)
        if box.height > 1:  # half a line, so that pieces in a column stay apart
            below = Box(box.x, box.bottom - 1, box.width, 1)
            if style.bgcolor is None:
                canvas.fill(below, ground)
            else:
                canvas.fill(below, Style(color=style.bgcolor, bgcolor=ground.bgcolor), _LOWER_EDGE)


def write_piece(piece: ViewPiece, *, is_known: bool) -> str:
    """Write a piece: owner, rank, and whether its opponent knows it or it has moved."""
    return f"{OWNER[piece.seat]}{write_rank(piece.rank)}{KNOWN if is_known else _HAS_MOVED * piece.moved}"

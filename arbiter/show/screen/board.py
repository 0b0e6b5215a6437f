"""Boards, cards and single pieces, painted in colours; the letters and signs show everything that the colours do."""

from collections.abc import Collection
from typing import Final

from msgspec import Struct
from rich.style import Style

from arbiter.show.boards import OWNER, write_rank
from arbiter.show.grid import Cell, Grid, Square
from arbiter.show.language import Labels
from arbiter.show.replay.fight import ShownFight
from arbiter.show.replay.knowledge import Viewer, sees_secrets_of
from arbiter.show.screen.canvas import Box, Canvas, ScreenLook
from arbiter.show.theme import ATTACK, KNOWN
from protocol.messages import ViewPiece
from protocol.words import Place

LEGEND: Final = (
    "R8 b8    a red and a blue piece of rank 8",
    f"R8{KNOWN}      its opponent knows its rank; without the sign, it may be hidden",
    "b?       a piece whose rank you do not know",
    "b8'      a piece that has moved",
    "▹ ▸      where the last act came from, and where it went",
    f"{ATTACK}        an attack",
    "~~       a lake",
)
"""The signs on a board, for the help."""

_SOURCE, _TARGET, _SELECTED = "▹", "▸", ">"
_EMPTY, _WAVES, _HAS_MOVED = "·", "~", "'"
_LOWER_EDGE: Final = "▀"
_NAMED_FROM: Final = Cell(10, 3)  # smaller squares have no room for a name


class BoardPicture(Struct, frozen=True, kw_only=True):
    """A grid with everything that its picture depends on."""

    grid: Grid
    cell: Cell
    viewer: Viewer
    known: Collection[Place]
    """Squares of the pieces whose rank their opponent knows."""
    has_secrets: bool
    """False if it is not recorded who knows which piece, as for cards."""
    labels: Labels
    selected: Square | None = None
    fight: ShownFight | None = None
    """A fight to show on the square of the defender."""

    def paint(self, canvas: Canvas, x: int, y: int) -> None:
        """Paint the grid with the names of its rows and columns."""
        grid, cell, look = self.grid, self.cell, canvas.look
        top = y + (not grid.names_below)
        for column, name in enumerate(grid.columns):
            middle = x + grid.margin + column * cell.width + cell.width // 2
            canvas.write(middle, y + grid.height(cell) - 1 if grid.names_below else y, name, look.soft)
        for number, row in enumerate(grid.rows):
            line = top + number * cell.height
            canvas.write(x, line + _middle(cell), row.label, look.soft)
            for column, square in enumerate(row.squares):
                box = Box(x + grid.margin + column * cell.width, line, cell.width, cell.height)
                self._paint_square(canvas, box, square, look.squares[(number + column) % 2])
            right = x + grid.margin + len(row.squares) * cell.width
            canvas.write(right, line + _middle(cell), row.tail, look.soft)

    def _paint_square(self, canvas: Canvas, box: Box, square: Square, ground: Style) -> None:
        look, y = canvas.look, box.y + _middle(self.cell)
        if square.is_lake and square.piece is None:
            canvas.fill(box, look.lake, _WAVES)
            return
        mark, style = self._mark(square, look, ground)
        canvas.fill(box, style)
        if square.piece is None:
            canvas.write(box.x + box.width // 2, y, _EMPTY, style)
        else:
            self._paint_piece(canvas, Box(box.x + 1, box.y, box.width - 1, box.height), square.piece, style)
        if mark:
            canvas.write(box.x, y, mark, style)
        fight = self.fight
        if fight is not None and square.is_at(Square(fight.defender.place, seat=square.seat and fight.defender.seat)):
            text = f"{write_rank(fight.attacker.rank)}{ATTACK}{write_rank(fight.defender.rank)}"
            canvas.fill(Box(box.x, y, box.width, 1), look.target)
            canvas.write(box.x + (box.width - len(text)) // 2, y, text, look.target)

    def _mark(self, square: Square, look: ScreenLook, ground: Style) -> tuple[str, Style]:
        """Return the sign left of a piece, and the style of the square below it."""
        if self.selected is not None and square.is_at(self.selected):
            return _SELECTED, look.selected
        match square.around[0]:
            case "*":
                return ATTACK, look.target
            case "[":
                return (_SOURCE, look.source) if square.piece is None else (_TARGET, look.target)
            case _:
                return "", ground

    def _paint_piece(self, canvas: Canvas, box: Box, piece: ViewPiece, ground: Style) -> None:
        style = self._choose_style(piece, canvas.look)
        canvas.fill(box, style)
        y = box.y + _middle(self.cell)
        text = write_piece(piece, is_known=piece.place in self.known)
        canvas.write(box.x + min((box.width - 2) // 2, box.width - len(text)), y, text, style)
        if box.height >= _NAMED_FROM.height and self.cell.width >= _NAMED_FROM.width and piece.rank is not None:
            name = self.labels[piece.seat][piece.rank][: box.width]
            canvas.write(box.x + (box.width - len(name)) // 2, y + 1, name, style)
        if box.height > 1:
            canvas.fill(Box(box.x, box.bottom - 1, box.width, 1), *_make_edge(style, ground))

    def _choose_style(self, piece: ViewPiece, look: ScreenLook) -> Style:
        if piece.rank is None:
            return look.unknown[piece.seat]
        is_secret = self.has_secrets and sees_secrets_of(self.viewer, piece.seat)
        return look.hidden[piece.seat] if is_secret and piece.place not in self.known else look.known[piece.seat]


def _middle(cell: Cell) -> int:
    """Return the line of a square with the sign of its piece; the name and the edge are below it."""
    return max(0, (cell.height - 2) // 2)


def _make_edge(piece: Style, ground: Style) -> tuple[Style, str]:
    """Return the last line of a piece: half a line, so that pieces in a column stay apart."""
    if piece.bgcolor is None:
        return ground, " "
    return Style(color=piece.bgcolor, bgcolor=ground.bgcolor), _LOWER_EDGE


def write_piece(piece: ViewPiece, *, is_known: bool) -> str:
    """Write a piece: owner, rank, and whether its opponent knows it or it has moved."""
    return f"{OWNER[piece.seat]}{write_rank(piece.rank)}{KNOWN if is_known else _HAS_MOVED * piece.moved}"

"""The title, the players, the text and the keys around a board, painted."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from rich.style import Style

from arbiter.show.keys import IN_GAME, select_keys
from arbiter.show.replay.fight import ShownFight
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.board import write_piece
from arbiter.show.screen.canvas import Box, Canvas, wrap
from arbiter.show.screen.looks import ScreenLook
from arbiter.show.screen.texts import write_losses, write_player
from arbiter.show.text import write_clock
from arbiter.show.theme import ATTACK
from arbiter.show.theme import SEATS as SHAPES
from protocol.words import Seat

_ACTED: Final = "▸"

Row = list[tuple[str, Style]]


def paint_title(canvas: Canvas, box: Box, title: str, state: str) -> None:
    """Paint the first line: the game on the left, the state of the replay on the right."""
    look = canvas.look
    canvas.fill(box, look.title)
    left = max(box.x, box.right - cell_len(state))
    canvas.write(box.x + 1, box.y, title, look.title, right=left - 2)
    canvas.write(left, box.y, state, look.title)


def paint_player(canvas: Canvas, box: Box, replay: Replay, frame: Frame, seat: Seat) -> None:
    """Paint the line of a player: a sign if it has just acted, its name, its losses, its clock."""
    look = canvas.look
    clock = f" {write_clock(frame.banks[seat])} " if seat in frame.banks else ""
    right = box.right - len(clock)
    has_acted = frame.seat == seat
    canvas.write(right, box.y, clock, look.target if has_acted else look.title)
    losses = write_losses(frame, seat)
    name = f"{_ACTED if has_acted else ' '}{SHAPES[seat]} {write_player(replay, seat)}"
    # A long name leaves at least half of the line to the losses.
    edge = max(box.x + (right - box.x) // 2, right - cell_len(losses) - 3)
    x = canvas.write(box.x, box.y, name, look.names[seat] + Style(bold=True), right=edge)
    canvas.write(x + 2, box.y, losses, look.soft, right=right - 1)


def paint_text(
    canvas: Canvas, box: Box, texts: Sequence[str], *, fight: ShownFight | None, more: Sequence[str], scrolled: int
) -> int:
    """Paint the text below a board: its first line in bold, then the fight, then the others; `more` only if it fits.

    Returns how many lines are above the first visible one: at most as many as make room for the last line.
    """
    width = box.width - 2
    rows = list(_make_rows(width, canvas.look, texts, fight))
    rest = [[(line, canvas.look.soft)] for text in more for line in wrap(text, width)]
    if len(rows) + len(rest) <= box.height:
        rows += rest
    first = max(0, min(scrolled, len(rows) - box.height))
    shown = rows[first : first + box.height]
    for y, row in enumerate(shown, start=box.y):
        x = box.x + 1
        for text, style in row:
            x = canvas.write(x, y, text, style)
    left_out = len(rows) - first - len(shown)
    if left_out:
        note = f" … {left_out} more (Ctrl-↓) "
        canvas.write(box.right - len(note), box.bottom - 1, note, canvas.look.key)
    return first


def _make_rows(width: int, look: ScreenLook, texts: Sequence[str], fight: ShownFight | None) -> Iterator[Row]:
    yield from ([(line, look.strong)] for line in wrap(texts[0], width))
    rest = list(texts[1:])
    if fight is not None:
        row: Row = []
        for piece, outcome in ((fight.attacker, f" {fight.outcome} "), (fight.defender, "   ")):
            style = (look.unknown if piece.rank is None else look.known)[piece.seat]
            row += [(f" {write_piece(piece, is_known=False)} ", style), (outcome, look.strong)]
        row = [(f"{ATTACK} ", look.key), *row]
        used = sum(cell_len(text) for text, _ in row)
        if rest and used + cell_len(rest[0]) <= width:
            row.append((rest.pop(0), look.page))
        yield row
    for text in rest:
        yield from ([(line, look.page)] for line in wrap(text, width))


def paint_footer(canvas: Canvas, box: Box) -> None:
    """Paint the most important keys, as far as there is room."""
    x = box.x + 1
    for key in select_keys(IN_GAME, "terminal"):
        written = key.written.split()[0]
        if not key.footer or x + cell_len(f"{written} {key.footer}") > box.right:
            continue
        x = canvas.write(x, box.y, written, canvas.look.key)
        x = canvas.write(x + 1, box.y, key.footer, canvas.look.page) + 2

"""The parts of a screen around its board: title, players, list of moves, text, keys.

All foreign text in them is escaped, so that it is safe to print.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET, Struct
from rich.cells import cell_len
from rich.style import Style

from arbiter.show.boards import write_counts, write_lost
from arbiter.show.grid import Square
from arbiter.show.keys import IN_GAME, select_keys
from arbiter.show.replay.acts import is_attack, is_capture
from arbiter.show.replay.fight import ShownFight
from arbiter.show.replay.frame import Frame, write_visible_action
from arbiter.show.replay.knowledge import SPECTATOR, Viewer, sees_secrets_of
from arbiter.show.replay.plain_text import list_remarks, write_heading
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import count_possible_ranks, describe_square
from arbiter.show.screen.board import write_piece
from arbiter.show.screen.canvas import Box, Canvas, ScreenLook, wrap
from arbiter.show.text import plain, write_clock
from arbiter.show.theme import ATTACK
from arbiter.show.theme import SEATS as SHAPES
from protocol.words import BLUE, OPPONENT, RED, SEATS, Seat

_DATE: Final = len("2026-11-22")


def write_title(replay: Replay) -> str:
    """Write the players, the rules and the id of a game."""
    header = replay.record.header
    names = [plain(header.seats[seat].name) if seat in header.seats else seat for seat in (RED, BLUE)]
    parts = (
        " \N{EN DASH} ".join(names),
        " ".join((header.rules, *header.options)),
        header.id,
        (header.started or "")[:_DATE],
    )
    return " · ".join(plain(part) for part in parts if part)


def write_player(replay: Replay, seat: Seat) -> str:
    """Write the name of a player, and the name and version of its program if they differ."""
    one = replay.record.header.seats.get(seat)
    if one is None:
        return seat
    program = " ".join(part for part in (one.program, one.version) if part)
    return plain(one.name + (f" ({program})" if program and program != one.name else ""))


def write_losses(frame: Frame, seat: Seat) -> str:
    """Write what a seat has lost."""
    return f"lost {write_lost(frame.view.captured.get(seat, {}))}"


def list_texts(replay: Replay, number: int, frame: Frame, viewer: Viewer, selected: Square | None) -> Iterator[str]:
    """List the texts below a board, except the fight: the act, the facts, the selected square, the remarks."""
    yield write_heading(frame, f" of {replay.ply(replay.last)}")
    yield from frame.story
    if selected is not None:
        yield describe_square(replay, number, viewer, selected)
    yield from frame.ending
    yield from list_remarks(frame)


def list_hidden(replay: Replay, number: int, viewer: Viewer) -> Iterator[str]:
    """List the ranks that the hidden pieces of each seat can still have for its opponent; nothing in a card game."""
    for seat in SEATS if replay.rules.board is not UNSET else ():
        foe = OPPONENT[seat]
        if sees_secrets_of(viewer, foe) or viewer == SPECTATOR:
            counts = count_possible_ranks(replay.view(number, foe), replay.rules, seat)
            yield f"{seat} hides from {foe}: {write_counts(counts) or 'nothing'}"


LEAST_WIDTH: Final = 24
_PAIR_WIDTH: Final = 28
_NUMBER_WIDTH: Final = 4
_CAPTURE: Final = "x"
_SEATS: Final = 2


class MoveCell(Struct, frozen=True):
    """A move of the list, and its place on the screen."""

    box: Box
    ply: int


class MoveList:
    """The part of the list that fits in a box: from a turn on, or with the turn of a ply near its middle."""

    def __init__(self, box: Box, ply: int, last_ply: int, first: int | None = None) -> None:
        self._box = box
        self._columns = max(1, box.width // _PAIR_WIDTH)
        self._width = box.width // self._columns
        self._rows = max(1, box.height - 1)  # below the heading
        capacity = self._rows * self._columns
        turns = (last_ply + 1) // _SEATS
        wanted = max(0, ply - 1) // _SEATS - capacity // 2 if first is None else first
        self.first: Final = max(0, min(wanted, turns - capacity))
        self._turns = range(self.first, min(turns, self.first + capacity))
        self._last_ply = last_ply

    def cells(self) -> Iterator[MoveCell]:
        """Yield the moves that are visible."""
        for turn in self._turns:
            column, row = divmod(turn - self.first, self._rows)
            left = self._box.x + column * self._width + _NUMBER_WIDTH + 1
            width = (self._width - _NUMBER_WIDTH - 1) // _SEATS
            for either in range(_SEATS):
                ply = turn * _SEATS + either + 1
                if ply <= self._last_ply:
                    yield MoveCell(Box(left + either * width, self._box.y + 1 + row, width, 1), ply)

    def ply_at(self, x: int, y: int) -> int | None:
        """Return the ply at a position of the screen, if there is one."""
        return next((cell.ply for cell in self.cells() if cell.box.contains(x, y)), None)

    def paint(self, canvas: Canvas, replay: Replay, viewer: Viewer, ply: int) -> None:
        """Paint the list; the given ply is the current one."""
        look = canvas.look
        first: Seat = replay.record.header.first or RED
        for cell in self.cells():
            box = cell.box
            seat = first if cell.ply % _SEATS else OPPONENT[first]
            if cell.ply % _SEATS:
                turn = str((cell.ply + 1) // _SEATS)
                canvas.write(box.x - 1 - len(turn), box.y, turn, look.soft)
            if box.y == self._box.y + 1:
                canvas.write(box.x, self._box.y, f"{SHAPES[seat]} {seat}", look.names[seat], right=box.right - 1)
            style = look.target if cell.ply == ply else look.names[seat]
            if cell.ply == ply:
                canvas.fill(Box(box.x, box.y, box.width - 1, 1), style)
            canvas.write(box.x, box.y, write_ply(replay, cell.ply, viewer), style, right=box.right - 1)


def write_ply(replay: Replay, ply: int, viewer: Viewer) -> str:
    """Write a ply for the list: its first act, and a mark if one of its acts is an attack or loses a piece."""
    number = replay.find_ply(ply)
    act = replay.act(number)
    if act is None:
        return ""
    text = write_visible_action(act.entry, viewer).replace("line:", "")
    acts = [act]
    while number < replay.last and (act := replay.act(number + 1)) is not None and act.ply == ply:
        acts.append(act)
        number += 1
    mark = ATTACK if any(map(is_attack, acts)) else _CAPTURE if any(map(is_capture, acts)) else ""
    if " attacks " in text:  # in the card game
        return text.replace("attacks", mark)
    return f"{text} {mark}".rstrip()


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

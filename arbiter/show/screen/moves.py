"""The list of moves: one line for each turn, with one column for each player."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from arbiter.show.replay.acts import is_attack, is_capture
from arbiter.show.replay.frame import write_visible_action
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.canvas import Box, Canvas
from arbiter.show.theme import ATTACK
from arbiter.show.theme import SEATS as SHAPES
from protocol.words import OPPONENT, RED, Seat

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

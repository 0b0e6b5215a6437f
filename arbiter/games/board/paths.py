"""What is known of every move before any game begins: its squares, what it crosses, the fact it becomes."""

from functools import cache
from typing import NamedTuple

from arbiter.games.base import Addressed
from arbiter.games.board.geometry import Geometry
from protocol.words import SEATS, Move, Moved, Place

BOTH = SEATS


class Path(NamedTuple):
    """A straight way from square to square over land; `between` and `borders` are masks."""

    src: int
    dst: int
    between: int
    borders: int
    moved: tuple[tuple[Addressed, ...], tuple[Addressed, ...]]


@cache
def paths(board: Geometry) -> dict[tuple[Place, Place], Path]:
    """Index every straight way of a board by the names of its ends."""
    return {
        (move.src, move.dst): Path(
            *ends,
            board.between[ends],
            board.borders[ends],
            (_moved(0, move), _moved(1, move)),
        )
        for ends, move in board.moves.items()
    }


def _moved(me: int, move: Move) -> tuple[Addressed, ...]:
    return (Addressed(Moved(SEATS[me], move.src, move.dst), BOTH),)

"""The legal actions of a seat as a mask in which only what has changed since the last one is computed again."""

from collections.abc import Container, Iterable, Sequence
from itertools import chain, combinations
from typing import NamedTuple

from arbiter.arrays import np
from arbiter.games.board.geometry import ROW_BITS, Geometry
from arbiter.games.board.play import BoardPlay
from arbiter.games.board.position import SIDE_OF, Position
from arbiter.learning.actions import ActionTable, Mask
from protocol.words import SEATS, AnyAction, Place, Seat


class _Ray(NamedTuple):
    """The moves from a square in one direction."""

    direction: int
    line: int
    """Mask of its squares."""
    runs: dict[int, tuple[bytes, int]]
    """The moves of a runner, and the squares on which they depend, by the bit length of its first obstacle."""


class _Moves(NamedTuple):
    """The moves from a square, which have numbers in a row."""

    numbers: slice
    none: bytes
    """A zero for each number."""
    beside: int
    """Mask of the squares next to it."""
    steps: dict[int, bytes]
    """The moves over one square, by the mask of the own pieces next to it."""
    rays: tuple[_Ray, ...]
    """In the order of their numbers."""


class MoveTable:
    """The moves from each square as parts of a mask, by the bits of the squares."""

    def __init__(self, actions: ActionTable, board: Geometry) -> None:
        self.actions = actions
        self.moves: dict[Seat, dict[int, _Moves]] = {
            seat: {board.bit[square]: _list_moves(actions.numbers[seat], board, square) for square in range(board.size)}
            for seat in SEATS
        }


def _list_moves(numbers: dict[AnyAction, int], board: Geometry, square: int) -> _Moves:
    """Return the moves from a square."""
    rays = {direction: [numbers[move] for move in moves] for direction, moves in enumerate(board.runs[square]) if moves}
    every = sorted(chain.from_iterable(rays.values()))
    first = every[0] if every else 0
    beside = {rays[direction][0]: board.bit[board.rays[square][direction][0]] for direction in rays}
    return _Moves(
        slice(first, first + len(every)),
        bytes(len(every)),
        sum(beside.values()),
        {
            sum(beside[number] for number in blocked): _write(every, beside.keys() - set(blocked))
            for count in range(len(beside) + 1)
            for blocked in combinations(beside, count)
        },
        tuple(_make_ray(board, square, direction, rays[direction]) for direction in sorted(rays, key=rays.__getitem__)),
    )


def _make_ray(board: Geometry, square: int, direction: int, numbers: Sequence[int]) -> _Ray:
    ends = [board.bit[end] for end in board.rays[square][direction]]
    order = sorted(numbers)
    runs = {
        end.bit_length(): (_write(order, numbers[:reach]), sum(ends[: reach + 1])) for reach, end in enumerate(ends)
    }
    return _Ray(direction, sum(ends), runs | {0: (_write(order, numbers), sum(ends))})


def _write(numbers: Iterable[int], legal: Container[int]) -> bytes:
    return bytes(number in legal for number in numbers)


class SeatMask:
    """The mask of one seat, for game after game."""

    def __init__(self, table: MoveTable, seat: Seat) -> None:
        self._actions = table.actions
        self._moves = table.moves[seat]
        self._seat = seat
        self._side = SIDE_OF[seat]
        self._mask = bytearray(table.actions.size)
        self._array = np.frombuffer(self._mask, np.int8)
        self._known = (0, 0, 0, 0)
        """The pieces of both sides, and those of the seat that can move, and that can run, as masks."""
        self._watched: dict[int, int] = {}
        """For the square of each runner, the squares on which its moves depend."""

    def find(self, play: BoardPlay, placed: Container[Place] | None) -> Mask:
        """Return the mask as a new array if the seat is to act; the same as that of `ActionTable`."""
        actions, position = self._actions, play.position
        if play.phase != "turn" or position.may_repeat(self._side):
            return actions.mask(self._seat, play.legal_actions(self._seat), placed)
        self._update(position)
        mask = self._array.copy()
        for power in actions.powers:
            for action in power.list_actions(play, self._seat):
                mask[actions.numbers[self._seat][action]] = 1
        return mask

    def _update(self, position: Position) -> None:
        """Compute the moves again from the squares on which they may have changed."""
        side, mask, watched = self._side, self._mask, self._watched
        own, theirs = position.own[side], position.own[1 - side]
        movers, runners = position.movers[side], position.runners[side]
        before = self._known
        self._known = own, theirs, movers, runners
        changed = own ^ before[0] | theirs ^ before[1] | movers ^ before[2] | runners ^ before[3]
        near = changed | changed << ROW_BITS | changed >> ROW_BITS | changed << 1 | changed >> 1
        stale = near & movers | changed & before[2]
        far = runners & ~stale
        while far:
            square = far & -far
            far ^= square
            if watched[square] & changed:
                stale |= square
        walls: tuple[int, ...] = ()  # the squares that a runner does not reach in each direction: it may take a piece
        while stale:
            square = stale & -stale
            stale ^= square
            numbers, moves, beside, steps, rays = self._moves[square]
            if runners & square:
                walls = walls or (
                    own | theirs << ROW_BITS,
                    own | theirs >> ROW_BITS,
                    own | theirs << 1,
                    own | theirs >> 1,
                )
                moves, watch = b"", 0
                for direction, line, runs in rays:
                    hit = line & walls[direction]
                    # To the north and east, the nearest square has the lowest bit; else the highest.
                    part, needed = runs[(hit if direction % 2 else hit & -hit).bit_length()]
                    moves += part
                    watch |= needed
                watched[square] = watch
            elif movers & square:
                moves = steps[own & beside]
            mask[numbers] = moves

"""The legal actions of a seat as a mask in which only what has changed since the last one is computed again."""

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from itertools import chain, combinations

from arbiter.arrays import np
from arbiter.games.board.geometry import ROW_BITS, Geometry
from arbiter.games.board.play import BoardPlay
from arbiter.games.board.position import SIDE_OF, Position
from arbiter.learning.actions import ActionTable, Mask
from protocol.words import SEATS, AnyAction, Move, Place, Seat

# These are exact tuples, which Python takes apart faster than named ones.

_Ray = tuple[int, int, dict[int, tuple[bytes, int]]]
"""The moves from a square in one direction: the direction, the mask of its squares, and the moves of a runner with the
squares on which they depend, by the bit length of its first obstacle."""
_Moves = tuple[slice, bytes, int, dict[int, bytes], tuple[_Ray, ...]]
"""The moves from a square: their numbers, which are in a row; a zero for each of them; the mask of the squares next to
it; the moves over one square, by the mask of the own pieces next to it; and the rays in the order of their numbers."""
_Into = dict[int, list[int]]
"""The numbers of the moves to a square over one square, by the mask of the pieces next to it that can move."""
QuietMove = tuple[int, int, int, slice, bytes, int, _Into, slice, dict[int, bytes], int, _Into]
"""A move that is no attack: the masks of its squares and of both; what is known of the moves from the square that it
leaves: their numbers, a zero for each, the mask of the squares next to it, and the moves to it; and of the one that it
enters: their numbers, the moves over one square, the mask of the squares next to it, and the moves to it."""


class MoveTable:
    """The moves from each square as parts of a mask, by the bits of the squares."""

    def __init__(self, actions: ActionTable, board: Geometry) -> None:
        self.actions = actions
        self._board = board
        squares = range(board.size)
        self.moves: dict[Seat, dict[int, _Moves]] = {
            seat: {board.bit[square]: _list_moves(actions.numbers[seat], board, square) for square in squares}
            for seat in SEATS
        }
        self._into: dict[Seat, dict[int, _Into]] = {
            seat: {board.bit[square]: _list_moves_into(actions.numbers[seat], board, square) for square in squares}
            for seat in SEATS
        }

    def find_quiet_move(self, seat: Seat, move: Move) -> QuietMove:
        """Return what a move of a seat changes."""
        board, moves, into = self._board, self.moves[seat], self._into[seat]
        src, dst = (board.bit[board.square[place]] for place in (move.src, move.dst))
        left, none, beside_left, _, _ = moves[src]
        entered, _, beside_entered, steps, _ = moves[dst]
        return src, dst, src | dst, left, none, beside_left, into[src], entered, steps, beside_entered, into[dst]


def _list_moves(numbers: dict[AnyAction, int], board: Geometry, square: int) -> _Moves:
    """Return the moves from a square."""
    rays = {direction: [numbers[move] for move in moves] for direction, moves in enumerate(board.runs[square]) if moves}
    every = sorted(chain.from_iterable(rays.values()))
    first = every[0] if every else 0
    beside = {rays[direction][0]: board.bit[board.rays[square][direction][0]] for direction in rays}
    return (
        slice(first, first + len(every)),
        bytes(len(every)),
        sum(beside.values()),
        {
            sum(beside[number] for number in blocked): _write(every, beside.keys() - set(blocked))
            for blocked in _list_subsets(beside)
        },
        tuple(_make_ray(board, square, direction, rays[direction]) for direction in sorted(rays, key=rays.__getitem__)),
    )


def _list_moves_into(numbers: dict[AnyAction, int], board: Geometry, square: int) -> _Into:
    """Return the moves to a square over one square; none to a lake."""
    starts = [] if square in board.lake_squares else board.neighbours[square]
    into = {board.bit[start]: numbers[board.moves[start, square]] for start in starts}
    return {sum(chosen): [into[start] for start in chosen] for chosen in _list_subsets(into)}


def _list_subsets(values: Collection[int]) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(values, count) for count in range(len(values) + 1))


def _make_ray(board: Geometry, square: int, direction: int, numbers: Sequence[int]) -> _Ray:
    ends = [board.bit[end] for end in board.rays[square][direction]]
    order = sorted(numbers)
    runs = {
        end.bit_length(): (_write(order, numbers[:reach]), sum(ends[: reach + 1])) for reach, end in enumerate(ends)
    }
    return direction, sum(ends), runs | {0: (_write(order, numbers), sum(ends))}


def _write(numbers: Iterable[int], legal: Container[int]) -> bytes:
    return bytes(number in legal for number in numbers)


class SeatMask:
    """The mask of one seat, for game after game."""

    __slots__ = (
        "_actions",
        "_array",
        "_mask",
        "_movers",
        "_moves",
        "_own",
        "_runners",
        "_seat",
        "_side",
        "_theirs",
        "_watched",
        "is_stale",
    )

    def __init__(self, table: MoveTable, seat: Seat) -> None:
        self._actions = table.actions
        self._moves = table.moves[seat]
        self._seat = seat
        self._side = SIDE_OF[seat]
        self._mask = bytearray(table.actions.size)
        self._array = np.frombuffer(self._mask, np.int8)
        self._own = self._theirs = self._movers = self._runners = 0
        """The pieces of both sides, and those of the seat that can move, and that can run, in the present mask."""
        self._watched: dict[int, int] = {}
        """For the square of each runner, the squares on which its moves depend."""
        self.is_stale = True
        """True if something else than a quiet move has happened since the last mask."""

    def find(self, play: BoardPlay, placed: Container[Place] | None) -> Mask:
        """Return the mask as a new array if the seat is to act; the same as that of `ActionTable`."""
        actions, position = self._actions, play.position
        if play.phase != "turn":
            return actions.mask(self._seat, play.legal_actions(self._seat), placed)
        if self.is_stale:
            self._update(position)
        mask = self._array.copy()
        if position.may_repeat(self._side):
            for number in mask.nonzero()[0].tolist():
                move = actions.actions[self._seat][number]
                mask[number] = type(move) is Move and not position.repeats(self._side, move)
        for power in actions.powers:
            for action in power.list_actions(play, self._seat):
                mask[actions.numbers[self._seat][action]] = 1
        return mask

    def note_own_move(self, move: QuietMove, position: Position) -> None:
        """Update the mask after a quiet move of the seat."""
        if self.is_stale:
            return
        src, dst, both, left, none, beside_left, into_left, entered, steps, beside_entered, into_entered = move
        side, mask = self._side, self._mask
        own = self._own = position.own[side]
        movers = self._movers = position.movers[side]
        mask[left] = none
        mask[entered] = steps[own & beside_entered]
        if near := movers & beside_left:
            for number in into_left[near]:
                mask[number] = 1
        if near := movers & beside_entered:
            for number in into_entered[near]:
                mask[number] = 0
        if watched := self._watched:
            if src in watched:
                self._runners = position.runners[side]
                del watched[src]
                watched[dst] = dst
            self._write_runners(both)

    def note_enemy_move(self, move: QuietMove, position: Position) -> None:
        """Update the mask after a quiet move of the other seat: only runners depend on its pieces."""
        if self._watched and not self.is_stale:
            self._theirs = position.own[1 - self._side]
            self._write_runners(move[2])

    def _update(self, position: Position) -> None:
        """Compute the moves again from the squares on which they may have changed."""
        side, mask, watched = self._side, self._mask, self._watched
        own, theirs = position.own[side], position.own[1 - side]
        movers, runners = position.movers[side], position.runners[side]
        # A step to a square is legal whether an enemy is there or not.
        changed = own ^ self._own | movers ^ self._movers | runners ^ self._runners
        near = changed | changed << ROW_BITS | changed >> ROW_BITS | changed << 1 | changed >> 1
        stale = near & (movers | self._movers)
        old, new = self._runners & ~runners, runners & ~self._runners
        changed |= theirs ^ self._theirs
        self._own, self._theirs, self._movers, self._runners = own, theirs, movers, runners
        self.is_stale = False
        while stale:
            square = stale & -stale
            stale ^= square
            numbers, none, beside, steps, _ = self._moves[square]
            mask[numbers] = steps[own & beside] if movers & square else none
        while old:
            square = old & -old
            old ^= square
            del watched[square]
        while new:
            square = new & -new
            new ^= square
            watched[square] = square
        if watched:
            self._write_runners(changed)

    def _write_runners(self, changed: int) -> None:
        """Write the moves of the runners that depend on changed squares."""
        found = [square for square, needed in self._watched.items() if needed & changed]
        if not found:
            return
        own, theirs = self._own, self._theirs
        # The squares that a runner does not reach in each direction: it may take a piece.
        walls = own | theirs << ROW_BITS, own | theirs >> ROW_BITS, own | theirs << 1, own | theirs >> 1
        for square in found:
            numbers, _, _, _, rays = self._moves[square]
            moves, watch = b"", 0
            for direction, line, runs in rays:
                hit = line & walls[direction]
                # To the north and east, the nearest square has the lowest bit; else the highest.
                part, needed = runs[(hit if direction % 2 else hit & -hit).bit_length()]
                moves += part
                watch |= needed
            self._mask[numbers] = moves
            self._watched[square] = watch

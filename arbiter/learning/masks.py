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

_Runs = dict[int, tuple[bytearray, int]]
"""The moves of a runner in one direction, and the squares on which they depend, by its first obstacle: to the north and
east by its bit, to the south and west by its bit length."""
_Rays = tuple[int, _Runs, int, _Runs, int, _Runs, int, _Runs]
"""To the north, south, east and west: the mask of the squares, and the moves of a runner."""
_Moves = tuple[slice, bytearray, int, dict[int, bytearray], _Rays]
"""The moves from a square: their numbers, which are in a row; a zero for each of them; the mask of the squares next to
it; the moves over one square, by the mask of the own pieces next to it; and those of a runner."""
_Into = dict[int, list[int]]
"""The numbers of the moves to a square over one square, by the mask of the pieces next to it that can move."""
QuietMove = tuple[int, int, int, slice, bytearray, int, _Into, slice, dict[int, bytearray], int, _Into]
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
    rays = [[numbers[move] for move in moves] for moves in board.runs[square]]
    every = sorted(chain.from_iterable(rays))
    first = every[0] if every else 0
    beside = {moves[0]: board.bit[ray[0]] for moves, ray in zip(rays, board.rays[square], strict=True) if moves}
    return (
        slice(first, first + len(every)),
        bytearray(len(every)),
        sum(beside.values()),
        {
            sum(beside[number] for number in blocked): _write(every, beside.keys() - set(blocked))
            for blocked in _list_subsets(beside)
        },
        (
            *_list_runs(board, square, 0, rays[0]),
            *_list_runs(board, square, 1, rays[1]),
            *_list_runs(board, square, 2, rays[2]),
            *_list_runs(board, square, 3, rays[3]),
        ),
    )


def _list_moves_into(numbers: dict[AnyAction, int], board: Geometry, square: int) -> _Into:
    """Return the moves to a square over one square; none to a lake."""
    starts = [] if square in board.lake_squares else board.neighbours[square]
    into = {board.bit[start]: numbers[board.moves[start, square]] for start in starts}
    return {sum(chosen): [into[start] for start in chosen] for chosen in _list_subsets(into)}


def _list_subsets(values: Collection[int]) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(values, count) for count in range(len(values) + 1))


def _list_runs(board: Geometry, square: int, direction: int, numbers: Sequence[int]) -> tuple[int, _Runs]:
    ends = [board.bit[end] for end in board.rays[square][direction]]
    order = sorted(numbers)
    runs = {
        end.bit_length() if direction % 2 else end: (_write(order, numbers[:reach]), sum(ends[: reach + 1]))
        for reach, end in enumerate(ends)
    }
    return sum(ends), runs | {0: (_write(order, numbers), sum(ends))}


def _write(numbers: Iterable[int], legal: Container[int]) -> bytearray:
    """Return a part of a mask, as the type that one can put into another fastest."""
    return bytearray(number in legal for number in numbers)


class SeatMask:
    """The mask of one seat, for game after game."""

    __slots__ = (
        "_actions",
        "_array",
        "_mask",
        "_movers",
        "_moves",
        "_own",
        "_powers",
        "_runners",
        "_seat",
        "_side",
        "_theirs",
        "_watched",
        "is_stale",
        "passed",
        "quiet_move",
    )

    def __init__(self, table: MoveTable, seat: Seat) -> None:
        self._actions = table.actions
        self._moves = table.moves[seat]
        self._powers = table.actions.powers
        self._seat = seat
        self._side = SIDE_OF[seat]
        self._mask = bytearray(table.actions.size)
        self._array = np.frombuffer(self._mask, np.int8)
        self._own = self._theirs = self._movers = self._runners = 0
        """The pieces of both sides, and those of the seat that can move, and that can run, in the present mask."""
        self._watched: dict[int, int] = {}
        """For the square of each runner, the squares on which its moves depend."""
        self.quiet_move: QuietMove | None = None
        """The last move of the seat, if nothing else of it has happened since its last mask."""
        self.passed = 0
        """The squares of the quiet moves of the other seat since the last mask."""
        self.is_stale = True
        """True if something else than one quiet move of the seat and such moves of the other has happened since."""

    def find(self, play: BoardPlay, placed: Container[Place] | None) -> Mask:
        """Return the mask as a new array if the seat is to act; the same as that of `ActionTable`."""
        if play.phase != "turn":
            return self._actions.mask(self._seat, play.legal_actions(self._seat), placed)
        position, side, move = play.position, self._side, self.quiet_move
        if self.is_stale:
            self._update(position)
        elif move is not None:
            self._carry_out(move, position)
        elif self._watched:
            self._theirs = position.own[1 - side]
            self._write_runners(self.passed)
        self.quiet_move, self.passed = None, 0
        mask = self._array.copy()
        if position.two_squares.common[side] or position.chases.may_forbid(side):
            self._forbid(position, mask)
        for power in self._powers:
            for action in power.list_actions(play, self._seat):
                mask[self._actions.numbers[self._seat][action]] = 1
        return mask

    def _carry_out(self, move: QuietMove, position: Position) -> None:
        """Update the mask after a quiet move of the seat, and quiet moves of the other seat."""
        src, dst, changed, left, none, beside_left, into_left, entered, steps, beside_entered, into_entered = move
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
        if watched := self._watched:  # only runners depend on the pieces of the other seat
            if src in watched:
                self._runners = position.runners[side]
                del watched[src]
                watched[dst] = dst
            self._theirs = position.own[1 - side]
            self._write_runners(changed | self.passed)

    def _forbid(self, position: Position, mask: Mask) -> None:
        """Remove the moves that a repetition rule refuses."""
        actions = self._actions.actions[self._seat]
        for number in mask.nonzero()[0].tolist():
            move = actions[number]
            if type(move) is Move and position.repeats(self._side, move):
                mask[number] = 0

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
        own, theirs, watched = self._own, self._theirs, self._watched
        for square, needed in watched.items():
            if needed & changed:
                numbers, _, _, _, (north, norths, south, souths, east, easts, west, wests) = self._moves[square]
                # A runner stops before an own piece and on an enemy one, so before the next square.
                north &= own | theirs << ROW_BITS
                up, above = norths[north & -north]
                down, below = souths[(south & (own | theirs >> ROW_BITS)).bit_length()]
                east &= own | theirs << 1
                right, beyond = easts[east & -east]
                left, before = wests[(west & (own | theirs >> 1)).bit_length()]
                self._mask[numbers] = up + right + left + down if self._side else down + left + right + up
                watched[square] = above | below | beyond | before

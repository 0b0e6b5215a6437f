"""The geometry of a board, computed once: squares, borders, rays, and tables for listing moves fast.

A square is a number: a1 = 0, b1 = 1 and so on, row by row.  A *mask* is an int with one bit for each square and
sixteen bits for each row: a shift by 1 or 16 moves all squares sideways or up without wrapping into the next row.
"""

from collections.abc import Iterable
from functools import cached_property
from itertools import chain, compress, pairwise, product
from operator import getitem
from struct import Struct as Packing
from typing import Final

from protocol.words import Move, Place

ROW_BITS: Final = 16
_DIRECTIONS: Final = 4
_LETTERS: Final = "abcdefghijklmno"


class Geometry:
    """A rectangle of squares with lakes; at most 15 files."""

    def __init__(self, files: int, rows: int, lakes: Iterable[Place]) -> None:
        self.files = files
        self.rows = rows
        self.lakes = tuple(lakes)
        self.names: tuple[Place, ...] = tuple(
            f"{_LETTERS[file]}{row + 1}" for row, file in product(range(rows), range(files))
        )
        self.square = {name: number for number, name in enumerate(self.names)}
        self.size = len(self.names)
        self.lake_squares = frozenset(self.square[name] for name in self.lakes)
        self.bit = tuple(1 << (row * ROW_BITS + file) for row, file in product(range(rows), range(files)))
        self.land = self.mask(square for square in range(self.size) if square not in self.lake_squares)
        self._rows = Packing(f"<{_DIRECTIONS * rows}H")

    def mask(self, squares: Iterable[int]) -> int:
        """Return the mask of squares."""
        mask = 0
        for square in squares:
            mask |= self.bit[square]
        return mask

    def squares(self, mask: int) -> list[int]:
        """List the squares of a mask, in board order."""
        found = []
        while mask:
            low = mask & -mask
            found.append(self.square_of_bit[low])
            mask ^= low
        return found

    @cached_property
    def square_of_bit(self) -> dict[int, int]:
        """The square of each single bit."""
        return {bit: square for square, bit in enumerate(self.bit)}

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The land squares next to each square: north, south, east, west."""
        return tuple(tuple(ray[0] for ray in rays if ray) for rays in self.rays)

    @cached_property
    def beside(self) -> tuple[int, ...]:
        """The mask of the land squares next to each square."""
        return tuple(self.mask(squares) for squares in self.neighbours)

    @cached_property
    def rays(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each square the straight lines over land from it: north, south, east, west."""
        return tuple(
            tuple(self._ray(square, *step) for step in ((1, 0), (-1, 0), (0, 1), (0, -1)))
            for square in range(self.size)
        )

    def _ray(self, square: int, up: int, right: int) -> tuple[int, ...]:
        row, file = divmod(square, self.files)
        ray: list[int] = []
        while True:
            row, file = row + up, file + right
            number = row * self.files + file
            if not (0 <= row < self.rows and 0 <= file < self.files) or number in self.lake_squares:
                return tuple(ray)
            ray.append(number)

    @cached_property
    def _lines(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """For each pair of squares on one straight line over land: all squares from the first to the second."""
        return {
            (square, ray[reach]): (square, *ray[: reach + 1])
            for square, rays in enumerate(self.rays)
            for ray in rays
            for reach in range(len(ray))
        }

    @cached_property
    def between(self) -> dict[tuple[int, int], int]:
        """For each pair of squares on one straight line over land: the mask of the squares strictly between them."""
        return {ends: self.mask(line[1:-1]) for ends, line in self._lines.items()}

    @cached_property
    def borders(self) -> dict[tuple[int, int], int]:
        """For each pair of squares on one straight line over land: the borders between them, as bits of an int.

        The border above square n is bit 2n, the border to its right is bit 2n + 1.
        """
        return {
            ends: sum(1 << (2 * min(here, there) + (abs(here - there) == 1)) for here, there in pairwise(line))
            for ends, line in self._lines.items()
        }

    @cached_property
    def moves(self) -> dict[tuple[int, int], Move]:
        """The `Move` for each pair of squares on one straight line over land."""
        return {(src, dst): Move(self.names[src], self.names[dst]) for src, dst in self.between}

    @cached_property
    def runs(self) -> tuple[tuple[tuple[Move, ...], ...], ...]:
        """For each square and direction: the moves along the whole ray."""
        return tuple(
            tuple(tuple(self.moves[square, target] for target in ray) for ray in rays)
            for square, rays in enumerate(self.rays)
        )

    # --- listing moves, a row at a time -----------------------------------------------------------

    @cached_property
    def _steps(self) -> "tuple[_RowSteps, ...]":
        """For each direction and row: the one-square moves from any pattern of squares."""
        return tuple(_RowSteps(self, direction, row) for direction in range(_DIRECTIONS) for row in range(self.rows))

    def steps(self, movers: int, targets: int) -> list[Move]:
        """List the one-square moves from `movers` to `targets`.

        Fast because the loop runs in C: the packed moves are split into rows, and the moves of each row's pattern are
        looked up.
        """
        width = self.rows * ROW_BITS
        able = (
            movers & targets >> ROW_BITS
            | (movers & targets << ROW_BITS) << width
            | (movers & targets >> 1) << 2 * width
            | (movers & targets << 1) << 3 * width
        )
        patterns = self._rows.unpack(able.to_bytes(self._rows.size, "little"))
        return list(chain.from_iterable(map(getitem, compress(self._steps, patterns), filter(None, patterns))))


class _RowSteps(dict[int, tuple[Move, ...]]):
    """The one-square moves in one direction from a pattern of squares of a row, computed when first needed."""

    def __init__(self, board: Geometry, direction: int, row: int) -> None:
        super().__init__()
        self._board = board
        self._direction = direction
        self._row = row

    def __missing__(self, pattern: int) -> tuple[Move, ...]:
        board = self._board
        squares = [self._row * board.files + file for file in range(board.files) if pattern >> file & 1]
        steps = tuple(board.runs[square][self._direction][0] for square in squares)
        self[pattern] = steps
        return steps


CLASSIC_LAKES: Final = ("c5", "d5", "c6", "d6", "g5", "h5", "g6", "h6")
CLASSIC_BOARD: Final = Geometry(10, 10, CLASSIC_LAKES)

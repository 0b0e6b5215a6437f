"""The geometry of a board, computed once: squares, borders, rays and the tables that list moves fast.

A square is a number, a1 = 0, b1 = 1 .. row by row.  A *mask* is an int with one bit a square, sixteen
bits a row, so that a shift by 1 or 16 steps sideways or up and never wraps into the next row.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise, product
from struct import Struct as Packing
from typing import Final

from protocol.words import Move, Place

ROW_BITS: Final = 16
_LETTERS: Final = "abcdefghijklmno"

Tables = list[dict[int, tuple[Move, ...]]]


class Board:
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
        self.bit = tuple(1 << self._bit_number(square) for square in range(self.size))
        self.land = self.mask(square for square in range(self.size) if square not in self.lake_squares)
        self._rows = Packing(f"<{rows}H")

    def _bit_number(self, square: int) -> int:
        row, file = divmod(square, self.files)
        return row * ROW_BITS + file

    def mask(self, squares: Iterable[int]) -> int:
        """Return the mask of some squares."""
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
        """The land squares beside each square: north, south, east, west."""
        return tuple(tuple(ray[0] for ray in rays if ray) for rays in self.rays)

    @cached_property
    def beside(self) -> tuple[int, ...]:
        """The mask of the land squares beside each square."""
        return tuple(self.mask(squares) for squares in self.neighbours)

    @cached_property
    def rays(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Per square the straight lines over land that leave it: north, south, east, west."""
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
    def between(self) -> dict[tuple[int, int], int]:
        """Per pair of squares on one clear line: the mask of the squares strictly between them."""
        return {
            (square, ray[reach]): self.mask(ray[:reach])
            for square, rays in enumerate(self.rays)
            for ray in rays
            for reach in range(len(ray))
        }

    @cached_property
    def borders(self) -> dict[tuple[int, int], int]:
        """Per pair of squares on one clear line: the borders crossed between them, as bits of an int.

        The border above square n is bit 2n, the border to its right bit 2n + 1.
        """
        return {
            (square, ray[reach]): self._crossed((square, *ray[: reach + 1]))
            for square, rays in enumerate(self.rays)
            for ray in rays
            for reach in range(len(ray))
        }

    @staticmethod
    def _crossed(path: Sequence[int]) -> int:
        crossed = 0
        for here, there in pairwise(path):
            low, high = min(here, there), max(here, there)
            crossed |= 1 << (2 * low + (high - low == 1))
        return crossed

    @cached_property
    def moves(self) -> dict[tuple[int, int], Move]:
        """The one `Move` of each pair of squares on one clear line."""
        return {(src, dst): Move(self.names[src], self.names[dst]) for src, dst in self.between}

    @cached_property
    def runs(self) -> tuple[tuple[tuple[Move, ...], ...], ...]:
        """Per square and direction: the moves along the whole ray."""
        return tuple(
            tuple(tuple(self.moves[square, target] for target in ray) for ray in rays)
            for square, rays in enumerate(self.rays)
        )

    # --- listing moves, a row at a time -----------------------------------------------------------

    @cached_property
    def _steps(self) -> tuple[Tables, ...]:
        """Per direction and row: the steps of the pieces on a pattern of bits, filled as they occur."""
        return tuple([{0: ()} for _ in range(self.rows)] for _ in range(4))

    def steps(self, movers: int, targets: int) -> list[Move]:
        """List the one-square moves of the `movers` onto `targets`."""
        found: list[Move] = []
        unpack, length = self._rows.unpack, self._rows.size
        sets = (
            movers & (targets >> ROW_BITS),
            movers & (targets << ROW_BITS),
            movers & (targets >> 1),
            movers & (targets << 1),
        )
        for direction, able in enumerate(sets):
            if able:
                tables = self._steps[direction]
                for row, pattern in enumerate(unpack(able.to_bytes(length, "little"))):
                    if pattern:
                        known = tables[row].get(pattern)
                        found += self._row_steps(direction, row, pattern) if known is None else known
        return found

    def _row_steps(self, direction: int, row: int, pattern: int) -> tuple[Move, ...]:
        """Build the entry of one pattern; there are at most 2^files a row and direction."""
        squares = [row * self.files + file for file in range(self.files) if pattern >> file & 1]
        listed = tuple(self.moves[square, self.rays[square][direction][0]] for square in squares)
        self._steps[direction][row][pattern] = listed
        return listed

    @staticmethod
    def can_step(movers: int, targets: int) -> bool:
        """Say whether any of the `movers` stands beside one of the `targets`."""
        return bool(
            movers & (targets >> ROW_BITS | targets << ROW_BITS | targets >> 1 | targets << 1),
        )


CLASSIC_LAKES: Final = ("c5", "d5", "c6", "d6", "g5", "h5", "g6", "h6")
CLASSIC_BOARD: Final = Board(10, 10, CLASSIC_LAKES)

"""The moves of many games at a time, as arrays: squares first, games last, so that numpy's inner loops are long."""

from collections.abc import Iterator
from typing import Final

from arbiter.arrays import Booleans, NDArray, np
from arbiter.games.board.position import SIDE_OF
from arbiter.games.board.ruleset import BoardRules
from arbiter.learning.actions import ActionTable
from arbiter.learning.planes import FIRST_KIND, FREE
from protocol.words import RED, SEATS, Move

Codes = NDArray[np.uint8]
"""Codes of squares, as in `SeatPlanes`: squares and games."""
_FREE, _TARGET, _MOVES, _RUNS = 1, 2, 4, 8
"""Bits of a kind of square: it is free, a piece can move to it, and its piece can move, and run."""
_KINDS: Final = (_FREE, _TARGET, _MOVES, _RUNS)
_WAYS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))  # rows and files of the four directions


class MoveArrays:
    """The moves of a rule set by their numbers, and which of them are legal in many games without repetition rules."""

    def __init__(self, rules: BoardRules, table: ActionTable, games: int) -> None:
        board, tables = rules.board, rules.tables
        size = board.size
        self._count = count = len(board.moves)
        self.ends = np.zeros((2, count), np.intp)
        """For each number, the squares from which and to which the move leads, as its seat sees the board."""
        self.spans = np.zeros((len(SEATS), count, 3), np.int8)
        """For each side and number, the part of a line that the move crosses: a number for the line, and both ends."""
        self._places = np.full(-(-count // 8) * 8, size - 1)  # at first, moves to the north of the board
        for (src, dst), move in board.moves.items():
            number = table.numbers[RED][move]
            self.ends[:, number] = src, dst
            up, right = divmod(dst, board.files)[0] - divmod(src, board.files)[0], dst % board.files - src % board.files
            distance = abs(up + right)
            way = _WAYS.index((up // distance, right // distance))
            self._places[number] = ((distance - 1) * len(_WAYS) + way) * size + src
            for seat, side in SIDE_OF.items():
                action = table.actions[seat][number]
                assert isinstance(action, Move)  # noqa: S101 - moves come first
                (row, file), (to_row, to_file) = (
                    divmod(board.square[end], board.files) for end in (action.src, action.dst)
                )
                ends = (file, row, to_row) if file == to_file else (board.files + row, file, to_file)
                self.spans[side, number] = ends[0], min(ends[1:]), max(ends[1:])
        ranks = len(rules.ranks)
        first_enemy = FIRST_KIND + 2 * ranks
        codes = first_enemy + 2 * (ranks + 1)
        self._kinds = np.zeros(codes, np.uint8)  # bits, by code
        self._kinds[FREE] = _FREE | _TARGET
        self._kinds[FIRST_KIND:first_enemy] = np.repeat(
            _MOVES * np.array(tables.moves) + _RUNS * np.array(tables.runs), 2
        )
        self._kinds[first_enemy:] = _TARGET
        # One bit for each game: operations on bits take little time.
        shape = board.rows, board.files, -(-games // 8)
        self._games = games
        self._bits = np.zeros((len(_KINDS), *shape), np.uint8)
        self._path = np.zeros(shape, np.uint8)  # squares from which a runner reaches another
        self._able = np.zeros((max(shape[:2]), len(_WAYS), *shape), np.uint8)  # moves, by distance and way
        self._ways = [list(self._list_steps(way)) for way in range(len(_WAYS))]

    def _list_steps(self, way: int) -> Iterator[tuple[NDArray[np.uint8], ...]]:
        """For each distance: the squares of movers, the squares to which they move, the moves, paths, free squares."""
        free, targets, movers, _ = self._bits
        up, right = _WAYS[way]
        for distance in range(1, free.shape[0 if up else 1]):
            src = _cut(-distance * up), _cut(-distance * right)
            dst = _cut(distance * up), _cut(distance * right)
            starts = movers if distance == 1 else self._path
            yield starts[src], targets[dst], self._able[distance - 1, way][src], self._path[src], free[dst]

    def list_legal(self, codes: Codes) -> Booleans:
        """Return an array of games and moves: True if the rules allow the move, apart from repetition rules.

        `codes` are those that the seat sees which is to act in each game.
        """
        kinds = self._kinds.take(codes)
        for bits, kind in zip(self._bits, _KINDS, strict=True):
            bits[:] = np.packbits(kinds & kind, axis=1, bitorder="little").reshape(bits.shape)
        for steps in self._ways:
            self._path[:] = self._bits[-1]
            for starts, targets, able, path, free in steps:
                np.bitwise_and(starts, targets, able)
                np.bitwise_and(path, free, path)
        legal = _turn_bits(self._able.reshape(-1, self._able.shape[-1]).take(self._places, 0))
        return np.unpackbits(legal[: self._games], axis=1, count=self._count, bitorder="little").view(np.bool_)


def _turn_bits(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Turn rows of bits into columns; their number is a multiple of 8.  The lowest bit of a byte is the first."""
    width = bits.shape[1]
    blocks = np.ascontiguousarray(bits.reshape(-1, 8, width).transpose(0, 2, 1)).view("<u8")[:, :, 0]
    for shift, kept in ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0)):
        swapped = (blocks ^ blocks >> np.uint64(shift)) & np.uint64(kept)
        blocks = blocks ^ swapped ^ swapped << np.uint64(shift)
    turned = blocks.view(np.uint8).reshape(-1, width, 8).transpose(1, 2, 0)
    return np.ascontiguousarray(turned).reshape(8 * width, -1)


def _cut(steps: int) -> slice:
    """Return the rows or files from which some steps back lead to others of the board."""
    return slice(steps, None) if steps > 0 else slice(None, steps or None)

"""The moves of many games at a time, as arrays: squares first, games last, so that numpy's inner loops are long."""

from typing import Final

from arbiter.arrays import Booleans, NDArray, np
from arbiter.games.board.position import SIDE_OF
from arbiter.games.board.ruleset import BoardRules
from arbiter.learning.actions import ActionTable
from arbiter.learning.planes import FIRST_KIND, FREE
from protocol.words import RED, SEATS, Move

Codes = NDArray[np.uint8]
"""Codes of squares, as in `SeatPlanes`: squares and games."""
_WAYS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))  # rows and files of the four directions


class MoveArrays:
    """The moves of a rule set by their numbers, and which of them are legal in many games without repetition rules."""

    def __init__(self, rules: BoardRules, table: ActionTable, games: int) -> None:
        """Prepare for a number of games; others are slower."""
        board, tables = rules.board, rules.tables
        self._shape = board.rows, board.files
        self._longest = max(self._shape) - 1
        size = board.size
        count = len(board.moves)
        self.ends = np.zeros((2, count), np.intp)
        """For each number, the squares from which and to which the move leads, as its seat sees the board."""
        self.borders: list[list[int]] = [[0] * count for _ in SEATS]
        """For each side and number, the borders that the move crosses."""
        self._places = np.zeros(count, np.intp)
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
                self.borders[side][number] = board.borders[board.square[action.src], board.square[action.dst]]
        ranks = len(rules.ranks)
        self._first_enemy = FIRST_KIND + 2 * ranks
        codes = self._first_enemy + 2 * (ranks + 1)
        self._moves, self._runs = np.zeros(codes, np.bool_), np.zeros(codes, np.bool_)
        self._moves[FIRST_KIND : self._first_enemy] = np.repeat(tables.moves, 2)
        self._runs[FIRST_KIND : self._first_enemy] = np.repeat(tables.runs, 2)
        self._able = self._new_able(games)

    def list_legal(self, codes: Codes) -> Booleans:
        """Return an array of moves and games: True if the rules allow the move, apart from repetition rules.

        `codes` are those that the seat sees which is to act in each game.
        """
        games = codes.shape[1]
        board = codes.reshape(*self._shape, games)
        free = board == FREE
        targets = free | (board >= self._first_enemy)
        movers, runners = self._moves.take(board), self._runs.take(board)
        able = self._able if self._able.shape[-1] == games else self._new_able(games)
        for number, (up, right) in enumerate(_WAYS):
            starts, path = movers, runners.copy()
            for distance in range(1, (self._shape[0] if up else self._shape[1])):
                src = _cut(-distance * up), _cut(-distance * right)
                dst = _cut(distance * up), _cut(distance * right)
                np.logical_and(starts[src], targets[dst], able[distance - 1, number][src])
                starts = path
                path[src] &= free[dst]
        return able.reshape(-1, games).take(self._places, 0)

    def _new_able(self, games: int) -> Booleans:
        """Return an array of distances, directions, squares and games; moves that leave the board are never written."""
        return np.zeros((self._longest, len(_WAYS), *self._shape, games), np.bool_)


def _cut(steps: int) -> slice:
    """Return the rows or files from which some steps back lead to others of the board."""
    return slice(steps, None) if steps > 0 else slice(None, steps or None)

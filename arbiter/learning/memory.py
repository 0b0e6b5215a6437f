"""The memory of the repetition rules of many games: arrays, and for chases the objects of any other game."""

from arbiter.arrays import Booleans, NDArray, Numbers, np
from arbiter.games.board.position import LAST_RED_PIECE
from arbiter.games.board.repetition import ChaseRule
from arbiter.games.board.ruleset import BoardRules
from arbiter.learning.moves import MoveArrays
from protocol.words import SEATS

_LINE, _LOW, _HIGH = range(3)
"""A part of a line: which line, and the first and the last square on it."""


class RepetitionMemory:
    """The memory of both repetition rules in many games.

    In arrays of moves, pieces and squares are those of `Position`.
    """

    def __init__(self, rules: BoardRules, moves: MoveArrays, pieces: NDArray[np.uint8]) -> None:
        """Remember games with `pieces`: an array of games and squares, and one more square on which there is none."""
        board, games = rules.board, len(pieces)
        self._moves = moves
        self._last = board.size - 1
        self._pieces = pieces
        self._squares = [row[:-1] for row in pieces]
        self._rows = np.arange(games)
        self._beside = np.full((board.size, 4), board.size)
        for square, neighbours in enumerate(board.neighbours):
            self._beside[square, : len(neighbours)] = neighbours
        # Two squares: the last turns of each side, newest first, as long as the same piece moves.
        self._limit = rules.two_squares
        self._piece = np.zeros((len(SEATS), games), np.uint8)
        self._turns = np.zeros((len(SEATS), games), np.intp)
        self._crossed = np.zeros((max(1, self._limit), len(SEATS), games, 3), np.int8)
        self._common = np.zeros((len(SEATS), games, 3), np.int8)  # crossed in all of them; else the last is the first
        # Chases: without one, the rule has nothing to remember but the last moves, which are in the array.
        self._scope = rules.more_squares
        self._chases: list[ChaseRule] = [ChaseRule(self._scope)] * games
        self._is_chase = np.zeros(games, np.bool_)
        self._moved = np.zeros((len(SEATS), games, 3), np.intp)  # piece, from, to; 0 for a piece that has fallen

    def begin(self, rows: Numbers, chases: list[ChaseRule]) -> None:
        """Forget what happened in some games, and take over their chases."""
        self._piece[:, rows] = self._turns[:, rows] = self._common[:, rows] = self._moved[:, rows] = 0
        self._is_chase[rows] = False
        for row, chase in zip(rows.tolist(), chases, strict=True):
            self._chases[row] = chase

    def record(
        self, sides: Numbers, numbers: NDArray[np.int64], moved: NDArray[np.uint8], attacks: Booleans, stays: Booleans
    ) -> Numbers:
        """Record a ply of each game; return the games in which a move may now be refused.

        The arrays have the side, the number of the move, the piece, True for an attack, and True if the piece stays.
        """
        others, rows = 1 - sides, self._rows
        if self._limit:
            self._record_crossing(sides, self._moves.spans[sides, numbers], moved)
        refuses = self._common[others, rows, _LOW] < self._common[others, rows, _HIGH]
        if self._scope != "off":
            src, dst = self._moves.ends[:, numbers]
            start, goal = np.where(sides, self._last - src, src), np.where(sides, self._last - dst, dst)
            refuses |= self._record_moves(sides, np.stack((moved * stays, start, goal), axis=1), attacks)
        return np.flatnonzero(refuses)

    def _record_crossing(self, sides: Numbers, spans: NDArray[np.int8], moved: NDArray[np.uint8]) -> None:
        rows = self._rows
        turns = np.where(self._piece[sides, rows] == moved, self._turns[sides, rows] + 1, 1)
        self._piece[sides, rows], self._turns[sides, rows] = moved, turns
        crossed = np.concatenate((spans[None], self._crossed[:-1, sides, rows]))
        self._crossed[:, sides, rows] = crossed
        low, high = crossed[:, :, _LOW].max(0), crossed[:, :, _HIGH].min(0)
        is_common = (turns >= self._limit) & (crossed[:, :, _LINE] == spans[:, _LINE]).all(0)
        self._common[sides, rows] = np.stack((spans[:, _LINE], low, np.where(is_common, high, low)), axis=1)

    def _record_moves(self, sides: Numbers, moves: Numbers, attacks: Booleans) -> Booleans:
        """Record moves for the rule of chases; return True for games in which it may now refuse one."""
        rows = self._rows
        threatened = self._find_threats(rows, sides, moves[:, 2]) * (moves[:, :1] > 0)
        found = np.flatnonzero((self._scope != "chase") | self._is_chase | threatened.any(1))
        columns = (found, sides[found], threatened[found], attacks[found], moves[found], *self._moved[:, found])
        self._moved[sides, rows] = moves
        refuses = np.zeros(len(rows), np.bool_)
        for row, side, pieces, is_attack, move, *lasts in zip(*(column.tolist() for column in columns), strict=True):
            chases, board = self._chases[row], bytearray(self._squares[row])
            threat = frozenset(filter(None, pieces))
            chases.note_last_moves([tuple(last) if last[0] else None for last in lasts])
            if is_attack:
                chases.record_capture(side, tuple(move) if move[0] else None, threat, board)
            else:
                chases.record_move(side, tuple(move), threat, board)
            self._is_chase[row] = chases.is_chase
            refuses[row] = chases.may_forbid(1 - side)
        return refuses

    def forbid(self, games: Numbers, sides: Numbers, legal: Booleans) -> None:
        """Remove the moves that are refused in some games; `legal` has True for each game and legal move.

        `sides` are those that are to act in all games.
        """
        index, numbers = legal[games].nonzero()
        rows = games[index]
        side = sides[rows]
        src, dst = self._moves.ends[:, numbers]
        start, goal = np.where(side, self._last - src, src), np.where(side, self._last - dst, dst)
        pieces = self._pieces[rows, start]
        line, low, high = self._common[side, rows].T
        lines, lows, highs = self._moves.spans[side, numbers].T
        refused = (pieces == self._piece[side, rows]) & (line == lines) & (lows < high) & (low < highs) & (low < high)
        if self._is_chase[games].any():
            threatened = self._find_threats(rows, side, goal)
            is_quiet = self._pieces[rows, goal] == 0
            for number in np.flatnonzero(is_quiet & threatened.any(1) & ~refused).tolist():
                row, seat = int(rows[number]), int(side[number])
                if self._chases[row].may_forbid(seat):
                    move = int(pieces[number]), int(start[number]), int(goal[number])
                    threat = frozenset(filter(None, threatened[number].tolist()))
                    refused[number] = self._chases[row].forbids(seat, move, threat, bytearray(self._squares[row]))
        legal[rows[refused], numbers[refused]] = False

    def _find_threats(self, rows: Numbers, sides: Numbers, squares: Numbers) -> NDArray[np.uint8]:
        """Return the enemy pieces next to a square of each game, or 0."""
        near = self._pieces[rows[:, None], self._beside[squares]]
        threats: NDArray[np.uint8] = near * ((near > LAST_RED_PIECE) != sides[:, None])
        return threats

"""The memory of the repetition rules of many games: each has the same objects as any other game."""

from arbiter.arrays import Booleans, NDArray, Numbers, np
from arbiter.games.board.geometry import Geometry
from arbiter.games.board.position import LAST_RED_PIECE, NO_THREAT
from arbiter.games.board.repetition import ChaseRule, TwoSquares
from arbiter.learning.moves import MoveArrays


class RepetitionMemory:
    """The memory of both repetition rules in many games."""

    def __init__(self, board: Geometry, moves: MoveArrays, pieces: NDArray[np.uint8]) -> None:
        """Remember games with `pieces`: an array of games and squares, and one more square on which there is none."""
        games = len(pieces)
        self.two_squares: list[TwoSquares] = [TwoSquares(0)] * games
        """One for each game."""
        self.chases: list[ChaseRule] = [ChaseRule("off")] * games
        """One for each game."""
        self._moves = moves
        self._last = board.size - 1
        self._pieces = pieces
        self._squares = [row[:-1] for row in pieces]
        self._rows = np.arange(games)[:, None]
        self._beside = np.full((board.size, 4), board.size)
        for square, neighbours in enumerate(board.neighbours):
            self._beside[square, : len(neighbours)] = neighbours

    def record(
        self, sides: Numbers, numbers: NDArray[np.int64], moved: NDArray[np.uint8], attacks: Booleans, stays: Booleans
    ) -> list[int]:
        """Record a ply of each game; return the games in which a move may now be refused.

        The arrays have the side, the number of the move, the piece, True for an attack, and True if the piece stays.
        """
        src, dst = self._moves.ends[:, numbers]
        start, goal = np.where(sides, self._last - src, src), np.where(sides, self._last - dst, dst)
        near = self._pieces[self._rows, self._beside[goal]]
        threatens = stays & ((near > 0) & ((near > LAST_RED_PIECE) != sides[:, None])).any(1)
        borders = self._moves.borders
        found = []
        columns = (sides, numbers, moved, start, goal, attacks, stays, threatens)
        plies = zip(*(column.tolist() for column in columns), strict=True)
        for row, (side, number, piece, one, other, is_attack, is_left, threat) in enumerate(plies):
            two_squares, chases = self.two_squares[row], self.chases[row]
            two_squares.record(side, piece, borders[side][number])
            threatened = self._find_threat(row, side, other) if threat else NO_THREAT
            board = bytearray(self._squares[row])
            if not is_attack:
                chases.record_move(side, (piece, one, other), threatened, board)
            else:
                chases.record_capture(side, (piece, one, other) if is_left else None, threatened, board)
            if two_squares.common[1 - side] or chases.may_forbid(1 - side):
                found.append(row)
        return found

    def _find_threat(self, row: int, side: int, square: int) -> frozenset[int]:
        """Return the enemy pieces next to a square."""
        pieces = self._pieces[row, self._beside[square]].tolist()
        return frozenset(piece for piece in pieces if piece and (piece > LAST_RED_PIECE) != side)

    def forbid(self, row: int, side: int, legal: Booleans) -> None:
        """Remove the moves of a game that are refused; `legal` has True for each legal move of the side."""
        board = bytearray(self._squares[row])
        two_squares, chases = self.two_squares[row], self.chases[row]
        for number in np.flatnonzero(legal).tolist():
            src, dst = (self._last - end if side else end for end in self._moves.ends[:, number].tolist())
            piece = board[src]
            if two_squares.forbids(side, piece, self._moves.borders[side][number]) or (
                not board[dst]
                and chases.may_forbid(side)
                and chases.forbids(side, (piece, src, dst), self._find_threat(row, side, dst), board)
            ):
                legal[number] = False

"""Which moves the rules leave to a seat: the ways over the board, less what the repetition rules forbid."""

from arbiter.games.board.geometry import ROW_BITS
from arbiter.games.board.pieces import SECOND_SEAT, PieceSet
from arbiter.games.board.repetition import ChaseRule, TwoSquares
from arbiter.games.board.tables import Tables
from protocol.words import Move


class Position(PieceSet):
    """The pieces, and what both seats did with them as far as the repetition rules remember."""

    __slots__ = ("chases", "two_squares")

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables)
        self.two_squares = TwoSquares(tables.ruleset.two_squares)
        self.chases = ChaseRule(tables.ruleset.more_squares)

    def legal_moves(self, me: int) -> list[Move]:
        """List the moves the rules allow the seat, were it its turn."""
        moves = self.tables.ruleset.board.steps(self.movers[me], self.tables.land ^ self.own[me])
        if self.runners[me]:
            self._add_runs(me, moves)
        if self.two_squares.common[me] or self.chases.may_forbid(me):
            return [move for move in moves if not self._repeats(me, move)]
        return moves

    def _add_runs(self, me: int, moves: list[Move]) -> None:
        """Add the moves of runners over more than one square."""
        board, geometry = self.board, self.tables.ruleset.board
        rays, runs = geometry.rays, geometry.runs
        free = self.tables.land & ~(self.own[0] | self.own[1])
        ahead = (free >> ROW_BITS, free << ROW_BITS, free >> 1, free << 1)
        own_low, own_high = me * SECOND_SEAT, (me + 1) * SECOND_SEAT
        for direction, clear in enumerate(ahead):
            able = self.runners[me] & clear
            while able:
                low = able & -able
                able ^= low
                square = geometry.square_of_bit[low]
                reach = 1
                for target in rays[square][direction][1:]:
                    piece = board[target]
                    if piece:
                        reach += not own_low < piece <= own_high
                        break
                    reach += 1
                moves += runs[square][direction][1:reach]

    def _repeats(self, me: int, move: Move) -> bool:
        line = self.tables.paths[move.src, move.dst]
        piece = self.board[line.src]
        return self.two_squares.forbids(me, piece, line.borders) or (
            not self.board[line.dst]
            and self.chases.may_forbid(me)
            and self.chases.forbids(me, (piece, line.src, line.dst), self.threat(me, line.dst), self.board)
        )

    def has_move(self, me: int) -> bool:
        """Say whether the seat could move a piece, were it its turn."""
        if self.two_squares.common[me] or self.chases.may_forbid(me):
            return bool(self.legal_moves(me))
        return self.tables.ruleset.board.can_step(self.movers[me], self.tables.land ^ self.own[me])

"""The pieces on a board: where each stands, what it is, who is beside whom.  It knows no turn and no rule of play."""

from typing import Final

from arbiter.games.board.diagram import PlacedPiece, write_position
from arbiter.games.board.tables import Tables
from protocol.words import SEATS, RankId

INDEX: Final = {seat: number for number, seat in enumerate(SEATS)}
SECOND_SEAT: Final = 100  # blue's pieces are numbered from 101, red's from 1
NO_PIECES: Final[frozenset[int]] = frozenset()


class PieceSet:
    """The pieces of both seats.

    `board` holds the number of the piece on each square (0 = none), `rank` its rank's index, `captured` the
    pieces that have left, in order.  Masks: `own` = a seat's pieces, `movers` = those that can move,
    `runners` = those that move far.
    """

    __slots__ = ("board", "captured", "movers", "own", "rank", "runners", "tables")

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.board = bytearray(tables.ruleset.board.size)
        self.rank = bytearray(2 * SECOND_SEAT + 1)
        self.own = [0, 0]
        self.movers = [0, 0]
        self.runners = [0, 0]
        self.captured: list[int] = []

    def put(self, me: int, piece: int, square: int) -> None:
        """Stand a piece on a free square."""
        bit = self.tables.bit[square]
        kind = self.rank[piece]
        self.board[square] = piece
        self.own[me] |= bit
        if self.tables.moves[kind]:
            self.movers[me] |= bit
        if self.tables.runs[kind]:
            self.runners[me] |= bit

    def take(self, me: int, square: int) -> None:
        """Take the seat's piece off a square; it is captured."""
        gone = ~self.tables.bit[square]
        self.captured.append(self.board[square])
        self.board[square] = 0
        self.own[me] &= gone
        self.movers[me] &= gone
        self.runners[me] &= gone

    def shift(self, me: int, src: int, dst: int) -> None:
        """Move the seat's piece to a free square."""
        bit = self.tables.bit
        there_and_back = bit[src] | bit[dst]
        self.board[src], self.board[dst] = 0, self.board[src]
        self.own[me] ^= there_and_back
        self.movers[me] ^= there_and_back
        if self.runners[me] & bit[src]:
            self.runners[me] ^= there_and_back

    def threat(self, me: int, square: int) -> frozenset[int]:
        """Return the enemy pieces beside a square."""
        if not self.tables.beside[square] & self.own[1 - me]:
            return NO_PIECES
        low, high = (1 - me) * SECOND_SEAT, (2 - me) * SECOND_SEAT
        pieces = [self.board[neighbour] for neighbour in self.tables.neighbours[square]]
        return frozenset(piece for piece in pieces if low < piece <= high)

    def rank_id(self, piece: int) -> RankId:
        """Name a piece's rank."""
        return self.tables.ruleset.ranks[self.rank[piece]].id

    def standings(self) -> tuple[PlacedPiece, ...]:
        """List the pieces on the board, in board order."""
        return tuple(
            PlacedPiece(square, SEATS[piece > SECOND_SEAT], self.rank_id(piece))
            for square, piece in enumerate(self.board)
            if piece
        )

    def drawing(self) -> str:
        """Return the position as text, a letter a square."""
        return write_position(self.standings(), self.tables.ruleset.board)

"""A position: the pieces on the board, the memory of the repetition rules, and the moves that both allow.

The lookup tables of a rule set are shared by all its games.

A side is a number, 0 for red and 1 for blue; `SIDE_OF` converts a seat.
A piece is a number too: red's pieces from 1, blue's from 101, in board order of their deployment.
"""

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from arbiter.games.base import Addressed, Copied, IllegalAction
from arbiter.games.board.diagram import PlacedPiece, write_position
from arbiter.games.board.geometry import ROW_BITS, Geometry
from arbiter.games.board.repetition import ChaseRule, TwoSquares
from arbiter.games.fights import FightResult, decide
from arbiter.games.ranks import Rank, Trait
from protocol import reasons
from protocol.words import SEATS, Move, Moved, Place, RankId, Seat

if TYPE_CHECKING:
    from arbiter.games.board.ruleset import BoardRules

SIDE_OF: Final = {seat: number for number, seat in enumerate(SEATS)}
LAST_RED_PIECE: Final = 100
NO_THREAT: Final[frozenset[int]] = frozenset()


class Path(NamedTuple):
    """A straight path over land from square to square."""

    src: int
    dst: int
    between: int
    """Mask of the squares strictly between."""
    borders: int
    """The borders crossed, as in `Geometry.borders`."""
    moved: tuple[tuple[Addressed, ...], ...]
    """For each side: the fact of a move along this path."""


@cache
def index_paths(board: Geometry) -> dict[tuple[Place, Place], Path]:
    """Index every straight path of a board by the names of its ends."""
    return {
        (move.src, move.dst): Path(
            *ends,
            board.between[ends],
            board.borders[ends],
            tuple((Addressed(Moved(seat, move.src, move.dst), SEATS),) for seat in SEATS),
        )
        for ends, move in board.moves.items()
    }


class Tables:
    """The lookup tables of one rule set."""

    def __init__(self, ruleset: "BoardRules") -> None:
        self.ruleset = ruleset
        self.land = ruleset.board.land
        self.bit = ruleset.board.bit
        self.beside = ruleset.board.beside
        self.neighbours = ruleset.board.neighbours
        # By index of the rank in the rule set:
        self.index = {rank.id: number for number, rank in enumerate(ruleset.ranks)}
        self.moves = tuple(not rank.has(Trait.IMMOVABLE) for rank in ruleset.ranks)
        self.runs = tuple(rank.has(Trait.RUNNER) for rank in ruleset.ranks)
        self._fights: dict[tuple[int, int, int], FightResult] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the rule set."""
        return Tables, (self.ruleset,)

    @cached_property
    def paths(self) -> dict[tuple[Place, Place], Path]:
        """Every straight path of the board, by the names of its ends."""
        return index_paths(self.ruleset.board)

    def fight(self, attacker: int, defender: int, rise: int = 0) -> FightResult:
        """Look up the result of a fight of two ranks, given by index, with `rise` added to the attacker's number."""
        result = self._fights.get((attacker, defender, rise))
        if result is None:
            ruleset = self.ruleset
            fighter = ruleset.ranks[attacker]
            if rise and fighter.number is not None:
                fighter = replace(fighter, number=fighter.number + rise)
            result = decide(ruleset.fights, fighter, ruleset.ranks[defender])
            self._fights[attacker, defender, rise] = result
        return result


class Position(Copied):
    """The pieces of both sides, and the moves that the rules allow them."""

    __slots__ = ("board", "captured", "chases", "movers", "own", "rank", "runners", "tables", "two_squares")

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.board = bytearray(tables.ruleset.board.size)  # the piece on each square; 0 = none
        self.rank = bytearray(2 * LAST_RED_PIECE + 1)  # the index of each piece's rank
        self.captured: list[int] = []  # pieces, in the order in which they left
        # Masks for each side: all pieces, those that can move, those that move any distance.
        self.own = [0, 0]
        self.movers = [0, 0]
        self.runners = [0, 0]
        self.two_squares = TwoSquares(tables.ruleset.two_squares)
        self.chases = ChaseRule(tables.ruleset.more_squares)

    # --- pieces -----------------------------------------------------------------------------------

    def put(self, side: int, piece: int, square: int) -> None:
        """Put a piece on a free square."""
        bit = self.tables.bit[square]
        kind = self.rank[piece]
        self.board[square] = piece
        self.own[side] |= bit
        if self.tables.moves[kind]:
            self.movers[side] |= bit
        if self.tables.runs[kind]:
            self.runners[side] |= bit

    def take(self, side: int, square: int) -> None:
        """Remove the side's piece from a square; it is captured."""
        gone = ~self.tables.bit[square]
        self.captured.append(self.board[square])
        self.board[square] = 0
        self.own[side] &= gone
        self.movers[side] &= gone
        self.runners[side] &= gone

    def shift(self, side: int, src: int, dst: int) -> None:
        """Move the side's piece to a free square."""
        board = self.board
        bit = self.tables.bit
        both = bit[src] | bit[dst]
        board[dst] = board[src]
        board[src] = 0
        self.own[side] ^= both
        self.movers[side] ^= both
        if self.runners[side] & bit[src]:
            self.runners[side] ^= both

    def threat(self, side: int, square: int) -> frozenset[int]:
        """Return the enemy pieces next to a square."""
        if not self.tables.beside[square] & self.own[1 - side]:
            return NO_THREAT
        low, high = (1 - side) * LAST_RED_PIECE, (2 - side) * LAST_RED_PIECE
        pieces = [self.board[neighbour] for neighbour in self.tables.neighbours[square]]
        return frozenset(piece for piece in pieces if low < piece <= high)

    def rank_of(self, piece: int) -> Rank:
        """Return a piece's rank; the piece may be captured."""
        return self.tables.ruleset.ranks[self.rank[piece]]

    def rank_at(self, square: int) -> Rank:
        """Return the rank of the piece on a square."""
        return self.rank_of(self.board[square])

    def rank_id(self, piece: int) -> RankId:
        """Return the identifier of a piece's rank."""
        return self.rank_of(piece).id

    def placed_pieces(self) -> tuple[PlacedPiece, ...]:
        """List the pieces on the board, in board order."""
        return tuple(
            PlacedPiece(square, SEATS[piece > LAST_RED_PIECE], self.rank_id(piece))
            for square, piece in enumerate(self.board)
            if piece
        )

    def __repr__(self) -> str:
        return write_position(self.placed_pieces(), self.tables.ruleset.board)

    # --- moves ------------------------------------------------------------------------------------

    def legal_moves(self, side: int) -> list[Move]:
        """List the moves that the rules allow the side if it is to move."""
        moves = self.tables.ruleset.board.steps(self.movers[side], self.tables.land ^ self.own[side])
        if self.runners[side]:
            self._add_runs(side, moves)
        if self.may_repeat(side):
            return [move for move in moves if not self.repeats(side, move)]
        return moves

    def may_repeat(self, side: int) -> bool:
        """Return True if a repetition rule could refuse a move of the side now."""
        return self.two_squares.common[side] != 0 or self.chases.may_forbid(side)

    def _add_runs(self, side: int, moves: list[Move]) -> None:
        """Add the moves of runners over more than one square."""
        board = self.board
        geometry = self.tables.ruleset.board
        rays = geometry.rays
        runs = geometry.runs
        free = self.tables.land & ~(self.own[0] | self.own[1])
        ahead = (free >> ROW_BITS, free << ROW_BITS, free >> 1, free << 1)
        own_low, own_high = side * LAST_RED_PIECE, (side + 1) * LAST_RED_PIECE
        for direction, clear in enumerate(ahead):
            able = self.runners[side] & clear
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

    def repeats(self, side: int, move: Move) -> bool:
        """Return True if a repetition rule refuses a move that is legal otherwise."""
        path = self.tables.paths[move.src, move.dst]
        piece = self.board[path.src]
        return self.two_squares.forbids(side, piece, path.borders) or (
            not self.board[path.dst]
            and self.chases.may_forbid(side)
            and self.chases.forbids(side, (piece, path.src, path.dst), self.threat(side, path.dst), self.board)
        )

    def has_move(self, side: int) -> bool:
        """Return True if the side has a legal move if it is to move."""
        if self.may_repeat(side):
            return bool(self.legal_moves(side))
        return self.can_step(side)

    def can_step(self, side: int) -> bool:
        """Return True if a movable piece of the side is next to a free square or an enemy piece."""
        movers = self.movers[side]
        targets = self.tables.land ^ self.own[side]
        return bool(
            movers & targets >> ROW_BITS
            or movers & targets << ROW_BITS
            or movers & targets >> 1
            or movers & targets << 1
        )

    def forget_repetition(self) -> None:
        """Start both repetition rules again, for both sides."""
        for side in (0, 1):
            self.two_squares.forget(side)
        self.chases.forget(self.board)

    def explain(self, seat: Seat, side: int, action: Move) -> IllegalAction:
        """Return the error for the first thing that is wrong with an illegal move; its reason names squares only."""
        ruleset = self.tables.ruleset
        board = ruleset.board
        for place in (action.src, action.dst):
            if place not in board.square:
                return IllegalAction("movement", reasons.NoSquare(place[:20]))
        src = board.square[action.src]
        dst = board.square[action.dst]
        move = (action.src, action.dst)
        reason: reasons.Refusal
        if not self.own[side] & board.bit[src]:
            reason = reasons.NoPiece(seat, action.src)
        elif not self.movers[side] & board.bit[src]:
            return IllegalAction(
                "immovable",
                reasons.NeverMoves(*move),
                ending="immovable_moved" if ruleset.immovable_loses else "illegal_action",
                final=ruleset.immovable_loses,
            )
        elif src == dst:
            reason = reasons.SameSquare(*move)
        elif self.own[side] & board.bit[dst]:
            reason = reasons.OwnPiece(*move)
        elif dst in board.lake_squares:
            reason = reasons.IsLake(*move)
        elif (src, dst) not in board.between:
            reason = reasons.NotStraight(*move)
        elif not self.runners[side] & board.bit[src]:
            reason = reasons.OneSquareOnly(*move)
        else:
            reason = reasons.InTheWay(*move)
        return IllegalAction("movement", reason)

"""The two repetition rules: two squares (per piece and border) and more squares (endless chases).

A side is 0 for red and 1 for blue.  A piece is a number that does not depend on its rank: if the rules depended
on ranks, a refusal could reveal a hidden one.
"""

from functools import reduce
from operator import and_
from typing import Final, Self

from msgspec import Struct

from arbiter.games.base import Copied
from protocol.words import MoreSquares

_SQUARES_OF_A_PIN: Final = 2
PieceMove = tuple[int, int, int]
"""A piece, the square it leaves and the square it moves to."""


class TwoSquares(Copied):
    """The two-squares rule (ISF 10, J2011-D "Zwei-Feld-Regel", O2000 "Eigene Figuren ziehen").

    Refuses a move if the side's last `limit` turns were moves of the same piece that all crossed one border,
    and this move would cross that border too.
    """

    __slots__ = ("_crossed", "_piece", "common", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit  # in turns; 0 = off
        self._piece = [0, 0]
        self._crossed: list[tuple[int, ...]] = [(), ()]
        self.common = [0, 0]  # the borders crossed in every one of the last `limit` turns

    def forbids(self, side: int, piece: int, borders: int) -> bool:
        """Return True if this piece may not cross these borders now."""
        return bool(self.common[side] & borders) and self._piece[side] == piece

    def record(self, side: int, piece: int, borders: int) -> None:
        """Record a move."""
        if self._piece[side] != piece:
            self._piece[side] = piece
            self._crossed[side] = (borders,)
            self.common[side] = borders if self.limit == 1 else 0
        elif self.limit:
            crossed = self._crossed[side] = (*self._crossed[side], borders)[-self.limit :]
            self.common[side] = reduce(and_, crossed) if len(crossed) == self.limit else 0

    def forget(self, side: int) -> None:
        """End the side's series: it used its turn for something else."""
        self._piece[side] = 0
        self._crossed[side] = ()
        self.common[side] = 0


class Chase(Struct):
    """The current chase of one side."""

    threat: frozenset[int]
    """The enemy pieces that the side's last move threatens."""
    seen: set[bytes]
    """The positions since the chase began."""
    evaders: set[int]
    """The pieces that have evaded in this chase."""
    refuges: set[int]
    """The squares that these pieces left or moved to when they evaded."""
    evaded: bool = False
    """True if the opponent's last move evaded."""

    def copy(self) -> "Chase":
        return Chase(self.threat, self.seen.copy(), self.evaders.copy(), self.refuges.copy(), self.evaded)


_NO_CHASES: Final[list[Chase | None]] = [None, None]


class ChaseRule(Copied):
    """The more-squares rule (ISF 11, J2011-D "Mehr-Feld-Regel").

    Refuses a chasing move to an empty square if it would bring back a position of the chase (scope "chase") or any
    earlier position of the game (scopes "game" and "book").  Straight back is always allowed, except in scope "book",
    which instead refuses nothing while the evading pieces have used only two squares (J2011-D "Mehr-Feld-Regel", CW
    "Bewegen"): there the two-squares rule decides.  With scope "off" it records nothing.
    """

    __slots__ = ("_chases", "_counts_all", "_ever", "_last", "scope")

    def __init__(self, scope: MoreSquares) -> None:
        self.scope = scope
        self._counts_all = scope in {"game", "book"}
        self._chases: list[Chase | None] = [None, None]
        self._last: list[PieceMove | None] = [None, None]
        self._ever: set[bytes] = set()

    def may_forbid(self, side: int) -> bool:
        """Return True if any move of the side could be refused now."""
        chase = self._chases[side]
        return chase is not None and chase.evaded

    @property
    def is_chase(self) -> bool:
        """True if the last move of either side threatens a piece."""
        return self._chases != _NO_CHASES

    def note_last_moves(self, moves: list[PieceMove | None]) -> None:
        """Note the last move of each side, or None: all that there is to remember of plies without a chase."""
        self._last = moves

    def forbids(self, side: int, move: PieceMove, threat: frozenset[int], board: bytearray) -> bool:
        """Return True if a move to an empty square is refused.

        `threat` are the enemy pieces next to the target; `board` is the position before the move.
        """
        chase = self._chases[side]
        if chase is None or not chase.evaded or chase.evaders.isdisjoint(threat):
            return False
        piece, src, dst = move
        if self.scope == "book":
            if len(chase.refuges) <= _SQUARES_OF_A_PIN:
                return False
        elif self._last[side] == (piece, dst, src):  # ISF 11.2, which no book contains
            return False
        after = board.copy()
        after[src] = 0
        after[dst] = piece
        return bytes(after) in (self._ever if self._counts_all else chase.seen)

    def begin(self, board: bytearray) -> None:
        """Record the position before the first ply."""
        if self._counts_all:
            self._ever.add(bytes(board))

    def record_move(self, side: int, move: PieceMove, threat: frozenset[int], board: bytearray) -> None:
        """Record a move that captured nothing; `board` is the position after it."""
        if self.scope == "off":
            return
        self._last[side] = move
        chases = self._chases
        if not threat and not self._counts_all and chases == _NO_CHASES:  # most moves
            return
        theirs = chases[1 - side]
        mine = chases[side]
        if theirs is not None:
            if move[0] in theirs.threat:
                theirs.evaders.add(move[0])
                theirs.refuges.update(move[1:])
                theirs.evaded = True
            else:
                chases[1 - side] = None
        if not threat:
            chases[side] = None
        elif mine is None:
            chases[side] = Chase(threat, set(), set(), set())
        else:
            mine.threat = threat
            mine.evaded = False
        self._record_position(board)

    def record_capture(self, side: int, move: PieceMove | None, threat: frozenset[int], board: bytearray) -> None:
        """Record a ply in which a piece left: it ends all chases and may begin one.

        `move` and `threat` belong to the attacker if it survived on its target, otherwise they are None and empty.
        """
        if self.scope == "off":
            return
        self._last[side] = move
        self._chases[1 - side] = None
        self._chases[side] = Chase(threat, set(), set(), set()) if threat else None
        self._record_position(board)

    def record_other(self, side: int, board: bytearray) -> None:
        """Record a turn that neither moved, threatened nor evaded."""
        self._last[side] = None
        self._chases = [None, None]
        self._record_position(board)

    def forget(self, board: bytearray) -> None:
        """End the chases and forget the last moves of both sides."""
        for side in (0, 1):
            self.record_other(side, board)

    def _record_position(self, board: bytearray) -> None:
        ours, theirs = self._chases
        if self._counts_all:
            self._ever.add(bytes(board))
        elif ours is not None or theirs is not None:
            position = bytes(board)
            for chase in (ours, theirs):
                if chase is not None:
                    chase.seen.add(position)

    def copy(self) -> Self:
        twin = super().copy()
        twin._chases = [chase and chase.copy() for chase in self._chases]
        return twin

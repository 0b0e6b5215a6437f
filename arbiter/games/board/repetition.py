"""The two repetition rules: two squares (per piece and border) and more squares (endless chases).

Seats are numbers here, 0 for Red and 1 for Blue; a piece is its number, the physical piece, never its
rank: were it the rank, a refusal could tell a rank that the player never saw.
"""

from functools import reduce
from operator import and_
from typing import Self

from msgspec import Struct

from protocol.words import MoreSquares


class TwoSquares:
    """The two-squares rule (ISF 10, J2011-D "Zwei-Feld-Regel", O2000 "Eigene Figuren ziehen").

    A move is refused when the seat's last `limit` turns were moves of the same piece which all crossed
    one border that this move would cross too.
    """

    __slots__ = ("_crossed", "_piece", "common", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._piece = [0, 0]
        self._crossed: list[list[int]] = [[], []]
        self.common = [0, 0]  # the borders crossed by every one of the last `limit` turns

    def forbids(self, me: int, piece: int, borders: int) -> bool:
        """Say whether this piece may not cross these borders now."""
        return bool(self.common[me] & borders) and self._piece[me] == piece

    def note(self, me: int, piece: int, borders: int) -> None:
        """Remember a move."""
        if self._piece[me] != piece:
            self._piece[me] = piece
            self._crossed[me] = [borders]
            self.common[me] = borders if self.limit == 1 else 0
        elif self.limit:
            crossed = self._crossed[me] = [*self._crossed[me], borders][-self.limit :]
            self.common[me] = reduce(and_, crossed) if len(crossed) == self.limit else 0

    def forget(self, me: int) -> None:
        """Break the seat's series: it spent its turn on something else."""
        self._piece[me] = 0
        self._crossed[me] = []
        self.common[me] = 0

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(self.limit)
        twin._piece, twin.common = self._piece.copy(), self.common.copy()
        twin._crossed = [crossed.copy() for crossed in self._crossed]
        return twin


class Chase(Struct):
    """One seat's running chase: whom it threatens, who has evaded, the positions since it began."""

    threat: frozenset[int]
    seen: set[bytes]
    evaders: set[int]
    evaded: bool = False

    def copy(self) -> "Chase":
        """Return an independent copy."""
        return Chase(self.threat, self.seen.copy(), self.evaders.copy(), self.evaded)


class ChaseRule:
    """The more-squares rule (ISF 11, J2011-D "Mehr-Feld-Regel").

    A chasing move to an empty square is refused when it would bring back a position that has been on
    the board during the chase (scope "chase") or during the game (scope "game"); where the scope is
    "off" nothing is remembered.
    """

    __slots__ = ("_chases", "_ever", "_last", "scope")

    def __init__(self, scope: MoreSquares) -> None:
        self.scope = scope
        self._chases: list[Chase | None] = [None, None]
        self._last: list[tuple[int, int, int] | None] = [None, None]
        self._ever: set[bytes] = set()

    def may_forbid(self, me: int) -> bool:
        """Say whether any move of the seat could be refused now."""
        chase = self._chases[me]
        return chase is not None and chase.evaded

    def forbids(self, me: int, move: tuple[int, int, int], threat: frozenset[int], board: bytearray) -> bool:
        """Say whether a move (piece, src, dst) to an empty square is refused.

        `threat` are the enemy pieces beside dst, `board` is the position before the move.
        """
        chase = self._chases[me]
        if chase is None or not chase.evaded or chase.evaders.isdisjoint(threat):
            return False
        piece, src, dst = move
        if self._last[me] == (piece, dst, src):  # ISF 11.2: straight back is always allowed
            return False
        after = board.copy()
        after[src], after[dst] = 0, piece
        return bytes(after) in (self._ever if self.scope == "game" else chase.seen)

    def begin(self, board: bytearray) -> None:
        """Remember the position before the first ply."""
        if self.scope == "game":
            self._ever.add(bytes(board))

    def note_move(self, me: int, move: tuple[int, int, int], threat: frozenset[int], board: bytearray) -> None:
        """Remember a move that took nothing; `board` is the position after it."""
        if self.scope == "off":
            return
        self._last[me] = move
        chases = self._chases
        theirs, mine = chases[1 - me], chases[me]
        if theirs is not None:
            if move[0] in theirs.threat:
                theirs.evaders.add(move[0])
                theirs.evaded = True
            else:
                chases[1 - me] = None
        if not threat:
            chases[me] = None
        elif mine is None:
            chases[me] = Chase(threat, set(), set())
        else:
            mine.threat, mine.evaded = threat, False
        self._see(board)

    def note_capture(
        self, me: int, move: tuple[int, int, int] | None, threat: frozenset[int], board: bytearray
    ) -> None:
        """Remember a ply on which a piece left: it ends all chases and may begin one.

        `move` and `threat` are those of the attacker if it survived on its target, else None and empty.
        """
        if self.scope == "off":
            return
        self._last[me] = move
        self._chases[1 - me] = None
        self._chases[me] = Chase(threat, set(), set()) if threat else None
        self._see(board)

    def note_quiet(self, me: int, board: bytearray) -> None:
        """Remember a turn that neither moved, threatened nor evaded."""
        self._last[me] = None
        self._chases = [None, None]
        self._see(board)

    def forget(self, board: bytearray) -> None:
        """End all chases of both seats, and what is known of their last moves."""
        for me in (0, 1):
            self.note_quiet(me, board)

    def _see(self, board: bytearray) -> None:
        ours, theirs = self._chases
        if self.scope == "game":
            self._ever.add(bytes(board))
        elif ours is not None or theirs is not None:
            position = bytes(board)
            for chase in (ours, theirs):
                if chase is not None:
                    chase.seen.add(position)

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(self.scope)
        twin._chases = [chase and chase.copy() for chase in self._chases]
        twin._last = self._last.copy()
        twin._ever = self._ever.copy()
        return twin

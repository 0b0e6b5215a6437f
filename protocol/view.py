"""What one player may know, folded from the facts told to it and its own acts, and from nothing else."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, Protocol, cast

from msgspec import UNSET
from msgspec.structs import replace

from protocol.card_view import CardFold
from protocol.messages import BoardView, Captured, CardView, Rules, ViewPiece
from protocol.words import (
    SEATS,
    AnyAction,
    AnyFact,
    Deploy,
    Deployed,
    Fact,
    Moved,
    Place,
    Placed,
    RankId,
    Removed,
    Rescue,
    Revealed,
    Seat,
)

UNKNOWN: Final = "unknown"
_A_ROW: Final = 128  # more than any letter's number


class BoardFold:
    """The knowledge of one seat of a board game, as it grows."""

    __slots__ = ("_captured", "_deployment", "_last", "_pieces", "_rescuing", "seat")

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self._pieces: dict[Place, ViewPiece] = {}
        self._captured: Captured = {either: {} for either in SEATS}
        self._deployment: dict[Place, str] = {}
        self._rescuing: str | None = None
        self._last: AnyFact | None = None

    def did(self, action: AnyAction) -> None:
        """Note an act of one's own, once it is accepted and before its facts are heard."""
        if type(action) is Deploy and action.pieces is not UNSET:
            self._deployment = action.pieces
        elif type(action) is Rescue:
            self._rescuing = action.rank

    def hear(self, fact: AnyFact) -> None:
        """Note a fact told to this seat."""
        fold = _FOLDS.get(type(fact))
        if fold is not None:
            fold(self, fact)
        self._last = fact

    def view(self) -> BoardView:
        """Return what is known now: pieces in board order, counts of zero not listed."""
        return BoardView(
            [self._pieces[place] for place in sorted(self._pieces, key=board_order)],
            {seat: {rank: count for rank, count in lost.items() if count} for seat, lost in self._captured.items()},
        )

    # --- facts ------------------------------------------------------------------------------------

    def _hear_deployed(self, fact: Deployed) -> None:
        known = self._deployment if fact.seat == self.seat else {}
        for place in fact.places:
            self._pieces[place] = ViewPiece(place, fact.seat, cast("RankId | None", known.get(place)))

    def _hear_moved(self, fact: Moved) -> None:
        piece = self._pieces.pop(fact.src)
        self._pieces[fact.dst] = ViewPiece(fact.dst, piece.seat, piece.rank, moved=True)

    def _hear_revealed(self, fact: Revealed) -> None:
        last = self._last
        if type(last) is Placed and last.place == fact.place:  # a captive whose rank was known after all
            self._count(fact.seat, None, 1)
            self._count(fact.seat, fact.rank, -1)
        self._pieces[fact.place] = replace(self._pieces[fact.place], rank=fact.rank)

    def _hear_removed(self, fact: Removed) -> None:
        self._count(fact.seat, self._pieces.pop(fact.place).rank, 1)

    def _hear_placed(self, fact: Placed) -> None:
        """Take a captive back: one's own by the rank that was asked for, the opponent's as an unknown."""
        rank = cast("RankId | None", self._rescuing) if fact.seat == self.seat else None
        self._count(fact.seat, rank, -1)
        self._pieces[fact.place] = ViewPiece(fact.place, fact.seat, rank)

    def _count(self, seat: Seat, rank: RankId | None, change: int) -> None:
        lost = self._captured[seat]
        name = rank or UNKNOWN
        lost[name] = lost.get(name, 0) + change


# Every other fact changes nothing that a view shows.
_FOLDS: Final[dict[type[Fact], Callable[[BoardFold, Any], None]]] = {
    Deployed: BoardFold._hear_deployed,
    Moved: BoardFold._hear_moved,
    Revealed: BoardFold._hear_revealed,
    Removed: BoardFold._hear_removed,
    Placed: BoardFold._hear_placed,
}


@cache
def board_order(place: Place) -> int:
    """Return the key that sorts squares a1..j1, a2..j2 and so on."""
    return int(place[1:]) * _A_ROW + ord(place[0])


class Knowledge(Protocol):
    """The knowledge of one seat of any game, as it grows."""

    seat: Seat

    def did(self, action: AnyAction) -> None:
        """Note an act of one's own, once it is accepted and before its facts are heard."""
        ...

    def hear(self, fact: AnyFact) -> None:
        """Note a fact told to this seat."""
        ...

    def view(self) -> BoardView | CardView:
        """Return what is known now."""
        ...


def new_knowledge(rules: Rules, seat: Seat) -> Knowledge:
    """Return the fold of the game these rules describe.

    Raises ValueError where it is none of the games known here.
    """
    if rules.board is not UNSET:
        return BoardFold(seat)
    if rules.line is not UNSET:
        return CardFold(rules, seat)
    raise ValueError(f"{rules.id!r} is neither a board game nor a card game, and no other is known here")

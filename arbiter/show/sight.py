"""What a seat sees of a game: folded from the facts it was told, so that it can never see more.

The arbiter's seat sees all: it holds the folds of both, and of each what it knows of its own pieces.
"""

from collections.abc import Iterable, Mapping
from copy import copy, deepcopy
from typing import Final, Literal, Self, cast

from msgspec import UNSET

from arbiter.games.base import Told, heard_by
from arbiter.show.cards import CardTable, card_table
from protocol.messages import BoardView, CardView, Rules
from protocol.view import new_fold
from protocol.words import SEATS, AnyAction, AnyFact, Seat

Viewer = Literal["red", "blue", "arbiter"]
VIEWERS: Final[tuple[Viewer, ...]] = (*SEATS, "arbiter")
View = BoardView | CardTable


def has_eyes_of(viewer: Viewer, seat: Seat) -> bool:
    """Say whether a viewer sees what a seat keeps to itself: its pieces, its notes, its choices."""
    return viewer in (seat, "arbiter")


class Sight:
    """The growing knowledge of one who watches."""

    def __init__(self, viewer: Viewer, rules: Rules) -> None:
        self._folds = {seat: new_fold(rules, seat) for seat in SEATS if has_eyes_of(viewer, seat)}
        self._rules = rules

    def did(self, seat: Seat, action: AnyAction) -> None:
        """Note an accepted act, before what came of it is told."""
        if seat in self._folds:
            self._folds[seat].did(action)

    def hear(self, told: Iterable[Told]) -> list[AnyFact]:
        """Note what came of an act and return what of it may be seen."""
        told = tuple(told)
        for seat, fold in self._folds.items():
            for fact in heard_by(seat, told):
                fold.hear(fact)
        return [one.fact for one in told if any(seat in one.to for seat in self._folds)]

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = copy(self)
        twin._folds = deepcopy(self._folds)
        return twin

    def view(self) -> View:
        """Return the board, or the cards, as they may be seen now."""
        views = {seat: fold.view() for seat, fold in self._folds.items()}
        if self._rules.line is not UNSET:
            return card_table(cast("Mapping[Seat, CardView]", views), self._rules.line)
        return _whole_board(cast("Mapping[Seat, BoardView]", views))


def _whole_board(views: Mapping[Seat, BoardView]) -> BoardView:
    """Join what seats know: all of one, of both each its own pieces."""
    if len(views) == 1:
        return next(iter(views.values()))
    pieces = [piece for seat, view in views.items() for piece in view.pieces if piece.seat == seat]
    return BoardView(pieces, {seat: view.captured[seat] for seat, view in views.items()})

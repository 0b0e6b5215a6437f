"""What a seat sees of a game: folded from the facts it was told, so that it can never see more.

The arbiter's seat sees all: it holds the folds of both, and of each what it knows of its own pieces.
A spectator holds both too, and of each what it knows of its opponent's pieces: what neither hides from the other.
"""

from collections.abc import Iterable, Mapping
from copy import copy, deepcopy
from typing import Final, Literal, Self, cast

from msgspec import UNSET

from arbiter.games.base import Addressed, visible_to
from arbiter.show.cards import CardTable, card_table
from protocol.messages import BoardView, CardView, Rules
from protocol.view import board_order, new_knowledge
from protocol.words import BLUE, RED, SEATS, AnyAction, AnyFact, Seat

Viewer = Literal["red", "blue", "arbiter", "spectator"]
SPECTATOR: Final[Viewer] = "spectator"
VIEWERS: Final[tuple[Viewer, ...]] = (*SEATS, "arbiter", SPECTATOR)
View = BoardView | CardTable

# By whose knowledge a viewer sees red's pieces, and blue's.
_EYES: Final[dict[Viewer, dict[Seat, Seat]]] = {
    "red": {RED: RED, BLUE: RED},
    "blue": {RED: BLUE, BLUE: BLUE},
    "arbiter": {RED: RED, BLUE: BLUE},
    "spectator": {RED: BLUE, BLUE: RED},
}


def has_eyes_of(viewer: Viewer, seat: Seat) -> bool:
    """Say whether a viewer sees what a seat keeps to itself: its pieces, its notes, its choices."""
    return _EYES[viewer][seat] == seat


def is_visible(viewer: Viewer, one: Addressed) -> bool:
    """Say whether a viewer hears a fact: one told to whose eyes it has, or to whom it sees the fact's seat by."""
    return any(has_eyes_of(viewer, seat) or _EYES[viewer][one.fact.seat] == seat for seat in one.to)


class ViewerKnowledge:
    """The growing knowledge of one who watches."""

    def __init__(self, viewer: Viewer, rules: Rules) -> None:
        self._viewer = viewer
        self._folds = {seat: new_knowledge(rules, seat) for seat in SEATS if seat in _EYES[viewer].values()}
        self._rules = rules

    def did(self, seat: Seat, action: AnyAction) -> None:
        """Note an accepted act, before what came of it is told."""
        if seat in self._folds:
            self._folds[seat].note_action(action)

    def hear(self, told: Iterable[Addressed]) -> list[AnyFact]:
        """Note what came of an act and return what of it may be seen."""
        told = tuple(told)
        for seat, fold in self._folds.items():
            for fact in visible_to(seat, told):
                fold.note_fact(fact)
        return [one.fact for one in told if is_visible(self._viewer, one)]

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = copy(self)
        twin._folds = deepcopy(self._folds)
        return twin

    def view(self) -> View:
        """Return the board, or the cards, as they may be seen now."""
        views = {seat: fold.view() for seat, fold in self._folds.items()}
        seen = {seat: views[eyes] for seat, eyes in _EYES[self._viewer].items()}
        if self._rules.line is not UNSET:
            own = [seat for seat in SEATS if has_eyes_of(self._viewer, seat)]
            return card_table(cast("Mapping[Seat, CardView]", seen), own, self._rules.line)
        return _whole_board(cast("Mapping[Seat, BoardView]", seen))


def _whole_board(seen: Mapping[Seat, BoardView]) -> BoardView:
    """Join what is known of each seat's pieces."""
    pieces = [piece for seat, view in seen.items() for piece in view.pieces if piece.seat == seat]
    return BoardView(
        sorted(pieces, key=lambda piece: board_order(piece.place)),
        {seat: view.captured[seat] for seat, view in seen.items()},
    )

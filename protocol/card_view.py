"""What one player may know of a card game, folded from the facts told to it and its own deployments."""

from collections.abc import Callable
from typing import Any, Final, cast

from msgspec import UNSET

from protocol.messages import Captured, CardView, LineCard, Rules
from protocol.words import (
    SEATS,
    AnyAction,
    AnyFact,
    Dealt,
    Deploy,
    Deployed,
    Drew,
    Fact,
    Filled,
    Place,
    RankId,
    Removed,
    Revealed,
    Seat,
)

HAND: Final = "hand"
Hand = list[RankId | None]


class CardFold:
    """The knowledge of one seat of a card game, as it grows; None is a card that it has not seen."""

    __slots__ = ("_captured", "_decks", "_deployment", "_hands", "_lines", "seat")

    def __init__(self, rules: Rules, seat: Seat) -> None:
        self.seat = seat
        self._lines: dict[Seat, dict[Place, RankId | None]] = {either: {} for either in SEATS}
        self._hands: dict[Seat, Hand] = {either: [] for either in SEATS}
        self._decks: dict[Seat, int] = dict.fromkeys(SEATS, sum(rules.army.values()))
        self._captured: Captured = {either: {} for either in SEATS}
        self._deployment: list[Place] = []

    def did(self, action: AnyAction) -> None:
        """Note an act of one's own, once it is accepted and before its facts are heard."""
        if type(action) is Deploy and action.line is not UNSET:
            self._deployment = action.line

    def hear(self, fact: AnyFact) -> None:
        """Note a fact told to this seat."""
        fold = _FOLDS.get(type(fact))
        if fold is not None:
            fold(self, fact)

    def view(self) -> CardView:
        """Return what is known now: lines in slot order, gaps and counts of zero not listed."""
        return CardView(
            line={seat: [LineCard(place, line[place]) for place in sorted(line)] for seat, line in self._lines.items()},
            hand=[LineCard(hand_place(number), card) for number, card in enumerate(self._hands[self.seat])],
            hand_counts={seat: len(hand) for seat, hand in self._hands.items() if hand},
            deck_counts={seat: count for seat, count in self._decks.items() if count},
            captured={seat: dict(lost) for seat, lost in self._captured.items()},
        )

    # --- facts ------------------------------------------------------------------------------------

    def _hear_dealt(self, fact: Dealt) -> None:
        """Take in a new hand, at the start or after a regroup: line, hand and deck were one before it."""
        seat, count = fact.seat, len(fact.places)
        self._decks[seat] += len(self._lines[seat]) + len(self._hands[seat]) - count
        self._lines[seat], self._hands[seat] = {}, [None] * count

    def _hear_drew(self, fact: Drew) -> None:
        self._decks[fact.seat] -= len(fact.places)
        self._hands[fact.seat] += [None] * len(fact.places)

    def _hear_deployed(self, fact: Deployed) -> None:
        """Lay a line: one's own from the places one named, the opponent's from one cannot say where."""
        if fact.seat == self.seat:
            self._lay(fact.seat, dict(zip(fact.places, self._deployment, strict=True)))
        else:
            self._lines[fact.seat] = dict.fromkeys(fact.places)
            self._hands[fact.seat] = [None] * (len(self._hands[fact.seat]) - len(fact.places))

    def _hear_filled(self, fact: Filled) -> None:
        self._lay(fact.seat, fact.cards)

    def _lay(self, seat: Seat, cards: dict[Place, Place]) -> None:
        """Lay cards of a hand into slots; what is known of them goes with them, and the hand closes up."""
        hand = self._hands[seat]
        numbers = {slot: int(place.partition(":")[2]) for slot, place in cards.items()}
        for slot, number in numbers.items():
            self._lines[seat][slot] = hand[number]
        laid = set(numbers.values())
        self._hands[seat] = [card for number, card in enumerate(hand) if number not in laid]

    def _hear_revealed(self, fact: Revealed) -> None:
        kind, _, number = fact.place.partition(":")
        if kind == HAND:
            self._hands[fact.seat][int(number)] = fact.rank
        else:
            self._lines[fact.seat][fact.place] = fact.rank

    def _hear_removed(self, fact: Removed) -> None:
        rank = cast("str", self._lines[fact.seat].pop(fact.place))  # a fight has shown both its cards
        lost = self._captured[fact.seat]
        lost[rank] = lost.get(rank, 0) + 1


# Every other fact changes nothing that a view shows.
_FOLDS: Final[dict[type[Fact], Callable[[CardFold, Any], None]]] = {
    Dealt: CardFold._hear_dealt,
    Drew: CardFold._hear_drew,
    Deployed: CardFold._hear_deployed,
    Filled: CardFold._hear_filled,
    Revealed: CardFold._hear_revealed,
    Removed: CardFold._hear_removed,
}


def hand_place(number: int) -> Place:
    """Name a place of a hand."""
    return f"{HAND}:{number}"

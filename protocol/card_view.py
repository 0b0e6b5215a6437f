"""The knowledge of one player of a card game, from the facts that it received and its own deployments."""

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


class CardKnowledge:
    """The knowledge of one seat in a card game; None is a card that it has not seen."""

    __slots__ = ("_captured", "_decks", "_deployment", "_hands", "_lines", "seat")

    def __init__(self, rules: Rules, seat: Seat) -> None:
        self.seat = seat
        self._lines: dict[Seat, dict[Place, RankId | None]] = {either: {} for either in SEATS}
        self._hands: dict[Seat, Hand] = {either: [] for either in SEATS}
        self._decks: dict[Seat, int] = dict.fromkeys(SEATS, sum(rules.army.values()))
        self._captured: Captured = {either: {} for either in SEATS}
        self._deployment: list[Place] = []

    def note_action(self, action: AnyAction) -> None:
        """Note an action of this seat, after it was accepted and before its facts are noted."""
        if type(action) is Deploy and action.line is not UNSET:
            self._deployment = action.line

    def note_fact(self, fact: AnyFact) -> None:
        """Note a fact that this seat received."""
        note = _NOTES.get(type(fact))
        if note is not None:
            note(self, fact)

    def view(self) -> CardView:
        """Return the view: lines in slot order, without gaps and counts of zero."""
        return CardView(
            line={seat: [LineCard(place, line[place]) for place in sorted(line)] for seat, line in self._lines.items()},
            hand=[LineCard(hand_place(number), card) for number, card in enumerate(self._hands[self.seat])],
            hand_counts={seat: len(hand) for seat, hand in self._hands.items() if hand},
            deck_counts={seat: count for seat, count in self._decks.items() if count},
            captured={seat: dict(lost) for seat, lost in self._captured.items()},
        )

    # --- facts ------------------------------------------------------------------------------------

    def _note_dealt(self, fact: Dealt) -> None:
        """Note a new hand, at the start or after a regroup, which first puts line, hand and deck together."""
        seat = fact.seat
        count = len(fact.places)
        self._decks[seat] += len(self._lines[seat]) + len(self._hands[seat]) - count
        self._lines[seat] = {}
        self._hands[seat] = [None] * count

    def _note_drew(self, fact: Drew) -> None:
        self._decks[fact.seat] -= len(fact.places)
        self._hands[fact.seat] += [None] * len(fact.places)

    def _note_deployed(self, fact: Deployed) -> None:
        """Note a line: the own cards come from the places of the deployment, the opponent's from unknown places."""
        if fact.seat == self.seat:
            self._lay(fact.seat, dict(zip(fact.places, self._deployment, strict=True)))
        else:
            self._lines[fact.seat] = dict.fromkeys(fact.places)
            self._hands[fact.seat] = [None] * (len(self._hands[fact.seat]) - len(fact.places))

    def _note_filled(self, fact: Filled) -> None:
        self._lay(fact.seat, fact.cards)

    def _lay(self, seat: Seat, cards: dict[Place, Place]) -> None:
        """Move cards from a hand to slots; they stay known, and the places of the hand close up."""
        hand = self._hands[seat]
        numbers = {slot: int(place.partition(":")[2]) for slot, place in cards.items()}
        for slot, number in numbers.items():
            self._lines[seat][slot] = hand[number]
        laid = set(numbers.values())
        self._hands[seat] = [card for number, card in enumerate(hand) if number not in laid]

    def _note_revealed(self, fact: Revealed) -> None:
        kind, _, number = fact.place.partition(":")
        if kind == HAND:
            self._hands[fact.seat][int(number)] = fact.rank
        else:
            self._lines[fact.seat][fact.place] = fact.rank

    def _note_removed(self, fact: Removed) -> None:
        rank = cast("str", self._lines[fact.seat].pop(fact.place))  # a fight shows both cards
        lost = self._captured[fact.seat]
        lost[rank] = lost.get(rank, 0) + 1


# Other facts do not change a view.
_NOTES: Final[dict[type[Fact], Callable[[CardKnowledge, Any], None]]] = {
    Dealt: CardKnowledge._note_dealt,
    Drew: CardKnowledge._note_drew,
    Deployed: CardKnowledge._note_deployed,
    Filled: CardKnowledge._note_filled,
    Revealed: CardKnowledge._note_revealed,
    Removed: CardKnowledge._note_removed,
}


def hand_place(number: int) -> Place:
    """Return the name of a place of a hand."""
    return f"{HAND}:{number}"

"""The knowledge of one player of a card game, from the facts that it received and its own deployments."""

from collections.abc import Collection
from typing import Final, Self, cast

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
        match fact:
            case Revealed(seat, place, rank):
                kind, _, number = place.partition(":")
                if kind == HAND:
                    self._hands[seat][int(number)] = rank
                else:
                    self._lines[seat][place] = rank
            case Removed(seat, place):
                lost_rank = cast("str", self._lines[seat].pop(place))  # a fight shows both cards
                lost = self._captured[seat]
                lost[lost_rank] = lost.get(lost_rank, 0) + 1
            case Filled(seat, cards) if seat == self.seat:
                self._lay(seat, cast("dict[Place, Place]", cards))
            case Filled(seat, cards):
                self._lay_unseen(seat, cards)
            case Drew(seat, places):
                self._decks[seat] -= len(places)
                self._hands[seat] += [None] * len(places)
            case Dealt(seat, places):  # at the start, or after a regroup, which first puts line, hand and deck together
                self._decks[seat] += len(self._lines[seat]) + len(self._hands[seat]) - len(places)
                self._lines[seat] = {}
                self._hands[seat] = [None] * len(places)
            case Deployed(seat, places) if seat == self.seat:
                self._lay(seat, dict(zip(places, self._deployment, strict=True)))
            case Deployed(seat, places):
                self._lay_unseen(seat, places)
            case _:
                pass

    def _lay(self, seat: Seat, cards: dict[Place, Place]) -> None:
        """Move cards from a hand to slots; they stay known, and the places of the hand close up."""
        hand = self._hands[seat]
        numbers = {slot: int(place.partition(":")[2]) for slot, place in cards.items()}
        for slot, number in numbers.items():
            self._lines[seat][slot] = hand[number]
        laid = set(numbers.values())
        self._hands[seat] = [card for number, card in enumerate(hand) if number not in laid]

    def _lay_unseen(self, seat: Seat, slots: Collection[Place]) -> None:
        """Move cards from the opponent's hand to slots.  The opponent may have reordered it: all of it is unknown again."""
        self._lines[seat].update(dict.fromkeys(slots))
        self._hands[seat] = [None] * (len(self._hands[seat]) - len(slots))

    def view(self) -> CardView:
        """Return the view: lines in slot order, without gaps and counts of zero."""
        return CardView(
            line={seat: [LineCard(place, line[place]) for place in sorted(line)] for seat, line in self._lines.items()},
            hand=[LineCard(hand_place(number), card) for number, card in enumerate(self._hands[self.seat])],
            hand_counts={seat: len(hand) for seat, hand in self._hands.items() if hand},
            deck_counts={seat: count for seat, count in self._decks.items() if count},
            captured={seat: dict(lost) for seat, lost in self._captured.items()},
        )

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.seat = self.seat
        twin._lines = {seat: line.copy() for seat, line in self._lines.items()}
        twin._hands = {seat: hand.copy() for seat, hand in self._hands.items()}
        twin._decks = self._decks.copy()
        twin._captured = {seat: lost.copy() for seat, lost in self._captured.items()}
        twin._deployment = self._deployment
        return twin


def hand_place(number: int) -> Place:
    """Return the name of a place of a hand."""
    return f"{HAND}:{number}"

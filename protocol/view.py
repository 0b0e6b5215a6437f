"""The knowledge of one player, from the facts that it received and its own actions, and from nothing else."""

from collections.abc import Collection
from functools import cache
from typing import Final, Self, cast

from msgspec import UNSET
from msgspec.structs import replace

from protocol.messages import BoardView, Captured, CardView, LineCard, Rules, ViewPiece
from protocol.words import (
    SEATS,
    AnyAction,
    AnyFact,
    Dealt,
    Deploy,
    Deployed,
    Drew,
    Filled,
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
HAND: Final = "hand"
Hand = list[RankId | None]
_ROW: Final = 128  # more than the code of any letter


class BoardKnowledge:
    """The knowledge of one seat in a board game."""

    __slots__ = ("_captured", "_deployment", "_last", "_pieces", "_rescuing", "seat")

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self._pieces: dict[Place, ViewPiece] = {}
        self._captured: Captured = {either: {} for either in SEATS}
        self._deployment: dict[Place, str] = {}
        self._rescuing: str | None = None
        """Rank of the last rescue of this seat."""
        self._last: AnyFact | None = None
        """The last fact."""

    def note_action(self, action: AnyAction) -> None:
        """Note an action of this seat, after it was accepted and before its facts are noted."""
        if type(action) is Deploy and action.pieces is not UNSET:
            self._deployment = action.pieces
        elif type(action) is Rescue:
            self._rescuing = action.rank

    def note_fact(self, fact: AnyFact) -> None:
        """Note a fact that this seat received."""
        match fact:
            case Moved():
                piece = self._pieces.pop(fact.src)
                self._pieces[fact.dst] = ViewPiece(fact.dst, piece.seat, piece.rank, moved=True)
            case Revealed():
                if type(self._last) is Placed and self._last.place == fact.place:  # a rescued piece of known rank
                    self._count(fact.seat, None, 1)
                    self._count(fact.seat, fact.rank, -1)
                self._pieces[fact.place] = replace(self._pieces[fact.place], rank=fact.rank)
            case Removed():
                self._count(fact.seat, self._pieces.pop(fact.place).rank, 1)
            case Placed():  # an own piece returns with the requested rank, one of the opponent as unknown
                rank = cast("RankId | None", self._rescuing) if fact.seat == self.seat else None
                self._count(fact.seat, rank, -1)
                self._pieces[fact.place] = ViewPiece(fact.place, fact.seat, rank)
            case Deployed():
                known = self._deployment if fact.seat == self.seat else {}
                for place in fact.places:
                    self._pieces[place] = ViewPiece(place, fact.seat, cast("RankId | None", known.get(place)))
            case _:
                pass
        self._last = fact

    def _count(self, seat: Seat, rank: RankId | None, change: int) -> None:
        lost = self._captured[seat]
        name = rank or UNKNOWN
        lost[name] = lost.get(name, 0) + change

    def view(self) -> BoardView:
        """Return the view: pieces in board order, without counts of zero."""
        return BoardView([self._pieces[place] for place in sorted(self._pieces, key=board_order)], self.captured)

    @property
    def captured(self) -> Captured:
        """The losses of both seats, without counts of zero."""
        return {seat: {rank: count for rank, count in lost.items() if count} for seat, lost in self._captured.items()}

    @property
    def places(self) -> Collection[Place]:
        """The squares with pieces."""
        return self._pieces.keys()

    def find_piece(self, place: Place) -> ViewPiece | None:
        """Return the piece on a square."""
        return self._pieces.get(place)

    def copy(self) -> Self:
        twin = type(self)(self.seat)
        twin._pieces = self._pieces.copy()
        twin._captured = {seat: lost.copy() for seat, lost in self._captured.items()}
        twin._deployment = self._deployment
        twin._rescuing = self._rescuing
        twin._last = self._last
        return twin


@cache
def board_order(place: Place) -> int:
    """Return the sort key of a square, for the order a1..j1, a2..j2 and so on."""
    return int(place[1:]) * _ROW + ord(place[0])


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
        """Move cards from the opponent's hand to slots; the rest, which may be in another order, is unknown again."""
        self._lines[seat].update(dict.fromkeys(slots))
        self._hands[seat] = [None] * (len(self._hands[seat]) - len(slots))

    def hand_of(self, seat: Seat) -> list[LineCard]:
        """Return the cards of a hand; the opponent's are known after a look at its hand, until it lays some of them."""
        return [LineCard(hand_place(number), card) for number, card in enumerate(self._hands[seat])]

    def view(self) -> CardView:
        """Return the view: lines in slot order, without gaps and counts of zero."""
        return CardView(
            line={seat: [LineCard(place, line[place]) for place in sorted(line)] for seat, line in self._lines.items()},
            hand=self.hand_of(self.seat),
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


Knowledge = BoardKnowledge | CardKnowledge
"""The knowledge of one seat in any game."""


def new_knowledge(rules: Rules, seat: Seat) -> Knowledge:
    """Return the knowledge of a seat at the start of a game with these rules.

    Raises ValueError if the game is unknown here.
    """
    if rules.board is not UNSET:
        return BoardKnowledge(seat)
    if rules.line is not UNSET:
        return CardKnowledge(rules, seat)
    raise ValueError(f"{rules.id!r} is neither a board game nor a card game; this version knows no other games")

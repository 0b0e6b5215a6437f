"""The cards of one player, their places on the wire, and the facts that reveal them."""

from collections.abc import Iterable, Sequence

from arbiter.games.base import Addressed, Copied
from protocol.view import hand_place
from protocol.words import OPPONENT, Place, RankId, Revealed, Seat


def line_place(slot: int) -> Place:
    return f"line:{slot}"


def line_places(slots: Iterable[int]) -> list[Place]:
    return [line_place(slot) for slot in slots]


def hand_places(numbers: Iterable[int]) -> list[Place]:
    return [hand_place(number) for number in numbers]


class Side(Copied):
    """The cards of a seat; it knows no rule."""

    __slots__ = ("deck", "hand", "line", "seat")

    def __init__(self, seat: Seat, slots: int) -> None:
        self.seat: Seat = seat
        self.deck: list[RankId] = []  # top card first
        self.hand: list[RankId] = []
        self.line: list[RankId | None] = [None] * slots  # None = a gap

    def __repr__(self) -> str:
        return f"{self.seat} line {self.line} hand {self.hand} deck {self.deck}"

    # --- cards ------------------------------------------------------------------------------------

    def cards(self) -> tuple[RankId, ...]:
        """Return all cards that are still in the game."""
        return (*(card for card in self.line if card), *self.hand, *self.deck)

    def filled_slots(self) -> list[int]:
        """List the slots of the line that hold a card."""
        return [slot for slot, card in enumerate(self.line) if card]

    def gaps(self) -> list[int]:
        """List the empty slots of the line."""
        return [slot for slot, card in enumerate(self.line) if not card]

    def count_fillable(self) -> int:
        """Count the gaps that the hand can fill."""
        return min(len(self.gaps()), len(self.hand))

    def deal(self, deck: Sequence[RankId], count: int) -> None:
        """Replace all cards by a deck and deal `count` cards of it into the hand; the line is empty."""
        self.line = [None] * len(self.line)
        self.hand = list(deck[:count])
        self.deck = list(deck[count:])

    def draw(self, full: int) -> list[int]:
        """Draw until the hand has `full` cards or the deck is empty; return the new places of the hand."""
        before = len(self.hand)
        drawn = max(0, full - before)
        self.hand += self.deck[:drawn]
        del self.deck[:drawn]
        return list(range(before, len(self.hand)))

    def lay(self, cards: dict[int, int]) -> None:
        """Lay cards of the hand into the line (slot -> number in the hand); the hand closes up."""
        for slot, number in cards.items():
            self.line[slot] = self.hand[number]
        laid = set(cards.values())
        self.hand = [card for number, card in enumerate(self.hand) if number not in laid]

    # --- facts ------------------------------------------------------------------------------------

    def show_to_owner(self, numbers: Iterable[int]) -> tuple[Addressed, ...]:
        """Reveal cards of the hand to the player who holds them."""
        return tuple(
            Addressed(Revealed(self.seat, hand_place(number), self.hand[number]), (self.seat,)) for number in numbers
        )

    def show_card(self, slot: int) -> Addressed:
        """Reveal a card of the line to the opponent."""
        card = self.line[slot]
        assert card is not None  # noqa: S101 - only cards are shown
        return Addressed(Revealed(self.seat, line_place(slot), card), (OPPONENT[self.seat],))

    def show_hand(self) -> tuple[Addressed, ...]:
        """Reveal the cards of the hand to the opponent, sorted, so that their order reveals nothing."""
        return tuple(
            Addressed(Revealed(self.seat, hand_place(number), card), (OPPONENT[self.seat],))
            for number, card in enumerate(sorted(self.hand))
        )

"""One player's cards: deck, hand and line.  It knows no rule."""

from collections.abc import Sequence
from typing import Self

from protocol.words import RankId


class Side:
    """The cards of a seat: `deck` from the top, `hand` in order, `line` by slot (None = a gap)."""

    __slots__ = ("deck", "hand", "line")

    def __init__(self, slots: int) -> None:
        self.deck: list[RankId] = []
        self.hand: list[RankId] = []
        self.line: list[RankId | None] = [None] * slots

    def __repr__(self) -> str:
        return f"line {self.line} hand {self.hand} deck {self.deck}"

    def cards(self) -> tuple[RankId, ...]:
        """Return every card that is still in the game."""
        return (*(card for card in self.line if card), *self.hand, *self.deck)

    def standing(self) -> list[int]:
        """List the slots of the line that hold a card."""
        return [slot for slot, card in enumerate(self.line) if card]

    def gaps(self) -> list[int]:
        """List the slots of the line that hold none."""
        return [slot for slot, card in enumerate(self.line) if not card]

    def deal(self, deck: Sequence[RankId], count: int) -> None:
        """Take up a deck and as many of its cards as the hand is dealt; the line is empty."""
        self.line = [None] * len(self.line)
        self.hand, self.deck = list(deck[:count]), list(deck[count:])

    def draw(self, full: int) -> list[int]:
        """Draw until the hand is full or the deck empty; return the new places of the hand."""
        before = len(self.hand)
        drawn = max(0, full - before)
        self.hand += self.deck[:drawn]
        del self.deck[:drawn]
        return list(range(before, len(self.hand)))

    def lay(self, cards: dict[int, int]) -> None:
        """Lay cards of the hand into slots (slot -> hand place); the hand closes up."""
        for slot, number in cards.items():
            self.line[slot] = self.hand[number]
        laid = set(cards.values())
        self.hand = [card for number, card in enumerate(self.hand) if number not in laid]

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(0)
        twin.deck, twin.hand, twin.line = self.deck.copy(), self.hand.copy(), self.line.copy()
        return twin

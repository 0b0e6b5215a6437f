"""The cards of a card game as a viewer may see them, and their layout."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from arbiter.show.boards import NO_MARKS, Grid, Marks, Row, Square, draw_grid
from protocol.messages import Captured, CardView, LineCard, ViewPiece
from protocol.view import hand_place
from protocol.words import BLUE, RED, SEATS, Place, Seat

_MARGIN: Final = len("blue line ")


class CardTable(Struct, frozen=True):
    """Both lines, the visible hands, and the numbers of the other cards."""

    slots: int
    line: dict[Seat, list[LineCard]]
    hands: dict[Seat, list[LineCard]]
    hand_counts: dict[Seat, int]
    deck_counts: dict[Seat, int]
    captured: Captured

    @property
    def pieces(self) -> list[ViewPiece]:
        """All cards in the lines and in the visible hands."""
        of_seat = [(seat, card) for cards in (self.line, self.hands) for seat, held in cards.items() for card in held]
        return [ViewPiece(card.place, seat, card.rank) for seat, card in of_seat]


def make_card_table(seen: Mapping[Seat, CardView], own: Iterable[Seat], slots: int) -> CardTable:
    """Combine the views of each seat's cards.  The hands of the `own` seats are visible."""
    any_view = seen[RED]
    return CardTable(
        slots=slots,
        line={seat: view.line[seat] for seat, view in seen.items()},
        hands={seat: seen[seat].hand for seat in own},
        hand_counts=any_view.hand_counts,
        deck_counts=any_view.deck_counts,
        captured=any_view.captured,
    )


def make_card_grid(table: CardTable, seat: Seat | None, marks: Marks = NO_MARKS, *, bottom: Seat = RED) -> Grid:
    """Lay out hands and lines, with the given seat at the bottom; `marks` are those of an act of `seat`."""
    marked = {
        either: Marks(src=marks.src) if either == seat else Marks(None, marks.dst, marks.attack) for either in SEATS
    }
    places = [f"line:{slot}" for slot in range(table.slots)]
    lines = (Row(f"{one} line", _squares(one, places, table.line[one], marked[one])) for one in (BLUE, RED))
    rows = (_hand(table, BLUE), *lines, _hand(table, RED))
    slots = tuple(map(str, range(table.slots)))
    return Grid(_MARGIN, rows if bottom == RED else rows[::-1], slots, names_below=True)


def draw_cards(table: CardTable, seat: Seat | None, marks: Marks = NO_MARKS, *, colour: bool = False) -> str:
    """Draw hands, lines and decks, with red at the bottom; `marks` are those of an act of `seat`."""
    return draw_grid(make_card_grid(table, seat, marks), colour=colour)


def _hand(table: CardTable, seat: Seat) -> Row:
    places = [hand_place(number) for number in range(table.hand_counts.get(seat, 0))]
    cards = table.hands.get(seat) or [LineCard(place, None) for place in places]
    return Row(f"{seat} hand", _squares(seat, places, cards, NO_MARKS), f"  deck {table.deck_counts.get(seat, 0)}")


def _squares(seat: Seat, places: Iterable[Place], cards: Iterable[LineCard], marks: Marks) -> tuple[Square, ...]:
    there = {card.place: ViewPiece(card.place, seat, card.rank) for card in cards}
    return tuple(Square(place, there.get(place), marks.around(place), seat=seat) for place in places)

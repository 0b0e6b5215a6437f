"""The cards of a card game as one who watches may see them, drawn as text.

`R3` is red's and `b3` blue's, as on a board; `b?` is a card that is not known, `.` a gap in a line.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from arbiter.show.boards import NO_MARKS, Marks, draw_square
from protocol.card_view import hand_place
from protocol.messages import Captured, CardView, LineCard, ViewPiece
from protocol.words import BLUE, RED, SEATS, Place, Seat

_MARGIN: Final = " " * 10  # as wide as `blue line `


class CardTable(Struct, frozen=True):
    """Both lines of so many slots, the hands that are seen, and what is left, as one or both seats know it."""

    slots: int
    line: dict[Seat, list[LineCard]]
    hands: dict[Seat, list[LineCard]]
    hand_counts: dict[Seat, int]
    deck_counts: dict[Seat, int]
    captured: Captured


def card_table(views: Mapping[Seat, CardView], slots: int) -> CardTable:
    """Join what seats know: of each its own cards, of an opponent who is not among them what they know of him."""
    any_view = next(iter(views.values()))
    return CardTable(
        slots=slots,
        line={seat: views.get(seat, any_view).line[seat] for seat in SEATS},
        hands={seat: view.hand for seat, view in views.items()},
        hand_counts=any_view.hand_counts,
        deck_counts=any_view.deck_counts,
        captured=any_view.captured,
    )


def cards_of(table: CardTable) -> list[ViewPiece]:
    """List every card that is seen or stands in a line."""
    of_seat = [(seat, card) for cards in (table.line, table.hands) for seat, held in cards.items() for card in held]
    return [ViewPiece(card.place, seat, card.rank) for seat, card in of_seat]


def draw_cards(table: CardTable, seat: Seat | None, marks: Marks = NO_MARKS, *, colour: bool = False) -> str:
    """Draw hands, lines and decks, red's at the bottom; `marks` are those of the seat's act."""
    marked = {
        either: Marks(src=marks.src) if either == seat else Marks(None, marks.dst, marks.attack) for either in SEATS
    }
    return "\n".join(
        [
            _hand(table, BLUE, colour=colour),
            *(_line(table, either, marked[either], colour=colour) for either in (BLUE, RED)),
            _hand(table, RED, colour=colour),
            _MARGIN + "".join(f"  {slot}   " for slot in range(table.slots)).rstrip(),
        ]
    )


def _line(table: CardTable, seat: Seat, marks: Marks, *, colour: bool) -> str:
    places = [f"line:{slot}" for slot in range(table.slots)]
    return _row(f"{seat} line", seat, places, table.line[seat], marks, colour=colour)


def _hand(table: CardTable, seat: Seat, *, colour: bool) -> str:
    places = [hand_place(number) for number in range(table.hand_counts.get(seat, 0))]
    cards = table.hands.get(seat) or [LineCard(place, None) for place in places]
    row = _row(f"{seat} hand", seat, places, cards, NO_MARKS, colour=colour)
    return f"{row}   deck {table.deck_counts.get(seat, 0)}"


def _row(label: str, seat: Seat, places: list[Place], cards: list[LineCard], marks: Marks, *, colour: bool) -> str:
    there = {card.place: ViewPiece(card.place, seat, card.rank) for card in cards}
    cells = (draw_square(place, there.get(place), marks, colour=colour) for place in places)
    return (label.ljust(len(_MARGIN)) + "".join(cells)).rstrip()

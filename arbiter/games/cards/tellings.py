"""What is told of cards, and to whom: the one place where cards are shown."""

from collections.abc import Iterable

from arbiter.games.base import Addressed
from arbiter.games.cards.places import hand_place, line_place
from arbiter.games.cards.side import Side
from protocol.words import OPPONENT, RankId, Revealed, Seat


def shown_to_owner(side: Side, seat: Seat, numbers: Iterable[int]) -> tuple[Addressed, ...]:
    """Tell a seat which cards it holds at some places of its hand."""
    return tuple(Addressed(Revealed(seat, hand_place(number), side.hand[number]), (seat,)) for number in numbers)


def shown_card(seat: Seat, slot: int, card: RankId) -> Addressed:
    """Tell the opponent of a seat which card stands in a slot of its line."""
    return Addressed(Revealed(seat, line_place(slot), card), (OPPONENT[seat],))


def shown_hand(side: Side, seat: Seat) -> tuple[Addressed, ...]:
    """Tell the opponent of a seat which cards it holds in its hand."""
    foe = OPPONENT[seat]
    return tuple(Addressed(Revealed(seat, hand_place(number), card), (foe,)) for number, card in enumerate(side.hand))

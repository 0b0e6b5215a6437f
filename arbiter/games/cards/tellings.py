"""What is told of cards, and to whom: the one place where cards are shown."""

from collections.abc import Iterable

from arbiter.games.base import Told
from arbiter.games.cards.places import hand_place, line_place
from arbiter.games.cards.side import Side
from protocol.words import OPPONENT, RankId, Revealed, Seat


def shown_to_owner(side: Side, seat: Seat, numbers: Iterable[int]) -> tuple[Told, ...]:
    """Tell a seat which cards it holds at some places of its hand."""
    return tuple(Told(Revealed(seat, hand_place(number), side.hand[number]), (seat,)) for number in numbers)


def shown_card(seat: Seat, slot: int, card: RankId) -> Told:
    """Tell the opponent of a seat which card stands in a slot of its line."""
    return Told(Revealed(seat, line_place(slot), card), (OPPONENT[seat],))


def shown_hand(side: Side, seat: Seat) -> tuple[Told, ...]:
    """Tell the opponent of a seat which cards it holds in its hand."""
    foe = OPPONENT[seat]
    return tuple(Told(Revealed(seat, hand_place(number), card), (foe,)) for number, card in enumerate(side.hand))

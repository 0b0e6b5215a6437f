"""The end of a turn: gaps of one's own line are filled from the hand, as far as it reaches (CARD step 3)."""

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Final

from arbiter.errors import IllegalAction
from arbiter.games.base import Addressed
from arbiter.games.cards.places import hand_place, hand_places, line_place
from arbiter.games.cards.ruleset import CardAct
from arbiter.games.cards.side import Side
from protocol.words import SEATS, AnyAction, Fill, Filled, Seat

if TYPE_CHECKING:
    from arbiter.games.cards.play import CardPlay


def fillable(side: Side) -> int:
    """Count the gaps that can be filled."""
    return min(len(side.gaps()), len(side.hand))


def _actions(play: "CardPlay", seat: Seat) -> list[AnyAction]:
    side = play.sides[seat]
    count = fillable(side)
    return [
        Fill({line_place(slot): hand_place(number) for slot, number in zip(slots, numbers, strict=True)})
        for slots in combinations(side.gaps(), count)
        for numbers in permutations(range(len(side.hand)), count)
    ]


def _fill(play: "CardPlay", seat: Seat, action: Fill) -> tuple[Addressed, ...]:
    side = play.sides[seat]
    laid = _laid(side, action)
    side.lay(laid)
    # In slot order, whatever order the bot wrote: that could tell ranks.
    cards = {line_place(slot): hand_place(number) for slot, number in sorted(laid.items())}
    return (Addressed(Filled(seat, cards), SEATS), *play.pass_turn(seat))


def _laid(side: Side, action: Fill) -> dict[int, int]:
    """Read a fill: slot -> number in the hand.  Raises IllegalAction."""
    count = fillable(side)
    if len(action.cards) != count:
        raise _refusal(f"{count} gaps can be filled and must be, not {len(action.cards)}")
    gaps = {line_place(slot): slot for slot in side.gaps()}
    numbers = {place: number for number, place in enumerate(hand_places(range(len(side.hand))))}
    for slot, place in action.cards.items():
        if slot not in gaps:
            raise _refusal(f"{slot[:20]!a} is no gap of your line")
        if place not in numbers:
            raise _refusal(f"{place[:20]!a} is no place of your hand")
    if len(set(action.cards.values())) < count:
        raise _refusal("a card is laid twice")
    return {gaps[slot]: numbers[place] for slot, place in action.cards.items()}


def _refusal(why: str) -> IllegalAction:
    return IllegalAction("deployment", f"the line is not filled so: {why}")


FILL: Final = CardAct("refill", Fill, _actions, _fill)

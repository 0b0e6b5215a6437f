"""Setting up: five of the cards dealt are laid face down in a line (CARD "Aufbau"), and again after a regroup."""

from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from arbiter.errors import IllegalAction
from arbiter.games.base import Addressed
from arbiter.games.cards.places import hand_places
from arbiter.games.cards.ruleset import CardAct
from arbiter.games.cards.tellings import shown_to_owner
from protocol.words import SEATS, Dealt, Deploy, RankId, Seat

if TYPE_CHECKING:
    from arbiter.games.cards.play import CardPlay


def deal(play: "CardPlay", seat: Seat, deck: tuple[RankId, ...]) -> tuple[Addressed, ...]:
    """Deal a seat its hand from a shuffled deck; only the seat is told which cards."""
    side = play.sides[seat]
    side.deal(deck, play.ruleset.deal)
    numbers = range(len(side.hand))
    return (Addressed(Dealt(seat, hand_places(numbers)), SEATS), *shown_to_owner(side, seat, numbers))


def _deploy(play: "CardPlay", seat: Seat, action: Deploy) -> tuple[Addressed, ...]:
    side = play.sides[seat]
    side.lay(_laid(action, len(side.hand), len(side.line)))
    return play.deployed(seat)


def _laid(action: Deploy, held: int, slots: int) -> dict[int, int]:
    """Read a deployment: slot -> number in the hand.  Raises IllegalAction."""
    if action.line is UNSET or action.pieces is not UNSET:
        raise _refusal("the card game is deployed with `line`, the places of the hand for slot 0, 1 and so on")
    wanted = min(held, slots)
    if len(action.line) != wanted:
        raise _refusal(f"the line takes {wanted} cards, not {len(action.line)}")
    numbers = {place: number for number, place in enumerate(hand_places(range(held)))}
    for place in action.line:
        if place not in numbers:
            raise _refusal(f"{place[:20]!a} is no place of your hand")
    if len(set(action.line)) < wanted:
        raise _refusal("a card is laid twice")
    return {slot: numbers[place] for slot, place in enumerate(action.line)}


def _refusal(why: str) -> IllegalAction:
    return IllegalAction("deployment", f"the deployment is not allowed: {why}", ending="illegal_setup")


SET_UP: Final = CardAct("setup", Deploy, lambda _play, _seat: [], _deploy)

"""Laying cards into the line: in the setup phase (CARD "Aufbau"), after a regroup, and at the end of a turn."""

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from arbiter.errors import IllegalAction
from arbiter.games.base import Addressed
from arbiter.games.cards.side import hand_place, hand_places, line_place
from arbiter.games.ruleset import Power
from protocol.words import OPPONENT, AnyAction, Deploy, Fill, Filled, Phase, Seat

if TYPE_CHECKING:
    from arbiter.games.cards.play import CardPlay


def _refuse_deployment(why: str) -> IllegalAction:
    return IllegalAction("deployment", f"the deployment is not allowed: {why}", ending="illegal_setup")


def _refuse_fill(why: str) -> IllegalAction:
    return IllegalAction("deployment", f"this refill is not allowed: {why}")


class DeployCards(Power["CardPlay"]):
    """Lay as many cards as the line takes."""

    phase: Phase = "setup"
    action = Deploy

    def carry_out(self, play: "CardPlay", seat: Seat, action: Deploy) -> tuple[Addressed, ...]:
        if action.line is UNSET or action.pieces is not UNSET:
            raise _refuse_deployment(
                "the card game is deployed with `line`, the places of the hand for slot 0, 1 and so on"
            )
        side = play.sides[seat]
        wanted = min(len(side.hand), len(side.line))
        if len(action.line) != wanted:
            raise _refuse_deployment(f"the line takes {wanted} cards, not {len(action.line)}")
        numbers = {place: number for number, place in enumerate(hand_places(range(len(side.hand))))}
        for place in action.line:
            if place not in numbers:
                raise _refuse_deployment(f"{place[:20]!a} is not a place of your hand")
        if len(set(action.line)) < wanted:
            raise _refuse_deployment("one card is laid twice")
        side.lay({slot: numbers[place] for slot, place in enumerate(action.line)})
        return play.finish_deployment(seat)


class FillLine(Power["CardPlay"]):
    """Fill as many gaps of the line as the hand can (CARD step 3)."""

    phase: Phase = "refill"
    action = Fill

    def list_actions(self, play: "CardPlay", seat: Seat) -> list[AnyAction]:
        side = play.sides[seat]
        count = side.count_fillable()
        return [
            Fill({line_place(slot): hand_place(number) for slot, number in zip(slots, numbers, strict=True)})
            for slots in combinations(side.gaps(), count)
            for numbers in permutations(range(len(side.hand)), count)
        ]

    def carry_out(self, play: "CardPlay", seat: Seat, action: Fill) -> tuple[Addressed, ...]:
        side = play.sides[seat]
        count = side.count_fillable()
        if len(action.cards) != count:
            raise _refuse_fill(f"it must fill {count} gaps, not {len(action.cards)}")
        gaps = {line_place(slot): slot for slot in side.gaps()}
        numbers = {place: number for number, place in enumerate(hand_places(range(len(side.hand))))}
        for slot, place in action.cards.items():
            if slot not in gaps:
                raise _refuse_fill(f"{slot[:20]!a} is not a gap of your line")
            if place not in numbers:
                raise _refuse_fill(f"{place[:20]!a} is not a place of your hand")
        if len(set(action.cards.values())) < count:
            raise _refuse_fill("one card is laid twice")
        # In slot order: the order that the bot wrote could reveal ranks.
        laid = dict(sorted((gaps[slot], numbers[place]) for slot, place in action.cards.items()))
        side.lay(laid)
        # A player may reorder the hand at any time, so the opponent does not learn the places of the hand.
        own = Filled(seat, {line_place(slot): hand_place(number) for slot, number in laid.items()})
        public = Filled(seat, {line_place(slot): None for slot in laid})
        return (Addressed(own, (seat,)), Addressed(public, (OPPONENT[seat],)), *play.pass_turn(seat))


DEPLOY: Final = DeployCards()
FILL: Final = FillLine()

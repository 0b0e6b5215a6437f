"""Which cards of a line may act and be aimed at, and why others may not."""

from typing import TYPE_CHECKING

from arbiter.errors import IllegalAction, Rule
from arbiter.games.cards.places import line_place
from arbiter.games.ranks import Trait
from protocol.words import OPPONENT, Place, RankId, Seat

if TYPE_CHECKING:
    from arbiter.games.cards.play import CardPlay


def slots_with(play: "CardPlay", seat: Seat, trait: Trait) -> list[int]:
    """List the slots of a seat's line in which a card of a trait stands."""
    line = play.sides[seat].line
    return [slot for slot, card in enumerate(line) if card and play.ranks[card].has(trait)]


def attackers(play: "CardPlay", seat: Seat) -> list[int]:
    """List the slots of a seat's line from which it can attack."""
    line = play.sides[seat].line
    return [slot for slot, card in enumerate(line) if card and not play.ranks[card].has(Trait.IMMOVABLE)]


def own_card(play: "CardPlay", seat: Seat, place: Place, rule: Rule = "power") -> tuple[int, RankId]:
    """Find the card of one's own line at a place.  Raises IllegalAction."""
    return _card(play, seat, place, rule, "yours")


def enemy_card(play: "CardPlay", seat: Seat, place: Place, rule: Rule = "power") -> tuple[int, RankId]:
    """Find the card of the opponent's line at a place.  Raises IllegalAction."""
    return _card(play, OPPONENT[seat], place, rule, "the opponent's")


def _card(play: "CardPlay", seat: Seat, place: Place, rule: Rule, whose: str) -> tuple[int, RankId]:
    for slot, card in enumerate(play.sides[seat].line):
        if card and place == line_place(slot):
            return slot, card
    raise IllegalAction(rule, f"no card of {whose} stands on {place[:20]!a}")


def check_trait(play: "CardPlay", place: Place, card: RankId, trait: Trait, what: str) -> None:
    """Refuse a card that has not the trait it takes for an act.  Raises IllegalAction."""
    if not play.ranks[card].has(trait):
        raise IllegalAction("power", f"the {card} on {place} cannot {what}")

"""Looking instead of attacking: the spy at the hand (CARD "Spion"), the scout at the line (CARD "Aufklärer")."""

from itertools import combinations
from typing import TYPE_CHECKING, Final

from arbiter.errors import IllegalAction
from arbiter.games.base import Addressed
from arbiter.games.cards.aims import check_trait, enemy_card, own_card, slots_with
from arbiter.games.cards.places import line_place, line_places
from arbiter.games.cards.ruleset import CardAct
from arbiter.games.cards.tellings import shown_card, shown_hand
from arbiter.games.ranks import Trait
from protocol.words import OPPONENT, SEATS, AnyAction, Peeked, PeekHand, PeekLine, Seat

if TYPE_CHECKING:
    from arbiter.games.cards.play import CardPlay

_SEEN_AT_ONCE: Final = 2


def _peek_hand_actions(play: "CardPlay", seat: Seat) -> list[AnyAction]:
    return [PeekHand(line_place(src)) for src in slots_with(play, seat, Trait.SPY)]


def _peek_hand(play: "CardPlay", seat: Seat, action: PeekHand) -> tuple[Addressed, ...]:
    src, spy = own_card(play, seat, action.src)
    check_trait(play, action.src, spy, Trait.SPY, "look at the hand")
    foe = OPPONENT[seat]
    facts = (
        Addressed(Peeked(seat, action.src, "hand"), SEATS),
        shown_card(seat, src, spy),
        *shown_hand(play.sides[foe], foe),
    )
    play.count_ply(removed=False)
    return (*facts, *play.go_on(seat))


def _peek_line_actions(play: "CardPlay", seat: Seat) -> list[AnyAction]:
    targets = play.sides[OPPONENT[seat]].standing()
    choices = list(combinations(targets, min(_SEEN_AT_ONCE, len(targets))))
    scouts = slots_with(play, seat, Trait.SEER)
    return [PeekLine(line_place(src), line_places(slots)) for src in scouts for slots in choices]


def _peek_line(play: "CardPlay", seat: Seat, action: PeekLine) -> tuple[Addressed, ...]:
    src, scout = own_card(play, seat, action.src)
    check_trait(play, action.src, scout, Trait.SEER, "look at the line")
    foe = OPPONENT[seat]
    wanted = min(_SEEN_AT_ONCE, len(play.sides[foe].standing()))
    if len(action.slots) != wanted or len(set(action.slots)) != wanted:
        raise IllegalAction("power", f"the scout looks at {wanted} different cards of the opponent's line")
    seen = [enemy_card(play, seat, place) for place in action.slots]
    facts = (
        Addressed(Peeked(seat, action.src, action.slots), SEATS),
        shown_card(seat, src, scout),
        *(shown_card(foe, slot, card) for slot, card in seen),
    )
    play.count_ply(removed=False)
    return (*facts, *play.go_on(seat))


PEEK_HAND: Final = CardAct(
    "turn", PeekHand, _peek_hand_actions, _peek_hand, "the spy: show it and look at the opponent's hand"
)
PEEK_LINE: Final = CardAct(
    "turn", PeekLine, _peek_line_actions, _peek_line, "the scout: show it and look at two cards of the opponent's line"
)

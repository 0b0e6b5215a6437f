"""Regrouping: show the flag, shuffle line, hand and deck together, set up again (CARD "Fahne").

The deployment that follows ends the turn.
"""

from typing import TYPE_CHECKING, Final

from arbiter.games.base import Addressed
from arbiter.games.cards.aims import check_trait, own_card, slots_with
from arbiter.games.cards.places import line_place
from arbiter.games.cards.ruleset import CardAct
from arbiter.games.cards.setup import deal
from arbiter.games.cards.tellings import shown_card
from arbiter.games.ranks import Trait
from protocol.words import SEATS, AnyAction, Regroup, Regrouped, Seat

if TYPE_CHECKING:
    from arbiter.games.cards.play import CardPlay


def _actions(play: "CardPlay", seat: Seat) -> list[AnyAction]:
    return [Regroup(line_place(src)) for src in slots_with(play, seat, Trait.FLAG)]


def _regroup(play: "CardPlay", seat: Seat, action: Regroup) -> tuple[Addressed, ...]:
    src, flag = own_card(play, seat, action.src)
    check_trait(play, action.src, flag, Trait.FLAG, "let its side regroup")
    deck = play.chance.shuffle(seat, play.sides[seat].cards())
    play.count_ply(removed=False)
    play.phase = "setup"
    return (Addressed(Regrouped(seat), SEATS), shown_card(seat, src, flag), *deal(play, seat, deck))


REGROUP: Final = CardAct(
    "turn", Regroup, _actions, _regroup, "the flag: show it, shuffle line, hand and deck together and set up again"
)

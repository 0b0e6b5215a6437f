"""An attack: both cards are shown, the winner turns face down again in its own slot (CARD "angreifen")."""

from typing import TYPE_CHECKING, Final

from arbiter.errors import IllegalAction
from arbiter.games.base import Addressed, Outcome
from arbiter.games.cards.aims import attackers, enemy_card, own_card
from arbiter.games.cards.places import line_place
from arbiter.games.cards.ruleset import CardAct
from arbiter.games.cards.tellings import shown_card
from arbiter.games.fights import FightResult
from arbiter.games.ranks import Trait
from protocol.words import OPPONENT, SEATS, AnyAction, Attack, Attacked, Removed, Seat

if TYPE_CHECKING:
    from arbiter.games.cards.play import CardPlay

_ATTACKER_STAYS: Final = (FightResult.ATTACKER, FightResult.FLAG)


def _actions(play: "CardPlay", seat: Seat) -> list[AnyAction]:
    targets = play.sides[OPPONENT[seat]].standing()
    return [Attack(line_place(src), line_place(dst)) for src in attackers(play, seat) for dst in targets]


def _attack(play: "CardPlay", seat: Seat, action: Attack) -> tuple[Addressed, ...]:
    src, attacker = own_card(play, seat, action.src, "movement")
    if play.ranks[attacker].has(Trait.IMMOVABLE):
        raise IllegalAction("immovable", f"the {attacker} on {action.src} cannot attack")
    dst, defender = enemy_card(play, seat, action.dst, "movement")
    verdict = play.fights[attacker, defender]
    facts = [Addressed(Attacked(seat, action.src, action.dst), SEATS)]
    facts += [shown_card(seat, src, attacker), shown_card(OPPONENT[seat], dst, defender)]
    if verdict not in _ATTACKER_STAYS:
        facts.append(_remove(play, seat, src))
    if verdict is not FightResult.DEFENDER:
        facts.append(_remove(play, OPPONENT[seat], dst))
    play.count_ply(removed=True)
    if verdict is FightResult.FLAG:
        play.end(Outcome(seat, "flag_taken", f"{seat} took the flag on {action.dst}"))
    return (*facts, *play.go_on(seat))


def _remove(play: "CardPlay", seat: Seat, slot: int) -> Addressed:
    play.sides[seat].line[slot] = None
    return Addressed(Removed(seat, line_place(slot)), SEATS)


ATTACK: Final = CardAct("turn", Attack, _actions, _attack)

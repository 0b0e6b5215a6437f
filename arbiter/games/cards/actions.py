"""All actions of the card game: laying cards (CARD "Aufbau", step 3), and the four of a turn (CARD step 2)."""

from collections.abc import Callable, Collection
from itertools import combinations, permutations
from typing import Final

from msgspec import UNSET

from arbiter.games.base import Addressed, IllegalAction, Outcome, Rule
from arbiter.games.cards.play import CardPlay, Side, hand_places, line_place, line_places
from arbiter.games.fights import FightResult
from arbiter.games.ranks import Trait
from arbiter.games.ruleset import Power
from protocol import reasons
from protocol.view import hand_place
from protocol.words import (
    OPPONENT,
    SEATS,
    AnyAction,
    Attack,
    Attacked,
    Deploy,
    Fill,
    Filled,
    Peeked,
    PeekHand,
    PeekLine,
    Phase,
    Place,
    Regroup,
    Regrouped,
    Removed,
    Seat,
)

_CARDS_SEEN: Final = 2
_Missing = type[reasons.NoCard | reasons.NoEnemyCard]


def _find_slot(side: Side, place: Place, missing: _Missing = reasons.NoCard, rule: Rule = "power") -> int:
    """Return the slot of a card in a line.  Raises IllegalAction with the reason `missing`."""
    for slot in side.filled_slots():
        if place == line_place(slot):
            return slot
    raise IllegalAction(rule, missing(place[:20]))


def _find_slot_with(play: CardPlay, seat: Seat, place: Place, trait: Trait, power: reasons.CardPowerName) -> int:
    """Return the slot of the seat's own card at a place; it must have a trait.  Raises IllegalAction."""
    slot = _find_slot(play.sides[seat], place)
    rank = play.rank_in(seat, slot)
    if not rank.has(trait):
        raise IllegalAction("power", reasons.CardLacksPower(place, rank.id, power))
    return slot


class AttackWithCard(Power[CardPlay]):
    """Both cards are shown; the winner is turned face down again (CARD "Eine gegnerische Karte angreifen")."""

    action = Attack

    def list_actions(self, play: CardPlay, seat: Seat) -> list[AnyAction]:
        targets = play.sides[OPPONENT[seat]].filled_slots()
        return [Attack(line_place(src), line_place(dst)) for src in play.attackers(seat) for dst in targets]

    def carry_out(self, play: CardPlay, seat: Seat, action: Attack) -> tuple[Addressed, ...]:
        enemy = OPPONENT[seat]
        src = _find_slot(play.sides[seat], action.src, rule="movement")
        attacker = play.rank_in(seat, src)
        if attacker.has(Trait.IMMOVABLE):
            raise IllegalAction("immovable", reasons.CardLacksPower(action.src, attacker.id, "attack"))
        dst = _find_slot(play.sides[enemy], action.dst, reasons.NoEnemyCard, "movement")
        result = play.ruleset.fight_results[attacker.id, play.rank_in(enemy, dst).id]
        facts = [Addressed(Attacked(seat, action.src, action.dst), SEATS)]
        facts += [play.sides[seat].show_card(src), play.sides[enemy].show_card(dst)]
        if result not in (FightResult.ATTACKER, FightResult.FLAG):
            play.sides[seat].line[src] = None
            facts.append(Addressed(Removed(seat, action.src), SEATS))
        if result is not FightResult.DEFENDER:
            play.sides[enemy].line[dst] = None
            facts.append(Addressed(Removed(enemy, action.dst), SEATS))
        play.count_ply(removed=True)
        if result is FightResult.FLAG:
            play.end(Outcome(seat, "flag_taken", reasons.FlagTaken(seat, action.dst)))
        return (*facts, *play.continue_turn(seat))


class PeekAtHand(Power[CardPlay]):
    """The spy looks at the hand (CARD "Spion (1)")."""

    action = PeekHand
    trait = Trait.SPY
    about = "peek_hand"

    def list_actions(self, play: CardPlay, seat: Seat) -> list[AnyAction]:
        return [PeekHand(line_place(src)) for src in play.slots_with(seat, Trait.SPY)]

    def carry_out(self, play: CardPlay, seat: Seat, action: PeekHand) -> tuple[Addressed, ...]:
        src = _find_slot_with(play, seat, action.src, Trait.SPY, "peek_hand")
        facts = (
            Addressed(Peeked(seat, action.src, "hand"), SEATS),
            play.sides[seat].show_card(src),
            *play.sides[OPPONENT[seat]].show_hand(),
        )
        play.count_ply(removed=False)
        return (*facts, *play.continue_turn(seat))


class PeekAtLine(Power[CardPlay]):
    """The scout looks at the line (CARD "Aufklärer (2)")."""

    action = PeekLine
    trait = Trait.SEER
    about = "peek_line"

    def list_actions(self, play: CardPlay, seat: Seat) -> list[AnyAction]:
        targets = play.sides[OPPONENT[seat]].filled_slots()
        choices = list(combinations(targets, min(_CARDS_SEEN, len(targets))))
        scouts = play.slots_with(seat, Trait.SEER)
        return [PeekLine(line_place(src), line_places(slots)) for src in scouts for slots in choices]

    def carry_out(self, play: CardPlay, seat: Seat, action: PeekLine) -> tuple[Addressed, ...]:
        src = _find_slot_with(play, seat, action.src, Trait.SEER, "peek_line")
        enemy = play.sides[OPPONENT[seat]]
        wanted = min(_CARDS_SEEN, len(enemy.filled_slots()))
        if len(action.slots) != wanted or len(set(action.slots)) != wanted:
            raise IllegalAction("power", reasons.WrongPeek(wanted))
        seen = [_find_slot(enemy, place, reasons.NoEnemyCard) for place in action.slots]
        facts = (
            Addressed(Peeked(seat, action.src, action.slots), SEATS),
            play.sides[seat].show_card(src),
            *(enemy.show_card(slot) for slot in seen),
        )
        play.count_ply(removed=False)
        return (*facts, *play.continue_turn(seat))


class RegroupCards(Power[CardPlay]):
    """Show the flag, shuffle all cards and deploy again, which ends the turn (CARD "Fahne")."""

    action = Regroup
    trait = Trait.FLAG
    about = "regroup"

    def list_actions(self, play: CardPlay, seat: Seat) -> list[AnyAction]:
        return [Regroup(line_place(src)) for src in play.slots_with(seat, Trait.FLAG)]

    def carry_out(self, play: CardPlay, seat: Seat, action: Regroup) -> tuple[Addressed, ...]:
        src = _find_slot_with(play, seat, action.src, Trait.FLAG, "regroup")
        flag = play.sides[seat].show_card(src)
        deck = play.chance.shuffle(seat, play.sides[seat].cards())
        play.count_ply(removed=False)
        play.phase = "setup"
        return (Addressed(Regrouped(seat), SEATS), flag, *play.deal(seat, deck))


# --- laying cards -------------------------------------------------------------------------------------


def _refuse_deployment(reason: reasons.Refusal) -> IllegalAction:
    return IllegalAction("deployment", reason, ending="illegal_setup")


def _refuse_fill(reason: reasons.Refusal) -> IllegalAction:
    return IllegalAction("deployment", reason)


def _find_cards(side: Side, places: Collection[Place], refuse: Callable[[reasons.Refusal], IllegalAction]) -> list[int]:
    """Return the numbers of different cards of the hand.  Raises the error that `refuse` returns."""
    numbers = {place: number for number, place in enumerate(hand_places(range(len(side.hand))))}
    for place in places:
        if place not in numbers:
            raise refuse(reasons.NotInHand(place[:20]))
    if len(set(places)) < len(places):
        raise refuse(reasons.LaidTwice())
    return [numbers[place] for place in places]


class DeployCards(Power[CardPlay]):
    """Lay as many cards as the line takes."""

    phase: Phase = "setup"
    action = Deploy

    def carry_out(self, play: CardPlay, seat: Seat, action: Deploy) -> tuple[Addressed, ...]:
        if action.line is UNSET or action.pieces is not UNSET:
            raise _refuse_deployment(reasons.NoLineGiven())
        side = play.sides[seat]
        wanted = min(len(side.hand), len(side.line))
        if len(action.line) != wanted:
            raise _refuse_deployment(reasons.WrongLine(len(action.line), wanted))
        side.lay(dict(enumerate(_find_cards(side, action.line, _refuse_deployment))))
        return play.finish_deployment(seat)


class FillLine(Power[CardPlay]):
    """Fill as many gaps of the line as the hand can (CARD step 3)."""

    phase: Phase = "refill"
    action = Fill

    def list_actions(self, play: CardPlay, seat: Seat) -> list[AnyAction]:
        side = play.sides[seat]
        count = side.count_fillable()
        return [
            Fill({line_place(slot): hand_place(number) for slot, number in zip(slots, numbers, strict=True)})
            for slots in combinations(side.gaps(), count)
            for numbers in permutations(range(len(side.hand)), count)
        ]

    def carry_out(self, play: CardPlay, seat: Seat, action: Fill) -> tuple[Addressed, ...]:
        side = play.sides[seat]
        count = side.count_fillable()
        if len(action.cards) != count:
            raise _refuse_fill(reasons.WrongFill(len(action.cards), count))
        gaps = {line_place(slot): slot for slot in side.gaps()}
        for slot in action.cards:
            if slot not in gaps:
                raise _refuse_fill(reasons.NotGap(slot[:20]))
        numbers = _find_cards(side, action.cards.values(), _refuse_fill)
        # In slot order: the order that the bot wrote could reveal ranks.
        laid = dict(sorted(zip((gaps[slot] for slot in action.cards), numbers, strict=True)))
        side.lay(laid)
        # A player may reorder the hand at any time, so the opponent does not learn the places of the hand.
        own = Filled(seat, {line_place(slot): hand_place(number) for slot, number in laid.items()})
        public = Filled(seat, {line_place(slot): None for slot in laid})
        return (Addressed(own, (seat,)), Addressed(public, (OPPONENT[seat],)), *play.pass_turn(seat))


DEPLOY: Final = DeployCards()
FILL: Final = FillLine()
ATTACK: Final = AttackWithCard()
PEEK_HAND: Final = PeekAtHand()
PEEK_LINE: Final = PeekAtLine()
REGROUP: Final = RegroupCards()

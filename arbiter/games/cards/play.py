"""One card game in progress: whose turn it is, which actions are legal, and the facts that follow from them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Self

from arbiter.games.base import Addressed, Copied, IllegalAction, Outcome
from arbiter.games.chance import Chance
from arbiter.games.ranks import Rank, Trait
from protocol.reasons import GameOver, NoAttackers, NoAttackersLeft, NoCardRemoved, NotOnTurn, PlyLimit, WrongPhase
from protocol.view import hand_place
from protocol.words import OPPONENT, SEATS, AnyAction, Dealt, Deployed, Drew, Phase, Place, RankId, Revealed, Seat

if TYPE_CHECKING:
    from arbiter.games.cards.ruleset import CardRules


def line_place(slot: int) -> Place:
    return f"line:{slot}"


def line_places(slots: Iterable[int]) -> list[Place]:
    return [line_place(slot) for slot in slots]


def hand_places(numbers: Iterable[int]) -> list[Place]:
    return [hand_place(number) for number in numbers]


class Side(Copied):
    """The cards of a seat; it knows no rule."""

    __slots__ = ("deck", "hand", "line", "seat")

    def __init__(self, seat: Seat, slots: int) -> None:
        self.seat: Seat = seat
        self.deck: list[RankId] = []  # top card first
        self.hand: list[RankId] = []
        self.line: list[RankId | None] = [None] * slots  # None = a gap

    def __repr__(self) -> str:
        return f"{self.seat} line {self.line} hand {self.hand} deck {self.deck}"

    # --- cards ------------------------------------------------------------------------------------

    def cards(self) -> tuple[RankId, ...]:
        """Return all cards that are still in the game."""
        return (*(card for card in self.line if card), *self.hand, *self.deck)

    def filled_slots(self) -> list[int]:
        """List the slots of the line that hold a card."""
        return [slot for slot, card in enumerate(self.line) if card]

    def gaps(self) -> list[int]:
        """List the empty slots of the line."""
        return [slot for slot, card in enumerate(self.line) if not card]

    def count_fillable(self) -> int:
        """Count the gaps that the hand can fill."""
        return min(len(self.gaps()), len(self.hand))

    def deal(self, deck: Sequence[RankId], count: int) -> None:
        """Replace all cards by a deck and deal `count` cards of it into the hand; the line is empty."""
        self.line = [None] * len(self.line)
        self.hand = list(deck[:count])
        self.deck = list(deck[count:])

    def draw(self, full: int) -> list[int]:
        """Draw until the hand has `full` cards or the deck is empty; return the new places of the hand."""
        before = len(self.hand)
        drawn = max(0, full - before)
        self.hand += self.deck[:drawn]
        del self.deck[:drawn]
        return list(range(before, len(self.hand)))

    def lay(self, cards: dict[int, int]) -> None:
        """Lay cards of the hand into the line (slot -> number in the hand); the hand closes up."""
        for slot, number in cards.items():
            self.line[slot] = self.hand[number]
        laid = set(cards.values())
        self.hand = [card for number, card in enumerate(self.hand) if number not in laid]

    # --- facts ------------------------------------------------------------------------------------

    def show_to_owner(self, numbers: Iterable[int]) -> tuple[Addressed, ...]:
        """Reveal cards of the hand to the player who holds them."""
        return tuple(
            Addressed(Revealed(self.seat, hand_place(number), self.hand[number]), (self.seat,)) for number in numbers
        )

    def show_card(self, slot: int) -> Addressed:
        """Reveal a card of the line to the opponent."""
        card = self.line[slot]
        assert card is not None  # noqa: S101 - only cards are shown
        return Addressed(Revealed(self.seat, line_place(slot), card), (OPPONENT[self.seat],))

    def show_hand(self) -> tuple[Addressed, ...]:
        """Reveal the cards of the hand to the opponent, sorted, so that their order reveals nothing."""
        return tuple(
            Addressed(Revealed(self.seat, hand_place(number), card), (OPPONENT[self.seat],))
            for number, card in enumerate(sorted(self.hand))
        )


class CardPlay(Copied):
    """A card game in progress.

    Drawing, the first step of a turn, is done when the turn before it ends.  The last step is phase `refill`.
    """

    __slots__ = (
        "chance",
        "first",
        "opening",
        "outcome",
        "phase",
        "plies",
        "quiet_plies",
        "ruleset",
        "sides",
        "to_act",
    )

    def __init__(self, ruleset: "CardRules", chance: Chance) -> None:
        self.ruleset = ruleset
        self.chance = chance
        self.first: Seat = ruleset.first or chance.draw_first()
        self.sides = {seat: Side(seat, ruleset.line) for seat in SEATS}
        self.to_act: tuple[Seat, ...] = SEATS
        self.phase: Phase = "setup"
        self.outcome: Outcome | None = None
        self.plies = 0
        self.quiet_plies = 0  # plies since a card was removed
        deck = [rank.id for rank in ruleset.ranks for _ in range(ruleset.army.get(rank.id, 0))]
        shuffled = {seat: chance.shuffle(seat, tuple(deck)) for seat in SEATS}
        self.opening = tuple(fact for seat in SEATS for fact in self.deal(seat, shuffled[seat]))

    def __repr__(self) -> str:
        sides = "; ".join(map(repr, self.sides.values()))
        return f"<CardPlay {self.ruleset.name} ply {self.plies} {sides}>"

    # --- actions ----------------------------------------------------------------------------------

    def legal_actions(self, seat: Seat) -> list[AnyAction]:
        """List the legal actions of a seat; empty in the setup phase and when the seat is not to act."""
        if seat not in self.to_act:
            return []
        return [
            action
            for kind in self.ruleset.actions
            if kind.phase == self.phase
            for action in kind.list_actions(self, seat)
        ]

    def act(self, seat: Seat, action: AnyAction) -> tuple[Addressed, ...]:
        """Carry out an action and return the facts that follow from it.

        Raises IllegalAction and then changes nothing.
        """
        if seat not in self.to_act:
            raise IllegalAction("turn", NotOnTurn(seat) if self.to_act else GameOver())
        for kind in self.ruleset.actions:
            if type(action) is kind.action and self.phase == kind.phase:
                return kind.carry_out(self, seat, action)
        raise IllegalAction("turn", WrongPhase(str(action.__struct_config__.tag), self.phase))

    # --- cards ------------------------------------------------------------------------------------

    def rank_in(self, seat: Seat, slot: int) -> Rank:
        """Return the rank of a card in a seat's line."""
        card = self.sides[seat].line[slot]
        assert card is not None  # noqa: S101 - only slots with a card are asked for
        return self.ruleset.rank_of[card]

    def slots_with(self, seat: Seat, trait: Trait) -> list[int]:
        """List the slots of a seat's line that hold a card with a trait."""
        return [slot for slot in self.sides[seat].filled_slots() if self.rank_in(seat, slot).has(trait)]

    def attackers(self, seat: Seat) -> list[int]:
        """List the slots of a seat's line that hold a card that can attack."""
        return [slot for slot in self.sides[seat].filled_slots() if not self.rank_in(seat, slot).has(Trait.IMMOVABLE)]

    def deal(self, seat: Seat, deck: tuple[RankId, ...]) -> tuple[Addressed, ...]:
        """Deal a seat its hand from a shuffled deck; only this seat learns which cards."""
        side = self.sides[seat]
        side.deal(deck, self.ruleset.deal)
        numbers = range(len(side.hand))
        return (Addressed(Dealt(seat, hand_places(numbers)), SEATS), *side.show_to_owner(numbers))

    # --- the course of a game ---------------------------------------------------------------------

    def finish_deployment(self, seat: Seat) -> tuple[Addressed, ...]:
        """Continue after a deployment.  The first two become public together, one after a regroup at once."""
        if self.plies:
            return (self._public_deployment(seat), *self.pass_turn(seat))
        self.to_act = tuple(other for other in self.to_act if other != seat)
        if self.to_act:
            return ()
        self.phase = "turn"
        self.to_act = (self.first,)
        self.end(self._ending_in_turn() or self._ending_before(self.first))
        return tuple(self._public_deployment(seat) for seat in SEATS)

    def _public_deployment(self, seat: Seat) -> Addressed:
        return Addressed(Deployed(seat, line_places(self.sides[seat].filled_slots())), SEATS)

    def count_ply(self, *, removed: bool) -> None:
        """Count a turn, at its first action; `removed` is True if a card was removed."""
        self.plies += 1
        self.quiet_plies = 0 if removed else self.quiet_plies + 1

    def continue_turn(self, seat: Seat) -> tuple[Addressed, ...]:
        """Continue after the main action of a turn: ask the seat to fill its line if it can, else pass the turn."""
        self.end(self.outcome or self._ending_in_turn())
        if self.outcome:
            return ()
        if self.sides[seat].count_fillable():
            self.phase = "refill"
            return ()
        return self.pass_turn(seat)

    def pass_turn(self, seat: Seat) -> tuple[Addressed, ...]:
        """End a seat's turn and begin the next one with its draw; return the facts of the draw."""
        following = OPPONENT[seat]
        side = self.sides[following]
        self.phase = "turn"
        self.to_act = (following,)
        numbers = side.draw(self.ruleset.hand)
        facts: tuple[Addressed, ...] = ()
        if numbers:
            facts = (Addressed(Drew(following, hand_places(numbers)), SEATS), *side.show_to_owner(numbers))
        ending = self._ending_before(following)
        if ending is None and 0 < self.ruleset.no_attack_plies <= self.quiet_plies:
            ending = Outcome(None, "no_attack_limit", NoCardRemoved(self.quiet_plies))
        elif ending is None and 0 < self.ruleset.max_plies <= self.plies:
            ending = Outcome(None, "ply_limit", PlyLimit(self.plies))
        self.end(ending)
        return facts

    # --- endings, in this order: flag, no attackers at all, none in the line, no removal, too many plies ---

    def _ending_in_turn(self) -> Outcome | None:
        """End the game at once if neither player has an attacker left in line, hand or deck."""
        for side in self.sides.values():
            if any(not self.ruleset.rank_of[card].has(Trait.IMMOVABLE) for card in side.cards()):
                return None
        return Outcome(None, "both_immobile", NoAttackersLeft())

    def _ending_before(self, seat: Seat) -> Outcome | None:
        """Let a seat lose that has no attacker in its line when it is to act (CARD "Der Sieger")."""
        if self.attackers(seat):
            return None
        return Outcome(OPPONENT[seat], "no_moves", NoAttackers(seat))

    def end(self, outcome: Outcome | None) -> None:
        """End the game if there is an outcome."""
        if outcome is not None:
            self.outcome = outcome
            self.to_act = ()

    def copy(self) -> Self:
        twin = super().copy()
        twin.sides = {seat: side.copy() for seat, side in self.sides.items()}
        return twin

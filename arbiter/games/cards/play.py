"""One card game in progress: whose turn, what is legal, what an act brings about, who may know."""

from collections.abc import Mapping
from typing import Self

from arbiter.errors import IllegalAction
from arbiter.games.base import Addressed, Chance, Outcome
from arbiter.games.cards.endings import ending_before, ending_in_turn, limit_reached
from arbiter.games.cards.places import hand_places, line_places
from arbiter.games.cards.refill import fillable
from arbiter.games.cards.ruleset import CardRuleset
from arbiter.games.cards.setup import deal
from arbiter.games.cards.side import Side
from arbiter.games.cards.tellings import shown_to_owner
from arbiter.games.fights import FightResult
from protocol.words import OPPONENT, SEATS, AnyAction, Deployed, Drew, Phase, RankId, Seat

Fights = Mapping[tuple[RankId, RankId], FightResult]


class CardPlay:
    """A card game under way.

    A turn's first step, drawing, is done when the turn before it ends; its last is asked for in phase `refill`.
    """

    __slots__ = (
        "acts",
        "chance",
        "fights",
        "first",
        "opening",
        "outcome",
        "phase",
        "plies",
        "quiet_plies",
        "ranks",
        "ruleset",
        "sides",
        "to_act",
    )

    def __init__(self, ruleset: CardRuleset, fights: Fights, chance: Chance) -> None:
        self.ruleset = ruleset
        self.acts = (*ruleset.acts, *ruleset.powers)
        self.fights = fights
        self.chance = chance
        self.ranks = {rank.id: rank for rank in ruleset.ranks}
        self.first: Seat = ruleset.first or chance.first()
        self.sides = {seat: Side(ruleset.line) for seat in SEATS}
        self.to_act: tuple[Seat, ...] = SEATS
        self.phase: Phase = "setup"
        self.outcome: Outcome | None = None
        self.plies = 0
        self.quiet_plies = 0
        decks = {seat: chance.shuffle(seat, ruleset.deck()) for seat in SEATS}
        self.opening = tuple(told for seat in SEATS for told in deal(self, seat, decks[seat]))

    def __repr__(self) -> str:
        sides = "; ".join(f"{seat} {side!r}" for seat, side in self.sides.items())
        return f"<CardPlay {self.ruleset.name} ply {self.plies} {sides}>"

    # --- what may be done -------------------------------------------------------------------------

    def legal(self, seat: Seat) -> list[AnyAction]:
        """List every action the rules allow the seat now; empty in the setup and off turn."""
        if seat not in self.to_act:
            return []
        return [action for act in self.acts if act.phase == self.phase for action in act.actions(self, seat)]

    def act(self, seat: Seat, action: AnyAction) -> tuple[Addressed, ...]:
        """Carry out an action and return what happened.

        Raises IllegalAction and changes nothing.
        """
        if seat not in self.to_act:
            raise IllegalAction("turn", f"it is not {seat}'s turn" if self.to_act else "the game is over")
        for act in self.acts:
            if type(action) is act.action and self.phase == act.phase:
                return act.carry_out(self, seat, action)
        wanted = action.__struct_config__.tag
        raise IllegalAction("turn", f"{wanted!r} is not among the actions of phase {self.phase!r} here")

    # --- how a game goes on -----------------------------------------------------------------------

    def deployed(self, seat: Seat) -> tuple[Addressed, ...]:
        """Go on when a seat's line lies: the first lines are told when both lie, one after a regroup at once."""
        if self.plies:
            return (self._lying(seat), *self.pass_turn(seat))
        self.to_act = tuple(other for other in self.to_act if other != seat)
        return () if self.to_act else self._begin()

    def _begin(self) -> tuple[Addressed, ...]:
        self.phase, self.to_act = "turn", (self.first,)
        self.end(ending_in_turn(self) or ending_before(self, self.first))
        return tuple(self._lying(seat) for seat in SEATS)

    def _lying(self, seat: Seat) -> Addressed:
        return Addressed(Deployed(seat, line_places(self.sides[seat].standing())), SEATS)

    def count_ply(self, *, removed: bool) -> None:
        """Count a turn, at its first act; one that removes a card begins the count of quiet ones anew."""
        self.plies += 1
        self.quiet_plies = 0 if removed else self.quiet_plies + 1

    def go_on(self, seat: Seat) -> tuple[Addressed, ...]:
        """Go on after a turn's main act: ask the seat to fill its line if it can, else pass the turn."""
        self.end(self.outcome or ending_in_turn(self))
        if self.outcome:
            return ()
        if fillable(self.sides[seat]):
            self.phase = "refill"
            return ()
        return self.pass_turn(seat)

    def pass_turn(self, seat: Seat) -> tuple[Addressed, ...]:
        """End a seat's turn and begin the next one, which draws; return what is told of that."""
        following = OPPONENT[seat]
        self.phase, self.to_act = "turn", (following,)
        facts = self._draw(following)
        self.end(ending_before(self, following) or limit_reached(self))
        return facts

    def _draw(self, seat: Seat) -> tuple[Addressed, ...]:
        side = self.sides[seat]
        numbers = side.draw(self.ruleset.hand)
        if not numbers:
            return ()
        return (Addressed(Drew(seat, hand_places(numbers)), SEATS), *shown_to_owner(side, seat, numbers))

    def end(self, outcome: Outcome | None) -> None:
        """End the game, if this is how it ended."""
        if outcome is not None:
            self.outcome = outcome
            self.to_act = ()

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        for name in CardPlay.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.chance = self.chance.copy()
        twin.sides = {seat: side.copy() for seat, side in self.sides.items()}
        return twin

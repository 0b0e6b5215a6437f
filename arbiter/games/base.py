"""The interface between the rules of any game and the referee: endings, facts and a game in progress."""

from collections.abc import Sequence
from typing import Literal, Protocol, Self, get_args

from msgspec import Struct

from arbiter.languages.sentences import write_reason
from protocol.reasons import Refusal, RuleEnd
from protocol.words import AnyAction, AnyFact, Phase, Seat

Rule = Literal["two_squares", "more_squares", "movement", "immovable", "deployment", "turn", "power"]
IllegalEnding = Literal["illegal_action", "immovable_moved", "illegal_setup"]

ForfeitInGame = Literal[
    "illegal_action",
    "immovable_moved",
    "illegal_setup",
    "protocol",
    "timeout",
    "lost_connection",
    "crash",
    "no_start",
    "killed",
]
"""Endings that the referee itself gives to a game which a bot loses because of its own fault."""
Forfeit = Literal[ForfeitInGame, "walkover", "disqualified"]
"""Endings of games that a bot loses because of its own fault."""
Ending = Literal[
    "flag_taken",
    "no_pieces",
    "no_moves",
    "both_immobile",
    "no_attack_limit",
    "ply_limit",
    "agreed",
    "resigned",
    Forfeit,
    "void",
    "ruling",
    "double_loss",
    "annulled",
]
"""Nobody stores a voided game.  The endings after it, and `disqualified`, come from rulings of the organiser."""
FORFEITS: frozenset[Ending] = frozenset(get_args(Forfeit))
WON_ON_BOARD: frozenset[Ending] = frozenset({"flag_taken", "no_pieces", "no_moves"})
"""A player has won because the opponent cannot play on."""


class IllegalAction(Exception):
    """The rules do not allow an action; nothing has changed.

    Its reason is for the player that sent the action and may name that player's own pieces; its text is English.
    """

    def __init__(
        self, rule: Rule, reason: Refusal, *, ending: IllegalEnding = "illegal_action", final: bool = False
    ) -> None:
        super().__init__(rule, reason)
        self.rule: Rule = rule
        """The rule that refuses the action."""
        self.reason = reason
        self.ending: IllegalEnding = ending
        """The ending if the action loses the game."""
        self.final = final
        """True if the action loses even if the settings allow another try."""

    def __str__(self) -> str:
        return write_reason(self.reason)


class Addressed(Struct, frozen=True, gc=False):
    """A fact and the seats that may know it."""

    fact: AnyFact
    to: tuple[Seat, ...]


def visible_to(seat: Seat, facts: Sequence[Addressed]) -> list[AnyFact]:
    """Return the facts that a seat may know.  This is the only filter for hidden information."""
    if len(facts) == 1:  # a move; this takes half the time
        only = facts[0]
        return [only.fact] if seat in only.to else []
    return [one.fact for one in facts if seat in one.to]


class Outcome(Struct, frozen=True):
    """The result of a finished game."""

    winner: Seat | None
    """None for a draw."""
    ending: Ending
    reason: RuleEnd


class Copied:
    """A part of a game in progress.  A subclass names all its attributes in `__slots__`."""

    __slots__: tuple[str, ...] = ()

    def copy(self) -> Self:
        """Return an independent copy, e.g. for a search; values without a method `copy` are shared."""
        twin = type(self).__new__(type(self))
        for name in self.__slots__:
            value = getattr(self, name)
            copy = getattr(value, "copy", None)
            setattr(twin, name, copy() if copy else value)
        return twin


class Play(Protocol):
    """One game in progress: mutable, with full information."""

    to_act: tuple[Seat, ...]
    """Both seats in the setup phase, then one seat (the same again in phase rage, rescue or refill), then none."""
    phase: Phase
    outcome: Outcome | None
    plies: int
    first: Seat
    """The seat that moves first."""
    opening: tuple[Addressed, ...]
    """Facts from before the first action, such as a dealt hand."""

    def legal_actions(self, seat: Seat) -> list[AnyAction]:
        """List the legal actions of a seat; empty in the setup phase and when the seat is not to act."""

    def act(self, seat: Seat, action: AnyAction) -> tuple[Addressed, ...]:
        """Carry out an action and return the facts that follow from it.

        Raises IllegalAction and then changes nothing.
        """

    def copy(self) -> Self:
        """Return an independent copy, e.g. for a search."""

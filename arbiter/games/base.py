"""What every game offers the referee: who is to act, is this legal, what happened, who may know."""

from collections.abc import Iterable
from typing import Literal, Protocol, Self

from msgspec import Struct

from protocol.messages import Rules
from protocol.words import AnyAction, AnyFact, Phase, RankId, Seat

Ending = Literal[
    "flag_taken",
    "no_pieces",
    "no_moves",
    "both_immobile",
    "no_attack_limit",
    "ply_limit",
    "agreed",
    "resigned",
    "illegal_action",
    "immovable_moved",
    "illegal_setup",
    "protocol",
    "timeout",
    "crash",
    "no_start",
    "walkover",
    "void",
]
FORFEITS: frozenset[Ending] = frozenset(
    {"illegal_action", "immovable_moved", "illegal_setup", "protocol", "timeout", "crash", "no_start", "walkover"}
)


class Addressed(Struct, frozen=True):
    """A fact and who is told of it."""

    fact: AnyFact
    to: tuple[Seat, ...]


def visible_to(seat: Seat, told: Iterable[Addressed]) -> list[AnyFact]:
    """Return the facts a seat is told: the one place where hidden information is hidden."""
    return [one.fact for one in told if seat in one.to]


class Outcome(Struct, frozen=True):
    """How a game ended, apart from who won; `winner` is None for a draw.  `why` names no hidden rank."""

    winner: Seat | None
    ending: Ending
    why: str


class Chance(Protocol):
    """Where a game's luck comes from: a seed, or a record of what luck once gave."""

    def first(self) -> Seat:
        """Draw who begins."""
        ...

    def shuffle(self, seat: Seat, cards: tuple[RankId, ...]) -> tuple[RankId, ...]:
        """Shuffle a seat's deck, top card first."""
        ...

    def copy(self) -> "Chance":
        """Return an independent copy, so that the luck of a play's copy does not change the play's."""
        ...


class Play(Protocol):
    """One game in progress: everything known, mutable.

    `to_act` names both seats during the setup, one in play (the same again within rage, rescue or
    refill), none when the game is over.  `opening` holds what was told before the first act.
    """

    to_act: tuple[Seat, ...]
    phase: Phase
    outcome: Outcome | None
    plies: int
    first: Seat
    opening: tuple[Addressed, ...]

    def legal(self, seat: Seat) -> list[AnyAction]:
        """List every action the rules allow the seat now; empty in the setup and off turn."""
        ...

    def act(self, seat: Seat, action: AnyAction) -> tuple[Addressed, ...]:
        """Carry out an action and return what happened.

        Raises IllegalAction and changes nothing.
        """
        ...

    def copy(self) -> Self:
        """Return an independent copy, for analysis that searches."""
        ...


class Game(Protocol):
    """A rule set with its options and limits, immutable."""

    @property
    def name(self) -> str:
        """The rule set's id."""
        ...

    def start(self, chance: Chance) -> Play:
        """Begin a game."""
        ...

    def terms(self, first: Seat) -> Rules:
        """Describe the rules as a bot is told them in `start`."""
        ...

"""The knowledge of one player as a game to be completed: the parts that board games and card games have in common."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Protocol

from msgspec import Struct

from arbiter.games.base import Addressed
from arbiter.games.contest import Contest
from protocol.view import Knowledge
from protocol.words import AnyAction, AnyFact, Place, RankId, Seat

Weights = Mapping[Place, Mapping[RankId, float]]
"""For squares or places of cards: the weight of each rank; ranks without one are nearly impossible there."""


class FalseFacts(ValueError):
    """Facts that cannot all be true in one game."""


class KnownAct(Struct, frozen=True):
    """An act with its facts."""

    seat: Seat
    action: AnyAction
    facts: tuple[Addressed, ...]
    offers: bool = False
    """True if a draw was offered."""


class Sampled(Struct, frozen=True):
    """A game with drawn ranks."""

    contest: Contest
    actions: Callable[[], Mapping[int, AnyAction]] | None = None
    """Returns the actions with drawn ranks, by the numbers of their acts."""
    position: str | None = None
    """The position from which it began, if the players did not deploy."""
    knowledge: Callable[[Seat], Knowledge] | None = None
    """Returns what a seat knows, if it does not follow from the acts."""


class Belief(Protocol):
    """The knowledge of one seat as a game to be completed."""

    acts: list[KnownAct]
    """The acts so far, with stand-ins for what is hidden; none in games that cannot be repeated."""

    def note_action(self, action: AnyAction) -> None:
        """Note an action of this seat, before the facts that follow from it."""

    def note_facts(self, facts: Sequence[AnyFact]) -> None:
        """Note the facts that the seat received up to a question.  Raises FalseFacts."""

    def sample(self, rng: Random, weights: Weights | None = None) -> Sampled:
        """Draw what is hidden.  Raises FalseFacts if nothing agrees with the facts."""

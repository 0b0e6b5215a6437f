"""The rules of a card game, as an immutable value."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.base import Chance
from arbiter.games.cards.play import CardPlay
from arbiter.games.fights import FightResult, decide, show_both
from arbiter.games.ranks import Rank, Trait
from arbiter.games.ruleset import Overrides, RuleSet
from protocol.messages import Rules
from protocol.words import AnyAction, Phase, RankId, Seat

if TYPE_CHECKING:
    from arbiter.games.base import Addressed


class CardAction(Struct, frozen=True):
    """An action that a player may take."""

    phase: Phase
    """The phase in which the action is possible."""
    action: type[AnyAction]
    list_actions: Callable[[CardPlay, Seat], Sequence[AnyAction]]
    carry_out: Callable[[CardPlay, Seat, Any], "tuple[Addressed, ...]"]
    """Raises IllegalAction and then changes nothing."""
    about: str = ""
    """Description for people."""


class CardRules(RuleSet, frozen=True, kw_only=True, dict=True):
    """The rules of one card game."""

    basic_actions: tuple[CardAction, ...]
    """Actions that do not depend on a trait."""
    powers: tuple[CardAction, ...] = ()
    """Actions that require a card with some trait."""
    line: int = 5
    """Slots of the line."""
    hand: int = 3
    """Cards to which the hand is filled at the start of a turn."""
    deal: int = 8
    """Cards dealt into the hand before a deployment."""
    no_attack_plies: int = 50

    @cached_property
    def actions(self) -> tuple[CardAction, ...]:
        """All actions."""
        return (*self.basic_actions, *self.powers)

    @cached_property
    def rank_of(self) -> Mapping[RankId, Rank]:
        """The rank of each identifier."""
        return {rank.id: rank for rank in self.ranks}

    @cached_property
    def fight_results(self) -> Mapping[tuple[RankId, RankId], FightResult]:
        """The result for each attacker and defender."""
        return {
            (attacker.id, defender.id): decide(self.fights, show_both, attacker, defender).result
            for attacker in self.ranks
            if not attacker.has(Trait.IMMOVABLE)
            for defender in self.ranks
        }

    def with_overrides(self, overrides: Overrides) -> Self:
        for rule in ("two_squares", "more_squares"):
            if getattr(overrides, rule) is not UNSET:
                raise ConfigError(f"{rule}: {self.name} has no squares and therefore no such rule; leave it out")
        changed = super().with_overrides(overrides)
        if not any(rank.has(Trait.FLAG) for rank in changed.ranks if rank.id in changed.army):
            # A player who has lost all cards but has no flag would still have to be attacked.
            raise ConfigError(f"army: {self.name} needs a flag; set it to 1 or more")
        return changed

    def at_position(self, position: str) -> Self:  # noqa: ARG002 - cards have no positions
        raise ConfigError(
            f"position: {self.name} is dealt from shuffled decks and cannot start from a position; leave it out"
        )

    def start(self, chance: Chance) -> CardPlay:
        return CardPlay(self, chance)

    def describe(self, first: Seat) -> Rules:
        return replace(super().describe(first), line=self.line, hand=self.hand, deal=self.deal)

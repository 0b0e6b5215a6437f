"""The rules of a card game, as an immutable value."""

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, Final, Self

from msgspec import UNSET
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.cards.actions import ATTACK, DEPLOY, FILL, PEEK_HAND, PEEK_LINE, REGROUP
from arbiter.games.cards.play import CardPlay
from arbiter.games.chance import Chance
from arbiter.games.fights import FightResult, decide
from arbiter.games.ranks import CLASSIC, SCOUT, Rank, Trait
from arbiter.games.ruleset import Overrides, Power, RuleSet
from protocol.messages import Rules
from protocol.words import RankId, Seat


class CardRules(RuleSet, frozen=True, kw_only=True, dict=True):
    """The rules of one card game."""

    powers: tuple[Power[CardPlay], ...] = ()
    """Actions that require a card with some trait."""
    line: int = 5
    """Slots of the line."""
    hand: int = 3
    """Cards to which the hand is filled at the start of a turn."""
    deal: int = 8
    """Cards dealt into the hand before a deployment."""
    no_attack_plies: int = 50
    is_dealt: ClassVar[bool] = True

    @cached_property
    def actions(self) -> tuple[Power[CardPlay], ...]:
        """All actions: those of every card game, and those that require a card with some trait."""
        return (DEPLOY, ATTACK, FILL, *self.powers)

    @cached_property
    def rank_of(self) -> Mapping[RankId, Rank]:
        """The rank of each identifier."""
        return {rank.id: rank for rank in self.ranks}

    @cached_property
    def fight_results(self) -> Mapping[tuple[RankId, RankId], FightResult]:
        """The result for each attacker and defender."""
        return {
            (attacker.id, defender.id): decide(self.fights, attacker, defender)
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
            # Without a flag a line could be empty, and nothing would be left to attack.
            raise ConfigError(f"army: {self.name} needs a flag; set it to 1 or more")
        return changed

    def at_position(self, position: str) -> Self:
        raise ConfigError(
            f"position: {self.name} is dealt from shuffled decks and cannot start from a position; leave it out"
        )

    def start(self, chance: Chance) -> CardPlay:
        return CardPlay(self, chance)

    def describe(self, first: Seat) -> Rules:
        return replace(super().describe(first), line=self.line, hand=self.hand, deal=self.deal)


# The scout of the card game does not run, it looks.
LOOKING_SCOUT: Final = replace(SCOUT, traits=frozenset({Trait.SEER}))

CARD_GAME: Final = CardRules(
    name="card-game",
    title="Stratego Card Game",
    army={
        "marshal": 1,
        "general": 1,
        "colonel": 1,
        "major": 1,
        "captain": 2,
        "lieutenant": 2,
        "sergeant": 2,
        "miner": 4,
        "scout": 4,
        "spy": 1,
        "bomb": 3,
        "flag": 1,
    },
    ranks=tuple(LOOKING_SCOUT if rank is SCOUT else rank for rank in CLASSIC),
    powers=(PEEK_HAND, PEEK_LINE, REGROUP),
    rulings=("card_army", "card_fill", "card_look", "card_empty"),
)

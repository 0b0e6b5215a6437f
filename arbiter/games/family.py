"""What a family of games gives the catalogue: its rule sets as values, and how one is changed and played."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from arbiter.games.base import Game
from arbiter.games.overrides import Overrides
from arbiter.games.ranks import Rank
from protocol.messages import RankNumber, Rules
from protocol.words import RankId, Seat


class RuleSet(Protocol):
    """What a rule set of any family says of itself; the rest is its family's own."""

    @property
    def name(self) -> str:
        """Its id."""
        ...

    @property
    def title(self) -> str:
        """What people call it."""
        ...

    @property
    def source(self) -> str:
        """Where its rules stand."""
        ...

    @property
    def army(self) -> Mapping[RankId, int]:
        """How many of each rank a side has."""
        ...

    @property
    def ranks(self) -> tuple[Rank, ...]:
        """Its ranks, the highest first."""
        ...

    @property
    def first(self) -> Seat | None:
        """Who begins; None where the lot decides."""
        ...

    @property
    def offers(self) -> Mapping[str, Callable[[Any], Any]]:
        """The options it knows, each a function from rule set to rule set."""
        ...

    @property
    def options(self) -> tuple[str, ...]:
        """The options in force."""
        ...

    @property
    def powers(self) -> Sequence[Any]:
        """What a player may do beside moving or attacking, each with the `action` that it is on the wire."""
        ...

    @property
    def figures(self) -> Mapping[Seat, Mapping[RankId, str]]:
        """Names that an edition prints of its own, per seat."""
        ...

    @property
    def no_attack_plies(self) -> int:
        """After how many quiet plies the arbiter draws the game (0 = never)."""
        ...

    @property
    def max_plies(self) -> int:
        """After how many plies the arbiter draws the game (0 = never)."""
        ...

    @property
    def rulings(self) -> tuple[str, ...]:
        """What must be said of it."""
        ...


class Family(Struct, frozen=True):
    """How the rule sets of one type are changed and played.

    `override` and `with_position` raise ConfigError where a change makes no sense for the rule set.
    """

    override: Callable[[Any, Overrides], Any]
    with_position: Callable[[Any, str], Any]
    game: Callable[[Any], Game]


def terms(ruleset: RuleSet, first: Seat) -> Rules:
    """Describe what rule sets of every family have, as a bot is told it in `start`."""
    return Rules(
        id=ruleset.name,
        options=list(ruleset.options),
        army=dict(ruleset.army),
        first=first,
        no_attack_plies=ruleset.no_attack_plies,
        max_plies=ruleset.max_plies,
        ranks=[RankNumber(rank.id, rank.number) for rank in ruleset.ranks],
    )

"""The base of every rule set: an immutable value that can be changed by options and overrides, and started."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from arbiter.errors import ConfigError, check_known
from arbiter.games.base import Addressed, Play
from arbiter.games.chance import Chance
from arbiter.games.fights import CLASSIC_FIGHTS, FightRule
from arbiter.games.ranks import Rank
from protocol.messages import RankNumber, Rules
from protocol.words import AnyAction, MoreSquares, Phase, RankId, Seat

AnyPlay = TypeVar("AnyPlay", bound=Play)
Count = Annotated[int, Meta(ge=0, le=1_000_000)]


class Overrides(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A tournament's changes to a rule set."""

    army: dict[str, Count] | UnsetType = UNSET
    """Pieces of each rank; the other ranks keep their number."""
    two_squares: Count | UnsetType = UNSET
    """Turns; 0 = off."""
    more_squares: MoreSquares | UnsetType = UNSET
    no_attack_plies: Count | UnsetType = UNSET
    """0 = off."""
    max_plies: Count | UnsetType = UNSET
    """0 = off."""


NO_OVERRIDES = Overrides()


class Power(Generic[AnyPlay]):
    """An action that only some rule sets have, or only with some pieces or cards."""

    phase: Phase = "turn"
    """The phase in which the action is possible."""
    action: type[AnyAction]
    trait: str | None = None
    """The trait of the pieces or cards that have it; None if it depends on something else."""
    about: str = ""
    """Its description in the language files has the key `power_` and this; empty if that of another includes it."""

    def list_actions(self, play: AnyPlay, seat: Seat) -> Sequence[AnyAction]:
        """List the possible actions of the seat."""
        return ()

    def list_all(self, ruleset: Any) -> Sequence[AnyAction]:  # noqa: ANN401 - the rule set of the game
        """List all actions that red could ever have by this power, besides moves.

        Their order numbers them for learning, so it must not change.
        """
        return ()

    def carry_out(self, play: AnyPlay, seat: Seat, action: Any) -> tuple[Addressed, ...]:  # noqa: ANN401 - any action
        """Carry out an action and return the facts that follow from it.

        It ends the turn, or leaves it open for another question to the same seat.
        Raises IllegalAction and then changes nothing.
        """
        raise NotImplementedError


class RuleSet(Struct, frozen=True, kw_only=True, dict=True):
    """The rules of one game.  `dict=True` lets subclasses cache what they compute from the fields."""

    name: str
    """Identifier, as in `rules = "original"`."""
    title: str
    """English title."""
    army: Mapping[RankId, int]
    """Pieces or cards of each rank on each side."""
    ranks: tuple[Rank, ...]
    """Highest rank first."""
    first: Seat | None = "red"
    """The seat that moves first; None = drawn at random."""
    no_attack_plies: int = 200
    """Plies without an attack (cards: without a removed card) until a draw, the arbiter's own limit; 0 = off."""
    max_plies: int = 4000
    """Plies until a draw, the arbiter's own limit; 0 = off."""
    fights: tuple[FightRule, ...] = CLASSIC_FIGHTS
    powers: tuple[Power[Any], ...] = ()
    offers: Mapping[str, Callable[[Any], Any]] = {}
    """The available options: functions from rule set to rule set."""
    options: tuple[str, ...] = ()
    """The options in force."""
    figures: Mapping[Seat, Mapping[RankId, str]] = {}
    """Names of pieces that an edition prints, for each seat."""
    edition: str = ""
    """The rule set by whose edition the ranks are named; empty for its own."""
    rulings: tuple[str, ...] = ()
    """Questions that only this book leaves open; the rulings in the language files have these keys after `ruling_`."""

    is_dealt: ClassVar[bool] = False
    """True if random choices decide which hidden pieces or cards a player has."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a rule set by its name and what was changed, because its rules are functions."""
        from arbiter.games.catalogue import find_game  # noqa: PLC0415 - it imports all rule sets

        settings = {name: getattr(self, name, UNSET) for name in Overrides.__struct_fields__ if name != "army"}
        army = {str(rank.id): self.army.get(rank.id, 0) for rank in self.ranks}
        return find_game, (self.name, self.options, Overrides(army=army, **settings), self.write_start(), self.first)

    def with_options(self, options: Iterable[str]) -> Self:
        """Apply options in the order of `offers`, whatever order they are given in.  Raises ConfigError."""
        chosen = list(options)
        for option in chosen:
            check_known(f"option of {self.name}", option, self.offers)
            if chosen.count(option) > 1:
                raise ConfigError(f"option {option!r} is listed twice; remove one of them")
        ruleset = self
        for option, change in self.offers.items():
            if option in chosen:
                ruleset = replace(change(ruleset), options=(*ruleset.options, option))
        return ruleset

    def with_overrides(self, overrides: Overrides) -> Self:
        """Apply a tournament's overrides.  Raises ConfigError if one makes no sense for this rule set."""
        changes: dict[str, Any] = {
            field: value
            for field in Overrides.__struct_fields__
            if (value := getattr(overrides, field)) is not UNSET and field != "army"
        }
        if overrides.army is not UNSET:
            known = [rank.id for rank in self.ranks]
            for rank_id in overrides.army:
                if rank_id not in known:
                    raise ConfigError(f"army: {self.name} has no rank {rank_id!r}; it has {', '.join(known)}")
            counts = {rank_id: overrides.army.get(rank_id, self.army.get(rank_id, 0)) for rank_id in known}
            changes["army"] = {rank_id: count for rank_id, count in counts.items() if count}
        return replace(self, **changes)

    def at_position(self, position: str) -> Self:
        """Start from a position, given as letters or as rows, instead of deployments.  Raises ConfigError."""
        raise NotImplementedError

    def write_start(self) -> str | None:
        """Write the starting position as letters and the seat that moves first; None = both players deploy."""
        return None

    def start(self, chance: Chance) -> Play:
        """Begin a game."""
        raise NotImplementedError

    def describe(self, first: Seat) -> Rules:
        """Describe the rules for a bot, as in the message `start`."""
        return Rules(
            id=self.name,
            options=list(self.options),
            army=dict(self.army),
            first=first,
            no_attack_plies=self.no_attack_plies,
            max_plies=self.max_plies,
            ranks=[RankNumber(rank.id, rank.number) for rank in self.ranks],
        )

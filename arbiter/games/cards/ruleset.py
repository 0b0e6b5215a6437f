"""A rule set of the card family, as a frozen value."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.fights import CLASSIC_FIGHTS, FightRule
from arbiter.games.overrides import Overrides
from arbiter.games.ranks import Rank, Trait
from protocol.words import AnyAction, Phase, RankId, Seat

if TYPE_CHECKING:
    from arbiter.games.base import Addressed
    from arbiter.games.cards.play import CardPlay


class CardAct(Struct, frozen=True):
    """Something a player may do: in which phase, which actions, what they bring about.

    `carry_out` raises IllegalAction and changes nothing.
    """

    phase: Phase
    action: type[AnyAction]
    actions: Callable[["CardPlay", Seat], Sequence[AnyAction]]
    carry_out: Callable[["CardPlay", Seat, Any], "tuple[Addressed, ...]"]
    about: str = ""


class CardRuleset(Struct, frozen=True, kw_only=True):
    """Army, fights, sizes, acts and limits of one card game.

    `acts` are what everybody can do, `powers` what takes a card of some trait; `line`, `hand` and `deal`
    count cards; `no_attack_plies` (turns without a card removed) and `max_plies` are draw limits of the
    arbiter's own (0 = off); `rulings` are for people.
    """

    name: str
    title: str
    source: str
    army: Mapping[RankId, int]
    ranks: tuple[Rank, ...]
    acts: tuple[CardAct, ...]
    powers: tuple[CardAct, ...] = ()
    line: int = 5
    hand: int = 3
    deal: int = 8
    first: Seat | None = "red"
    no_attack_plies: int = 50
    max_plies: int = 4000
    fights: tuple[FightRule, ...] = CLASSIC_FIGHTS
    offers: Mapping[str, Callable[["CardRuleset"], "CardRuleset"]] = {}
    options: tuple[str, ...] = ()
    figures: Mapping[Seat, Mapping[RankId, str]] = {}
    rulings: tuple[str, ...] = ()

    def deck(self) -> tuple[RankId, ...]:
        """List the cards of a side, not yet shuffled."""
        return tuple(rank.id for rank in self.ranks for _ in range(self.army.get(rank.id, 0)))


def override(ruleset: CardRuleset, overrides: Overrides) -> CardRuleset:
    """Apply a tournament's overrides.  Raises ConfigError."""
    for rule in ("two_squares", "more_squares"):
        if getattr(overrides, rule) is not UNSET:
            raise ConfigError(f"{rule}: {ruleset.name} has no squares, so it knows no such rule; leave it out")
    changes: dict[str, Any] = {
        field: value for field in ("no_attack_plies", "max_plies") if (value := getattr(overrides, field)) is not UNSET
    }
    if overrides.army is not UNSET:
        changes["army"] = _changed_army(ruleset, overrides.army)
    return replace(ruleset, **changes)


def _changed_army(ruleset: CardRuleset, counts: Mapping[str, int]) -> Mapping[RankId, int]:
    known = [rank.id for rank in ruleset.ranks]
    for rank_id in counts:
        if rank_id not in known:
            raise ConfigError(f"army: {ruleset.name} has no rank {rank_id!r}; it has {', '.join(known)}")
    changed: dict[str, int] = {rank_id: ruleset.army.get(rank_id, 0) for rank_id in known} | dict(counts)
    army: dict[RankId, int] = {rank_id: changed[rank_id] for rank_id in known if changed[rank_id]}
    if not any(rank.has(Trait.FLAG) for rank in ruleset.ranks if rank.id in army):
        # Who has lost all cards but holds no flag would still have to be attacked.
        raise ConfigError(f"army: {ruleset.name} needs a flag; set it to 1 or more")
    return army


def with_position(ruleset: CardRuleset, position: str) -> CardRuleset:
    """Refuse a position to start from.  Raises ConfigError."""
    raise ConfigError(
        f"position: {ruleset.name} is dealt from shuffled decks and starts from no position; leave it out"
    )

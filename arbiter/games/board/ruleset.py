"""A rule set of the board family, as a frozen value."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.board.diagram import PlacedPiece
from arbiter.games.board.geometry import CLASSIC_BOARD, Geometry
from arbiter.games.fights import CLASSIC_FIGHTS, DisclosureRule, FightRule, show_both
from arbiter.games.overrides import Overrides
from arbiter.games.ranks import Rank
from protocol.words import AnyAction, MoreSquares, Phase, RankId, Seat

if TYPE_CHECKING:
    from arbiter.games.base import Addressed
    from arbiter.games.board.play import BoardPlay
    from arbiter.games.board.turn import TurnState

DEPLOYMENT_ROWS = 4


class Power(Struct, frozen=True):
    """Something a player may do beside moving: in which phase, which actions, what they bring about.

    `carry_out` raises IllegalAction and changes nothing; it ends the turn or leaves it open for another question.
    `about` tells people of it; a part of another power needs none.
    """

    phase: Phase
    action: type[AnyAction]
    actions: Callable[["BoardPlay", Seat], Sequence[AnyAction]]
    carry_out: Callable[["BoardPlay", Seat, Any], "tuple[Addressed, ...]"]
    about: str = ""


class FollowUp(Struct, frozen=True):
    """A further question to the same seat within its turn: in which phase, and after which moves it is asked.

    `unsettled` puts it while the move still goes on, before the repetition rules take note of it.
    """

    phase: Phase
    when: Callable[["BoardPlay", "TurnState"], bool]
    unsettled: bool = False


class Ruleset(Struct, frozen=True, kw_only=True):
    """Board, army, fights, limits and powers of one game.

    `two_squares` is the limit of the two-squares rule in turns (0 = off); `no_attack_plies` and
    `max_plies` are draw limits of the arbiter's own (0 = off); `first` is None where the lot decides;
    `immovable_loses` makes moving a bomb or flag lose at once; `options` are the options in force;
    `figures` are names of pieces that an edition prints of its own, per seat.
    """

    name: str
    title: str
    source: str
    army: Mapping[RankId, int]
    ranks: tuple[Rank, ...]
    board: Geometry = CLASSIC_BOARD
    two_squares: int = 3
    more_squares: MoreSquares = "chase"
    immovable_loses: bool = True
    first: Seat | None = "red"
    no_attack_plies: int = 200
    max_plies: int = 4000
    fights: tuple[FightRule, ...] = CLASSIC_FIGHTS
    disclosure: DisclosureRule = show_both
    powers: tuple[Power, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    offers: Mapping[str, Callable[["Ruleset"], "Ruleset"]] = {}
    options: tuple[str, ...] = ()
    position: tuple[PlacedPiece, ...] | None = None
    figures: Mapping[Seat, Mapping[RankId, str]] = {}
    rulings: tuple[str, ...] = ()

    def deployment(self, seat: Seat) -> tuple[int, ...]:
        """List the squares on which a seat deploys, in board order."""
        depth = DEPLOYMENT_ROWS * self.board.files
        squares = range(depth) if seat == "red" else range(self.board.size - depth, self.board.size)
        return tuple(squares)

    def rank(self, rank_id: str) -> Rank:
        """Find one of the rule set's ranks.  Raises KeyError."""
        for rank in self.ranks:
            if rank.id == rank_id:
                return rank
        raise KeyError(rank_id)


def override(ruleset: Ruleset, overrides: Overrides) -> Ruleset:
    """Apply a tournament's overrides.  Raises ConfigError."""
    changes: dict[str, Any] = {
        field: value
        for field in ("two_squares", "more_squares", "no_attack_plies", "max_plies")
        if (value := getattr(overrides, field)) is not UNSET
    }
    if overrides.army is not UNSET:
        changes["army"] = _changed_army(ruleset, overrides.army)
    return replace(ruleset, **changes)


def _changed_army(ruleset: Ruleset, counts: Mapping[str, int]) -> Mapping[RankId, int]:
    known = [rank.id for rank in ruleset.ranks]
    for rank_id in counts:
        if rank_id not in known:
            raise ConfigError(f"army: {ruleset.name} has no rank {rank_id!r}; it has {', '.join(known)}")
    changed: dict[str, int] = {rank.id: ruleset.army.get(rank.id, 0) for rank in ruleset.ranks} | dict(counts)
    army: dict[RankId, int] = {rank_id: changed[rank_id] for rank_id in known if changed[rank_id]}
    room = len(ruleset.deployment("red"))
    if sum(army.values()) > room:
        raise ConfigError(f"army: {sum(army.values())} pieces do not fit on {room} squares")
    if not army:
        raise ConfigError("army: no piece is left")
    return army

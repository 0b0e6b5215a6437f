"""Infiltration: deep in enemy land, name the rank of a piece near by; if it is right, that piece leaves.

The infiltrator is known afterwards; a piece that was guessed wrong stays hidden (J2011-D "Infiltrator").
"""

from typing import TYPE_CHECKING, Final, cast

from arbiter.games.base import Addressed
from arbiter.games.board.paths import BOTH
from arbiter.games.board.powers.aims import aims, check_aim, over_land_within_two, refused
from arbiter.games.board.ruleset import Power
from arbiter.games.ranks import Trait
from protocol.words import OPPONENT, AnyAction, Guessed, Infiltrate, RankId, Removed, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay


def _actions(play: "BoardPlay", seat: Seat) -> list[AnyAction]:
    names = play.tables.ruleset.board.names
    return [
        Infiltrate(names[src], names[dst], rank.id)
        for src, dst in aims(play, seat, Trait.INFILTRATOR, over_land_within_two)
        if _is_deep(play, seat, src) and _is_clear(play, src, dst)
        for rank in play.tables.ruleset.ranks
    ]


def _infiltrate(play: "BoardPlay", seat: Seat, action: Infiltrate) -> tuple[Addressed, ...]:
    src, dst = check_aim(play, seat, (action.src, action.dst), Trait.INFILTRATOR, over_land_within_two)
    if not _is_deep(play, seat, src):
        raise refused(f"an infiltrator must stand on the opponent's deployment rows; {action.src} is not there")
    if not _is_clear(play, src, dst):
        raise refused(f"there is a piece between {action.src} and {action.dst}")
    if action.rank not in play.tables.index:
        raise refused(f"{play.tables.ruleset.name} has no rank {action.rank[:20]!a}")
    return _guess(play, seat, action, (src, dst))


def _guess(play: "BoardPlay", seat: Seat, action: Infiltrate, squares: tuple[int, int]) -> tuple[Addressed, ...]:
    (src, dst), foe = squares, OPPONENT[seat]
    rank = cast("RankId", action.rank)
    right = play.rank_id(play.board[dst]) == rank
    facts = [Addressed(Guessed(seat, action.src, action.dst, rank, right), BOTH), play.reveal(seat, src)]
    if right:
        facts += [play.reveal(foe, dst), Addressed(Removed(foe, action.dst), BOTH)]
        if play.tables.ruleset.rank(rank).has(Trait.FLAG):
            play.take_flag(seat, action.dst)
        play.capture(foe, dst)
    play.spend_turn(seat, attacks=True, captures=right)
    return tuple(facts)


def _is_deep(play: "BoardPlay", seat: Seat, src: int) -> bool:
    return src in play.tables.ruleset.deployment(OPPONENT[seat])


def _is_clear(play: "BoardPlay", src: int, dst: int) -> bool:
    return not play.tables.ruleset.board.between[src, dst] & (play.own[0] | play.own[1])


INFILTRATION: Final = Power(
    "turn",
    Infiltrate,
    _actions,
    _infiltrate,
    "infiltration: on the opponent's deployment rows, name the rank of a piece one or two squares away; right, and it leaves",
)

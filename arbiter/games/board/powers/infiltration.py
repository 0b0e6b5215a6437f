"""Infiltration: deep in enemy land, name the rank of a piece nearby; if the guess is right, that piece is removed.

The infiltrator's rank becomes public; a piece that was guessed wrong stays hidden (J2011-D "Der Infiltrant").
"""

from typing import TYPE_CHECKING, Final

from arbiter.games.base import Addressed
from arbiter.games.board.position import SIDE_OF
from arbiter.games.board.powers.base import check_aim, list_aims, over_land_within_two, refuse
from arbiter.games.ranks import Trait
from arbiter.games.ruleset import Power
from protocol.words import OPPONENT, SEATS, AnyAction, Guessed, Infiltrate, Phase, Removed, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay


def _is_deep(play: "BoardPlay", seat: Seat, src: int) -> bool:
    return src in play.tables.ruleset.deployment(OPPONENT[seat])


def _is_clear(play: "BoardPlay", src: int, dst: int) -> bool:
    own = play.position.own
    return not play.tables.ruleset.board.between[src, dst] & (own[0] | own[1])


class Infiltration(Power["BoardPlay"]):
    phase: Phase = "turn"
    action = Infiltrate
    about = (
        "infiltration: instead of a move, an infiltrator on the opponent's deployment rows names the rank of an enemy "
        "piece one or two squares away, not diagonally, with no piece and no lake between, as often as it likes; both "
        "players learn the guess and its result; if the guess is right, the piece leaves (a flag: the game is won); if it "
        "is wrong, the piece stays and remains hidden; the infiltrator stays where it is, and its rank becomes public"
    )

    def list_actions(self, play: "BoardPlay", seat: Seat) -> list[AnyAction]:
        names = play.tables.ruleset.board.names
        return [
            Infiltrate(names[src], names[dst], rank.id)
            for src, dst in list_aims(play, seat, Trait.INFILTRATOR, over_land_within_two)
            if _is_deep(play, seat, src) and _is_clear(play, src, dst)
            for rank in play.tables.ruleset.ranks
        ]

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Infiltrate) -> tuple[Addressed, ...]:
        src, dst = check_aim(play, seat, (action.src, action.dst), Trait.INFILTRATOR, over_land_within_two)
        if not _is_deep(play, seat, src):
            raise refuse(
                f"{action.src} is not on the opponent's deployment rows; only there an infiltrator may infiltrate"
            )
        if not _is_clear(play, src, dst):
            raise refuse(f"there is a piece between {action.src} and {action.dst}")
        if action.rank not in play.tables.index:
            raise refuse(f"{play.tables.ruleset.name} has no rank {action.rank[:20]!a}")
        enemy = OPPONENT[seat]
        target = play.position.rank_at(dst)
        is_right = target.id == action.rank
        facts = [Addressed(Guessed(seat, action.src, action.dst, action.rank, is_right), SEATS), play.reveal(seat, src)]
        if is_right:
            facts += [play.reveal(enemy, dst), Addressed(Removed(enemy, action.dst), SEATS)]
            if target.has(Trait.FLAG):
                play.take_flag(seat, action.dst)
            play.position.take(SIDE_OF[enemy], dst)
        play.spend_turn(seat, attacks=True, captures=is_right)
        return tuple(facts)


INFILTRATION: Final = Infiltration()

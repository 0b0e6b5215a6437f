"""Infiltration: deep in enemy land, name the rank of a piece nearby; if the guess is right, that piece is removed.

The infiltrator's rank becomes public; a piece that was guessed wrong stays hidden (J2011-D "Der Infiltrant").
"""

from typing import TYPE_CHECKING, Final

from arbiter.games.base import Addressed
from arbiter.games.board.position import SIDE_OF
from arbiter.games.board.powers.base import AimedPower, over_land_within_two, refuse
from arbiter.games.ranks import Trait
from protocol.words import BLUE, OPPONENT, SEATS, AnyAction, Guessed, Infiltrate, Place, Removed, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay
    from arbiter.games.board.ruleset import BoardRules


class Infiltration(AimedPower):
    action = Infiltrate
    trait = Trait.INFILTRATOR
    reach = staticmethod(over_land_within_two)
    about = (
        "infiltration: instead of a move, an infiltrator on the opponent's deployment rows names the rank of an enemy "
        "piece one or two squares away, not diagonally, with no piece and no lake between, as often as it likes; both "
        "players learn the guess and its result; if the guess is right, the piece leaves (a flag: the game is won); if "
        "it is wrong, the piece stays and remains hidden; the infiltrator stays where it is, and its rank becomes "
        "public"
    )

    def name_actions(self, ruleset: "BoardRules", src: Place, dst: Place) -> list[AnyAction]:
        return [Infiltrate(src, dst, rank.id) for rank in ruleset.ranks]

    def refusal(self, play: "BoardPlay", seat: Seat, src: int, dst: int) -> str:
        ruleset = play.tables.ruleset
        own = play.position.own
        names = ruleset.board.names
        if src not in ruleset.deployment(OPPONENT[seat]):
            return f"{names[src]} is not on the opponent's deployment rows; only there an infiltrator may infiltrate"
        if ruleset.board.between[src, dst] & (own[0] | own[1]):
            return f"there is a piece between {names[src]} and {names[dst]}"
        return ""

    def list_all(self, ruleset: "BoardRules") -> list[AnyAction]:
        deep = {ruleset.board.names[square] for square in ruleset.deployment(BLUE)}
        return [action for action in super().list_all(ruleset) if isinstance(action, Infiltrate) and action.src in deep]

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Infiltrate) -> tuple[Addressed, ...]:
        src, dst = self.check_aim(play, seat, action.src, action.dst)
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

"""The remote attack: the marksman hits a weaker piece up to two squares away and stays (CW "Entfernter Angriff").

Both ranks become public, whatever the result.
"""

from typing import TYPE_CHECKING, Final

from arbiter.games.base import Addressed
from arbiter.games.board.position import SIDE_OF
from arbiter.games.board.powers.base import AimedPower, in_line_within_two
from arbiter.games.ranks import Trait
from protocol.words import OPPONENT, SEATS, AnyAction, Place, Removed, Seat, Strike, Struck

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay
    from arbiter.games.board.ruleset import BoardRules


class RemoteAttack(AimedPower):
    action = Strike
    trait = Trait.STRIKER
    reach = staticmethod(in_line_within_two)
    about = (
        "remote attack: instead of a move, the marksman (7) hits an enemy piece one or two squares away, not "
        "diagonally, also over pieces and lakes, and stays; a lower number is removed, removing the base wins the "
        "game, any other piece is unharmed; both ranks become public"
    )

    def name_actions(self, ruleset: "BoardRules", src: Place, dst: Place) -> list[AnyAction]:
        return [Strike(src, dst)]

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Strike) -> tuple[Addressed, ...]:
        """Remove a piece with a lower number, or the flag.  A bomb and pieces with an equal or higher number stay."""
        src, dst = self.check_aim(play, seat, action.src, action.dst)
        enemy = OPPONENT[seat]
        striker = play.position.rank_at(src)
        target = play.position.rank_at(dst)
        facts = [
            Addressed(Struck(seat, action.src, action.dst), SEATS),
            play.reveal(seat, src),
            play.reveal(enemy, dst),
        ]
        takes_flag = target.has(Trait.FLAG)
        removes = takes_flag or (
            striker.number is not None and target.number is not None and target.number < striker.number
        )
        if removes:
            facts.append(Addressed(Removed(enemy, action.dst), SEATS))
            play.position.take(SIDE_OF[enemy], dst)
        if takes_flag:
            play.take_flag(seat, action.dst)
        play.spend_turn(seat, attacks=True, captures=removes)
        return tuple(facts)


REMOTE_ATTACK: Final = RemoteAttack()

"""Vision: a piece shows itself and learns the rank of an enemy piece near it (CW "Vision").

Both players learn that it looked and what it is; only its owner learns what it saw.
"""

from typing import TYPE_CHECKING, Final

from arbiter.games.base import Addressed
from arbiter.games.board.powers.base import AimedPower, within_two
from arbiter.games.ranks import Trait
from protocol.words import OPPONENT, SEATS, AnyAction, Look, Looked, Place, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay
    from arbiter.games.board.ruleset import BoardRules


class Vision(AimedPower):
    action = Look
    trait = Trait.SEER
    reach = staticmethod(within_two)
    about = (
        "vision: instead of a move, the marshal or the general is shown to the opponent, and its player learns the "
        "rank of an enemy piece one or two steps away, also around a corner, over pieces and lakes; the opponent sees "
        "which piece was looked at"
    )

    def name_actions(self, ruleset: "BoardRules", src: Place, dst: Place) -> list[AnyAction]:
        return [Look(src, dst)]

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Look) -> tuple[Addressed, ...]:
        src, dst = self.check_aim(play, seat, action.src, action.dst)
        facts = (
            Addressed(Looked(seat, action.src, action.dst), SEATS),
            play.reveal(seat, src),
            play.reveal(OPPONENT[seat], dst),
        )
        play.spend_turn(seat, attacks=False)
        return facts


VISION: Final = Vision()

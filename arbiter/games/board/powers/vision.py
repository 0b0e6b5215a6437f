"""Vision: a piece shows itself and learns the rank of an enemy piece near it (CW "Vision").

Both players learn that it looked and what it is; only its owner learns what it saw.
"""

from typing import TYPE_CHECKING, Final

from arbiter.games.base import Addressed
from arbiter.games.board.powers.base import check_aim, list_aims, within_two
from arbiter.games.ranks import Trait
from arbiter.games.ruleset import Power
from protocol.words import OPPONENT, SEATS, AnyAction, Look, Looked, Phase, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay


class Vision(Power["BoardPlay"]):
    phase: Phase = "turn"
    action = Look
    about = (
        "vision: instead of a move, the marshal or the general is shown to the opponent, and its player learns the "
        "rank of an enemy piece one or two steps away, also around a corner, over pieces and lakes; the opponent sees "
        "which piece was looked at"
    )

    def list_actions(self, play: "BoardPlay", seat: Seat) -> list[AnyAction]:
        names = play.tables.ruleset.board.names
        return [Look(names[src], names[dst]) for src, dst in list_aims(play, seat, Trait.SEER, within_two)]

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Look) -> tuple[Addressed, ...]:
        src, dst = check_aim(play, seat, (action.src, action.dst), Trait.SEER, within_two)
        facts = (
            Addressed(Looked(seat, action.src, action.dst), SEATS),
            play.reveal(seat, src),
            play.reveal(OPPONENT[seat], dst),
        )
        play.spend_turn(seat, attacks=False)
        return facts


VISION: Final = Vision()

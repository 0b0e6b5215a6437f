"""Vision: a seer shows itself and learns the rank of an enemy piece near it (CW "Besondere Fähigkeiten").

Everybody is told that it looked and what it is; only the asker is told what it saw.
"""

from typing import TYPE_CHECKING, Final

from arbiter.games.base import Addressed
from arbiter.games.board.paths import BOTH
from arbiter.games.board.powers.aims import aims, check_aim, within_two
from arbiter.games.board.ruleset import Power
from arbiter.games.ranks import Trait
from protocol.words import OPPONENT, AnyAction, Look, Looked, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay


def _actions(play: "BoardPlay", seat: Seat) -> list[AnyAction]:
    names = play.tables.ruleset.board.names
    return [Look(names[src], names[dst]) for src, dst in aims(play, seat, Trait.SEER, within_two)]


def _look(play: "BoardPlay", seat: Seat, action: Look) -> tuple[Addressed, ...]:
    src, dst = check_aim(play, seat, (action.src, action.dst), Trait.SEER, within_two)
    facts = (
        Addressed(Looked(seat, action.src, action.dst), BOTH),
        play.reveal(seat, src),
        play.reveal(OPPONENT[seat], dst),
    )
    play.spend_turn(seat, attacks=False)
    return facts


VISION: Final = Power(
    "turn",
    Look,
    _actions,
    _look,
    "vision: in place of a move, show itself and learn the rank of an enemy piece one or two steps away",
)

"""Rage: a berserker that wins an attack may attack again, up to four times in its turn (CW "Zorn").

It begins with its own number; each win adds one until the turn ends.
"""

from typing import TYPE_CHECKING, Final

from arbiter.games.base import Addressed
from arbiter.games.board.powers.base import FollowUp, TurnState, refuse
from arbiter.games.ranks import Trait
from arbiter.games.ruleset import Power
from protocol.words import AnyAction, Move, Phase, Seat, Stop

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay
    from arbiter.games.board.ruleset import BoardRules

_MAX_ATTACKS: Final = 4


def _list_attacks(play: "BoardPlay", turn: TurnState) -> list[Move]:
    """List the attacks on neighbours that the two-squares rule allows; each attack of a rage is tested."""
    assert turn.square is not None  # noqa: S101 - the piece is still on the board
    board = play.tables.ruleset.board
    position = play.position
    return [
        board.moves[turn.square, square]
        for square in board.neighbours[turn.square]
        if position.own[1 - turn.side] & board.bit[square]
        and not position.two_squares.forbids(turn.side, turn.piece, board.borders[turn.square, square])
    ]


def _turn_in_progress(play: "BoardPlay") -> TurnState:
    assert play.turn is not None  # noqa: S101 - the phase is reached within a turn only
    return play.turn


class RageFollowUp(FollowUp):
    phase: Phase = "rage"
    before_repetition = True

    def is_due(self, play: "BoardPlay", turn: TurnState) -> bool:
        """Return True if the turn's piece rages and can attack once more; only then is the player asked."""
        return (
            turn.square is not None
            and 0 < turn.attacks < _MAX_ATTACKS
            and play.position.rank_of(turn.piece).has(Trait.RAGER)
            and bool(_list_attacks(play, turn))
        )


class RageAttack(Power["BoardPlay"]):
    phase: Phase = "rage"
    action = Move
    about = (
        "rage: after the berserker (6) has won an attack and moved, it may attack another piece next to it in the same "
        "turn: at most four attacks in all, with the numbers 6, 7, 8 and 9; it may stop earlier; a tie, a loss or a "
        "bomb ends it; when the turn is over it is a 6 again"
    )

    def list_actions(self, play: "BoardPlay", seat: Seat) -> list[AnyAction]:
        return [*_list_attacks(play, _turn_in_progress(play)), Stop()]

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Move) -> tuple[Addressed, ...]:
        turn = _turn_in_progress(play)
        if action not in _list_attacks(play, turn):
            raise refuse("in a rage the same piece must attack a neighbouring piece, or stop")
        turn.borders |= play.tables.paths[action.src, action.dst].borders
        facts = play.fight(turn, action)
        play.continue_turn(turn)
        return facts


class RageStop(Power["BoardPlay"]):
    phase: Phase = "rage"
    action = Stop

    def list_all(self, ruleset: "BoardRules") -> list[AnyAction]:
        return [Stop()]

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Stop) -> tuple[Addressed, ...]:
        play.settle(_turn_in_progress(play))
        return ()


RAGE: Final = RageFollowUp()
RAGE_ATTACK: Final = RageAttack()
RAGE_STOP: Final = RageStop()

"""Rage: a berserker that wins an attack may attack again, up to four times in its turn (CW "Besondere Fähigkeiten").

It begins with its own number; each win moves it in and adds one until the turn ends.
"""

from typing import TYPE_CHECKING, Final

from arbiter.games.base import Addressed
from arbiter.games.board.powers.aims import refused
from arbiter.games.board.ruleset import FollowUp, Power
from arbiter.games.board.turn import TurnState
from arbiter.games.ranks import Trait
from protocol.words import AnyAction, Move, Seat, Stop

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay

_MOST_ATTACKS: Final = 4


def _goes_on(play: "BoardPlay", turn: TurnState) -> bool:
    """Say whether a further attack is possible: only then is the player asked."""
    if turn.square is None or not 0 < turn.attacks < _MOST_ATTACKS:
        return False
    rank = play.tables.ruleset.ranks[play.rank[turn.piece]]
    return rank.has(Trait.RAGER) and bool(_attacks(play, turn))


def _attacks(play: "BoardPlay", turn: TurnState) -> list[Move]:
    """List the attacks on neighbours that the two-squares rule leaves; each attack of a chain is tested."""
    board, lines = play.tables.ruleset.board, play.tables.paths
    assert turn.square is not None  # noqa: S101 - a chain goes on only where the piece stands
    here = board.names[turn.square]
    moves = [
        board.moves[turn.square, square]
        for square in board.neighbours[turn.square]
        if play.own[1 - turn.me] & board.bit[square]
    ]
    return [move for move in moves if not play.two_squares.forbids(turn.me, turn.piece, lines[here, move.dst].borders)]


def _actions(play: "BoardPlay", seat: Seat) -> list[AnyAction]:
    return [*_attacks(play, _turn(play)), Stop()]


def _attack(play: "BoardPlay", seat: Seat, action: Move) -> tuple[Addressed, ...]:
    turn = _turn(play)
    if action not in _attacks(play, turn):
        raise refused("in a rage the same piece attacks a neighbour, or stops")
    turn.borders |= play.tables.paths[action.src, action.dst].borders
    facts = play.fight(turn, action)
    play.go_on(turn)
    return facts


def _stop(play: "BoardPlay", seat: Seat, action: Stop) -> tuple[Addressed, ...]:
    play.settle(_turn(play))
    return ()


def _turn(play: "BoardPlay") -> TurnState:
    assert play.turn is not None  # noqa: S101 - the phase is asked within a turn only
    return play.turn


RAGE: Final = FollowUp("rage", _goes_on, unsettled=True)
RAGE_ATTACK: Final = Power(
    "rage",
    Move,
    _actions,
    _attack,
    "rage: after a won attack, attack a neighbour again, one higher each time, up to four times in a turn",
)
RAGE_STOP: Final = Power("rage", Stop, lambda _play, _seat: [], _stop)

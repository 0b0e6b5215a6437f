"""Rescue: who reaches the opponent's back row may bring one of his captured pieces back (US "Rettung").

The square is public; the rank is told to the opponent only where he knew it before.
"""

from typing import TYPE_CHECKING, Final

from arbiter.errors import IllegalAction
from arbiter.games.base import Addressed
from arbiter.games.board.paths import BOTH
from arbiter.games.board.pieces import INDEX, SECOND_SEAT
from arbiter.games.board.powers.aims import refused
from arbiter.games.board.ruleset import FollowUp, Power
from arbiter.games.board.turn import TurnState
from arbiter.games.ranks import Trait
from protocol.words import AnyAction, Placed, Rescue, Seat, Stop

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay

_MOST_RESCUES: Final = 2


def _is_earned(play: "BoardPlay", turn: TurnState) -> bool:
    """Say whether the move that was made lets the player rescue, and there is something to rescue."""
    if turn.square is None or play.runners[turn.me] & play.tables.bit[turn.square]:
        return False
    reached = _on_far_row(play, turn.me, turn.square) and not _on_far_row(play, turn.me, turn.src)
    fresh = turn.piece not in play.rescuers and play.rescued[turn.me] < _MOST_RESCUES
    return reached and fresh and bool(_captives(play, turn.me)) and bool(_free_squares(play, turn.me))


def _on_far_row(play: "BoardPlay", me: int, square: int) -> bool:
    board = play.tables.ruleset.board
    return square // board.files == (0 if me else board.rows - 1)


def _captives(play: "BoardPlay", me: int) -> list[int]:
    """List the seat's captured pieces that may come back: the opponent's unknown ones first, else as captured."""
    ranks = play.tables.ruleset.ranks
    mine = [
        piece
        for piece in play.captured
        if (piece > SECOND_SEAT) == bool(me) and not ranks[play.rank[piece]].has(Trait.IMMOVABLE)
    ]
    return sorted(mine, key=lambda piece: piece in play.shown)


def _free_squares(play: "BoardPlay", me: int) -> list[int]:
    """List the free squares of the seat's own half of the board."""
    board = play.tables.ruleset.board
    half = board.size // 2
    free = board.land & ~(play.own[0] | play.own[1])
    return [square for square in board.squares(free) if (square >= half) == bool(me)]


def _actions(play: "BoardPlay", seat: Seat) -> list[AnyAction]:
    me, names = INDEX[seat], play.tables.ruleset.board.names
    ranks = dict.fromkeys(play.rank_id(piece) for piece in _captives(play, me))
    squares = _free_squares(play, me)
    return [*(Rescue(rank, names[square]) for rank in ranks for square in squares), Stop()]


def _rescue(play: "BoardPlay", seat: Seat, action: Rescue) -> tuple[Addressed, ...]:
    me, names = INDEX[seat], play.tables.ruleset.board.names
    piece = next((captive for captive in _captives(play, me) if play.rank_id(captive) == action.rank), None)
    square = next((square for square in _free_squares(play, me) if names[square] == action.dst), None)
    if piece is None or square is None:
        raise _refusal(action, missing=piece is None)
    play.captured.remove(piece)
    play.put(me, piece, square)
    play.rescued[me] += 1
    play.rescuers.add(_rescuer(play))
    play.forget_repetition()
    known = (play.reveal(seat, square),) if piece in play.shown else ()
    play.finish_turn(seat)
    return (Addressed(Placed(seat, action.dst), BOTH), *known)


def _refusal(action: Rescue, *, missing: bool) -> IllegalAction:
    if missing:
        return refused(f"none of your captured pieces that may come back is a {action.rank[:20]!a}")
    return refused(f"{action.dst[:20]!a} is no free square of your own half")


def _rescuer(play: "BoardPlay") -> int:
    assert play.turn is not None  # noqa: S101 - the phase is asked within a turn only
    return play.turn.piece


def _decline(play: "BoardPlay", seat: Seat, action: Stop) -> tuple[Addressed, ...]:
    play.finish_turn(seat)
    return ()


RESCUE: Final = FollowUp("rescue", _is_earned)
RESCUE_PIECE: Final = Power(
    "rescue",
    Rescue,
    _actions,
    _rescue,
    "rescue: on reaching the opponent's back row, bring a captured piece of one's own back",
)
RESCUE_DECLINED: Final = Power("rescue", Stop, lambda _play, _seat: [], _decline)

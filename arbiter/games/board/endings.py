"""The endings of board games.  Order on one ply: flag, pieces gone, no moves, no attack, too many plies."""

from typing import TYPE_CHECKING

from arbiter.games.base import Outcome
from arbiter.games.board.position import SIDE_OF
from protocol.words import BLUE, OPPONENT, RED, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay


def ending_after(play: "BoardPlay", mover: Seat) -> Outcome | None:
    """Return the outcome after a finished turn, or None.  A flag taken in this turn has ended the game before."""
    red, blue = play.position.movers
    if not (red and blue):
        return ending_in_turn(play)
    if not play.position.has_move(1 - SIDE_OF[mover]):
        return _no_moves(OPPONENT[mover])
    ruleset = play.tables.ruleset
    if 0 < ruleset.no_attack_plies <= play.quiet_plies:
        return Outcome(None, "no_attack_limit", f"{play.quiet_plies} plies without an attack")
    if 0 < ruleset.max_plies <= play.plies:
        return Outcome(None, "ply_limit", f"{play.plies} plies played")
    return None


def ending_in_turn(play: "BoardPlay") -> Outcome | None:
    """End the game at once if a side has no movable piece left (O2000 "Spielende")."""
    red, blue = play.position.movers
    if red and blue:
        return None
    if not red and not blue:
        return Outcome(None, "both_immobile", "neither side has a movable piece left")
    winner: Seat = RED if red else BLUE
    return Outcome(winner, "no_pieces", f"{OPPONENT[winner]} has no movable piece left")


def ending_at_start(play: "BoardPlay") -> Outcome | None:
    """Return the outcome before the first ply, or None.  Only a game from a position can end there."""
    if (gone := ending_in_turn(play)) is not None:
        return gone
    return None if play.position.has_move(SIDE_OF[play.first]) else _no_moves(play.first)


def _no_moves(seat: Seat) -> Outcome:
    return Outcome(OPPONENT[seat], "no_moves", f"{seat} has no legal move on its turn")

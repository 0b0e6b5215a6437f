"""How a board game ends.  The order on one ply: flag, pieces gone, no moves, no attack, too many plies."""

from typing import TYPE_CHECKING

from arbiter.games.base import Outcome
from protocol.words import BLUE, OPPONENT, RED, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay


def ending_after(play: "BoardPlay", mover: Seat) -> Outcome | None:
    """Say how the game ended with the turn just played, or None; a flag that fell has ended it before.

    It runs once a ply, so it asks for nothing twice.
    """
    red, blue = play.movers
    if not (red and blue):
        return _pieces_gone(bool(red), bool(blue))
    if not play.has_move(1 if mover == RED else 0):
        return _no_moves(OPPONENT[mover])
    ruleset = play.tables.ruleset
    if 0 < ruleset.no_attack_plies <= play.quiet_plies:
        return Outcome(None, "no_attack_limit", f"{play.quiet_plies} plies without an attack")
    if 0 < ruleset.max_plies <= play.plies:
        return Outcome(None, "ply_limit", f"{play.plies} plies played")
    return None


def ending_in_turn(play: "BoardPlay") -> Outcome | None:
    """Say how a game ended at once, within a turn that might go on."""
    red, blue = play.movers
    return None if red and blue else _pieces_gone(bool(red), bool(blue))


def ending_at_start(play: "BoardPlay") -> Outcome | None:
    """Say how a game ended before its first ply: only a given position can."""
    if gone := ending_in_turn(play):
        return gone
    return None if play.has_move(0 if play.first == RED else 1) else _no_moves(play.first)


def _no_moves(seat: Seat) -> Outcome:
    return Outcome(OPPONENT[seat], "no_moves", f"{seat} has no legal move on its turn")


def _pieces_gone(red: bool, blue: bool) -> Outcome:
    """End the game where a side has no movable piece left (O2000 "Spielende")."""
    if not red and not blue:
        return Outcome(None, "both_immobile", "neither side has a movable piece left")
    winner: Seat = RED if red else BLUE
    loser = OPPONENT[winner]
    return Outcome(winner, "no_pieces", f"{loser} has no movable piece left")

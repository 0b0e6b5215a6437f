"""Forced wins, by exhaustive search with the rules."""

from arbiter.games.board.play import BoardPlay


def can_force_win(play: BoardPlay, plies: int) -> bool:
    """Return True if the seat to move can win within some plies whatever its opponent plays."""
    return any(forces_win(play, action, plies) for action in play.legal_actions(play.to_act[0]))


def forces_win(play: BoardPlay, action, plies: int) -> bool:
    """Return True if an action of the seat to move wins by force within some plies, this one included."""
    seat = play.to_act[0]
    after = play.copy()
    after.act(seat, action)
    if after.outcome is not None:
        return after.outcome.winner == seat
    return plies > 1 and must_lose(after, plies - 1)


def must_lose(play: BoardPlay, plies: int) -> bool:
    """Return True if the seat to move loses within some plies whatever it plays."""
    seat = play.to_act[0]
    for action in play.legal_actions(seat):
        after = play.copy()
        after.act(seat, action)
        if after.outcome is not None:
            if after.outcome.winner in (seat, None):
                return False
        elif plies <= 1 or not can_force_win(after, plies - 1):
            return False
    return True

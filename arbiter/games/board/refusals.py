"""Explanations of refused moves, computed only after a move was found illegal."""

from typing import TYPE_CHECKING, Literal

from arbiter.errors import IllegalAction
from protocol.words import Move, Seat

if TYPE_CHECKING:
    from arbiter.games.board.position import Position


def explain_move(position: "Position", seat: Seat, side: int, action: Move) -> IllegalAction:
    """Return the error for the first thing that is wrong with a move; the text names squares only."""
    ruleset = position.tables.ruleset
    board = ruleset.board
    for place in (action.src, action.dst):
        if place not in board.square:
            return IllegalAction("movement", f"there is no square {place[:20]!r}")
    src = board.square[action.src]
    dst = board.square[action.dst]
    if not position.own[side] & board.bit[src]:
        why = f"{seat} has no piece on {action.src}"
    elif not position.movers[side] & board.bit[src]:
        return IllegalAction(
            "immovable",
            f"{action.src}-{action.dst}: the piece on {action.src} never moves",
            ending="immovable_moved" if ruleset.immovable_loses else "illegal_action",
            final=ruleset.immovable_loses,
        )
    elif src == dst:
        why = "a piece must move to another square"
    elif position.own[side] & board.bit[dst]:
        why = f"your own piece is on {action.dst}"
    elif dst in board.lake_squares:
        why = f"{action.dst} is a lake"
    elif (src, dst) not in board.between:
        why = "not a straight line over land"
    elif not position.runners[side] & board.bit[src]:
        why = f"the piece on {action.src} moves only one square"
    else:
        why = "there is a piece in the way"
    return IllegalAction("movement", f"{action.src}-{action.dst}: {why}")


_REPETITIONS = {
    "two_squares": "two squares: {}-{} crosses the same border too many times in a row",
    "more_squares": "more squares: {}-{} repeats an earlier position to continue a chase",
}


def repeats(rule: Literal["two_squares", "more_squares"], action: Move) -> IllegalAction:
    """Return the error for a move that a repetition rule refuses."""
    return IllegalAction(rule, _REPETITIONS[rule].format(action.src, action.dst))

"""Why a move is refused, found only once it is known that it is."""

from typing import TYPE_CHECKING, Literal

from arbiter.errors import IllegalAction
from protocol.words import RED, Move, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay


def explain_move(play: "BoardPlay", seat: Seat, action: Move) -> IllegalAction:
    """Name the first thing that is wrong with a move; the text names squares only."""
    board = play.tables.ruleset.board
    me = 0 if seat == RED else 1
    for place in (action.src, action.dst):
        if place not in board.square:
            return IllegalAction("movement", f"there is no square {place[:20]!r}")
    src, dst = board.square[action.src], board.square[action.dst]
    if not play.own[me] & board.bit[src]:
        return _refusal(action, f"{seat} has no piece on {action.src}")
    if not play.movers[me] & board.bit[src]:
        return _immovable(play, action)
    return _refusal(action, _bad_way(play, me, src, dst))


def _immovable(play: "BoardPlay", action: Move) -> IllegalAction:
    loses = play.tables.ruleset.immovable_loses
    return IllegalAction(
        "immovable",
        f"{action.src}-{action.dst}: the piece on {action.src} never moves",
        ending="immovable_moved" if loses else "illegal_action",
        final=loses,
    )


def _bad_way(play: "BoardPlay", me: int, src: int, dst: int) -> str:
    board = play.tables.ruleset.board
    if src == dst:
        return "a move leads to another square"
    if play.own[me] & board.bit[dst]:
        return f"{board.names[dst]} holds a piece of one's own"
    if dst in board.lake_squares:
        return f"{board.names[dst]} is a lake"
    if (src, dst) not in board.between:
        return "not a straight line over land"
    if not play.runners[me] & board.bit[src]:
        return f"the piece on {board.names[src]} moves one square"
    return "there is a piece in the way"


def _refusal(action: Move, why: str) -> IllegalAction:
    return IllegalAction("movement", f"{action.src}-{action.dst}: {why}")


def repeats(rule: Literal["two_squares", "more_squares"], action: Move) -> IllegalAction:
    """Refuse a move by one of the repetition rules."""
    what = {
        "two_squares": "two squares: {} crosses the same border once too often",
        "more_squares": "more squares: {} brings back a position of this chase",
    }
    return IllegalAction(rule, what[rule].format(f"{action.src}-{action.dst}"))

"""What the powers that aim at a piece have in common: which squares they reach, and what is wrong with an aim."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from arbiter.errors import IllegalAction
from arbiter.games.board.geometry import Geometry
from arbiter.games.board.pieces import INDEX
from arbiter.games.ranks import Trait
from protocol.words import Place, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay

Reach = Callable[[Geometry], tuple[int, ...]]


@cache
def within_two(board: Geometry) -> tuple[int, ...]:
    """Return per square the mask of those one or two steps away, whatever stands between."""
    return _near(board, lambda up, right: 1 <= up + right <= 2)  # noqa: PLR2004 - as the rule says


@cache
def in_line_within_two(board: Geometry) -> tuple[int, ...]:
    """Return per square the mask of those one or two squares away in a straight line, whatever stands between."""
    return _near(board, lambda up, right: 0 in (up, right) and 1 <= up + right <= 2)  # noqa: PLR2004 - as the rule says


def _near(board: Geometry, is_near: Callable[[int, int], bool]) -> tuple[int, ...]:
    places = [divmod(square, board.files) for square in range(board.size)]
    return tuple(
        board.mask(
            square
            for square, (other_row, other_file) in enumerate(places)
            if is_near(abs(row - other_row), abs(file - other_file))
        )
        for row, file in places
    )


@cache
def over_land_within_two(board: Geometry) -> tuple[int, ...]:
    """Return per square the mask of those one or two squares away in a straight line over land."""
    return tuple(board.mask(square for ray in rays for square in ray[:2]) for rays in board.rays)


def aims(play: "BoardPlay", seat: Seat, trait: Trait, reach: Reach) -> Iterator[tuple[int, int]]:
    """Yield each of the seat's pieces with a trait and each enemy piece within its reach, as squares."""
    me, tables = INDEX[seat], play.tables
    board = tables.ruleset.board
    near = reach(board)
    for src in board.squares(play.own[me]):
        if tables.ruleset.ranks[play.rank[play.board[src]]].has(trait):
            yield from ((src, dst) for dst in board.squares(near[src] & play.own[1 - me]))


def check_aim(
    play: "BoardPlay", seat: Seat, places: tuple[Place, Place], trait: Trait, reach: Reach
) -> tuple[int, int]:
    """Return the squares of an aim that the rules allow.  Raises IllegalAction."""
    board, me = play.tables.ruleset.board, INDEX[seat]
    for place in places:
        if place not in board.square:
            raise refused(f"there is no square {place[:20]!a}")
    src, dst = (board.square[place] for place in places)
    if not play.own[me] & board.bit[src]:
        raise refused(f"{seat} has no piece on {places[0]}")
    if not play.tables.ruleset.ranks[play.rank[play.board[src]]].has(trait):
        raise refused(f"the piece on {places[0]} does not have this power")
    if not play.own[1 - me] & board.bit[dst]:
        raise refused(f"there is no enemy piece on {places[1]}")
    if not reach(board)[src] & board.bit[dst]:
        raise refused(f"{places[1]} is out of the reach of {places[0]}")
    return src, dst


def refused(why: str) -> IllegalAction:
    """Refuse the use of a power."""
    return IllegalAction("power", why)

"""The turn in progress, follow-up questions, and powers that aim at a piece."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import IllegalAction
from arbiter.games.board.geometry import Geometry
from arbiter.games.board.position import SIDE_OF
from arbiter.games.ruleset import Power
from protocol.words import AnyAction, Phase, Place, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay
    from arbiter.games.board.ruleset import BoardRules

Reach = Callable[[Geometry], tuple[int, ...]]
"""Computes a mask for each square: the squares within reach."""


class TurnState(Struct):
    """The turn in progress, for the repetition rules and the powers."""

    seat: Seat
    side: int
    """0 for red, 1 for blue."""
    piece: int
    src: int
    """The square where the turn began."""
    square: int | None
    """The square of the piece now; None if it is lost."""
    borders: int
    """The borders that the piece has crossed in this turn."""
    attacks: int = 0
    wins: int = 0

    def copy(self) -> "TurnState":
        return replace(self)


class FollowUp:
    """Another question to the same seat within its turn."""

    phase: Phase
    """The phase in which the seat is asked."""
    before_repetition: bool = False
    """True if the question comes before the repetition rules record the turn."""

    def is_due(self, play: "BoardPlay", turn: TurnState) -> bool:
        """Return True if the seat must be asked after this turn so far."""
        raise NotImplementedError


def refuse(why: str) -> IllegalAction:
    """Return the error for a power that cannot be used."""
    return IllegalAction("power", why)


# --- aiming at a piece --------------------------------------------------------------------------------


@cache
def within_two(board: Geometry) -> tuple[int, ...]:
    """Return for each square the mask of the squares one or two steps away, whatever stands between."""
    return _near(board, lambda up, right: 1 <= up + right <= 2)  # noqa: PLR2004 - as the rule says


@cache
def in_line_within_two(board: Geometry) -> tuple[int, ...]:
    """Return for each square the mask of those one or two squares away in a straight line, whatever stands between."""
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
    """Return for each square the mask of those one or two squares away in a straight line over land."""
    return tuple(board.mask(square for ray in rays for square in ray[:2]) for rays in board.rays)


class AimedPower(Power["BoardPlay"]):
    """A power of pieces with a trait that aims at an enemy piece, instead of a move."""

    trait: str
    reach: Reach

    def name_actions(self, ruleset: "BoardRules", src: Place, dst: Place) -> Sequence[AnyAction]:
        """List the actions from one square at another."""
        raise NotImplementedError

    def refusal(self, play: "BoardPlay", seat: Seat, src: int, dst: int) -> str:
        """Return why a piece of the trait cannot aim at a piece within its reach; empty if it can."""
        return ""

    def list_actions(self, play: "BoardPlay", seat: Seat) -> list[AnyAction]:
        side = SIDE_OF[seat]
        ruleset = play.tables.ruleset
        board = ruleset.board
        position = play.position
        near = self.reach(board)
        actions: list[AnyAction] = []
        for src in board.squares(position.own[side]):
            if position.rank_at(src).has(self.trait):
                for dst in board.squares(near[src] & position.own[1 - side]):
                    if not self.refusal(play, seat, src, dst):
                        actions += self.name_actions(ruleset, board.names[src], board.names[dst])
        return actions

    def list_all(self, ruleset: "BoardRules") -> list[AnyAction]:
        board = ruleset.board
        return [
            action
            for src, near in enumerate(self.reach(board))
            if src not in board.lake_squares
            for dst in board.squares(near & board.land)
            for action in self.name_actions(ruleset, board.names[src], board.names[dst])
        ]

    def check_aim(self, play: "BoardPlay", seat: Seat, *places: Place) -> tuple[int, int]:
        """Return the squares of an aim that the rules allow.  Raises IllegalAction."""
        board = play.tables.ruleset.board
        position = play.position
        side = SIDE_OF[seat]
        for place in places:
            if place not in board.square:
                raise refuse(f"there is no square {place[:20]!a}")
        src, dst = (board.square[place] for place in places)
        if not position.own[side] & board.bit[src]:
            raise refuse(f"{seat} has no piece on {places[0]}")
        if not position.rank_at(src).has(self.trait):
            raise refuse(f"the piece on {places[0]} does not have this power")
        if not position.own[1 - side] & board.bit[dst]:
            raise refuse(f"there is no enemy piece on {places[1]}")
        if not self.reach(board)[src] & board.bit[dst]:
            raise refuse(f"{places[1]} is out of reach of {places[0]}")
        if why := self.refusal(play, seat, src, dst):
            raise refuse(why)
        return src, dst

"""The powers that aim at an enemy piece instead of a move: vision, the remote attack, infiltration."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from arbiter.games.base import Addressed
from arbiter.games.board.geometry import Geometry
from arbiter.games.board.position import SIDE_OF
from arbiter.games.board.powers.base import refuse
from arbiter.games.ranks import Trait
from arbiter.games.ruleset import Power
from protocol import reasons
from protocol.words import (
    BLUE,
    OPPONENT,
    SEATS,
    AnyAction,
    Guessed,
    Infiltrate,
    Look,
    Looked,
    Place,
    Removed,
    Seat,
    Strike,
    Struck,
)

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay
    from arbiter.games.board.ruleset import BoardRules

Reach = Callable[[Geometry], tuple[int, ...]]
"""Computes a mask for each square: the squares within reach."""


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

    action: type[Any]
    trait: str
    reach: Reach

    def name_actions(self, ruleset: "BoardRules", src: Place, dst: Place) -> Sequence[AnyAction]:
        """List the actions from one square at another."""
        return [self.action(src, dst)]

    def refusal(self, play: "BoardPlay", seat: Seat, src: int, dst: int) -> reasons.Refusal | None:
        """Return why a piece of the trait cannot aim at a piece within its reach; None if it can."""
        return None

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
                raise refuse(reasons.NoSquare(place[:20]))
        src, dst = (board.square[place] for place in places)
        if not position.own[side] & board.bit[src]:
            raise refuse(reasons.NoPiece(seat, places[0]))
        if not position.rank_at(src).has(self.trait):
            raise refuse(reasons.NoPower(places[0]))
        if not position.own[1 - side] & board.bit[dst]:
            raise refuse(reasons.NoEnemy(places[1]))
        if not self.reach(board)[src] & board.bit[dst]:
            raise refuse(reasons.OutOfReach(places[0], places[1]))
        if reason := self.refusal(play, seat, src, dst):
            raise refuse(reason)
        return src, dst


class Vision(AimedPower):
    """Vision: a piece shows itself and learns the rank of an enemy piece near it (CW "Vision").

    Both players learn that it looked and what it is; only its owner learns what it saw.
    """

    action = Look
    trait = Trait.SEER
    reach = staticmethod(within_two)
    about = "vision"

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Look) -> tuple[Addressed, ...]:
        src, dst = self.check_aim(play, seat, action.src, action.dst)
        facts = (
            Addressed(Looked(seat, action.src, action.dst), SEATS),
            play.reveal(seat, src),
            play.reveal(OPPONENT[seat], dst),
        )
        play.spend_turn(seat, attacks=False)
        return facts


class RemoteAttack(AimedPower):
    """The remote attack: the marksman hits a weaker piece up to two squares away and stays (CW "Entfernter Angriff").

    Both ranks become public, whatever the result.
    """

    action = Strike
    trait = Trait.STRIKER
    reach = staticmethod(in_line_within_two)
    about = "remote_attack"

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Strike) -> tuple[Addressed, ...]:
        """Remove a piece with a lower number, or the flag.  A bomb and pieces with an equal or higher number stay."""
        src, dst = self.check_aim(play, seat, action.src, action.dst)
        enemy = OPPONENT[seat]
        striker = play.position.rank_at(src)
        target = play.position.rank_at(dst)
        facts = [
            Addressed(Struck(seat, action.src, action.dst), SEATS),
            play.reveal(seat, src),
            play.reveal(enemy, dst),
        ]
        takes_flag = target.has(Trait.FLAG)
        removes = takes_flag or (
            striker.number is not None and target.number is not None and target.number < striker.number
        )
        if removes:
            facts.append(Addressed(Removed(enemy, action.dst), SEATS))
            play.position.take(SIDE_OF[enemy], dst)
        if takes_flag:
            play.take_flag(seat, action.dst)
        play.spend_turn(seat, attacks=True, captures=removes)
        return tuple(facts)


class Infiltration(AimedPower):
    """Infiltration: deep in enemy land, name the rank of a piece nearby; if the guess is right, that piece is removed.

    The infiltrator's rank becomes public; a piece that was guessed wrong stays hidden (J2011-D "Der Infiltrant").
    """

    action = Infiltrate
    trait = Trait.INFILTRATOR
    reach = staticmethod(over_land_within_two)
    about = "infiltration"

    def name_actions(self, ruleset: "BoardRules", src: Place, dst: Place) -> list[AnyAction]:
        return [Infiltrate(src, dst, rank.id) for rank in ruleset.ranks]

    def refusal(self, play: "BoardPlay", seat: Seat, src: int, dst: int) -> reasons.Refusal | None:
        ruleset = play.tables.ruleset
        own = play.position.own
        names = ruleset.board.names
        if src not in ruleset.deployment(OPPONENT[seat]):
            return reasons.NotInDeployment(names[src])
        if ruleset.board.between[src, dst] & (own[0] | own[1]):
            return reasons.InTheWay(names[src], names[dst])
        return None

    def list_all(self, ruleset: "BoardRules") -> list[AnyAction]:
        deep = {ruleset.board.names[square] for square in ruleset.deployment(BLUE)}
        return [action for action in super().list_all(ruleset) if isinstance(action, Infiltrate) and action.src in deep]

    def carry_out(self, play: "BoardPlay", seat: Seat, action: Infiltrate) -> tuple[Addressed, ...]:
        src, dst = self.check_aim(play, seat, action.src, action.dst)
        if action.rank not in play.tables.index:
            raise refuse(reasons.NoSuchRank(play.tables.ruleset.name, action.rank[:20]))
        enemy = OPPONENT[seat]
        target = play.position.rank_at(dst)
        is_right = target.id == action.rank
        facts = [Addressed(Guessed(seat, action.src, action.dst, action.rank, is_right), SEATS), play.reveal(seat, src)]
        if is_right:
            facts += [play.reveal(enemy, dst), Addressed(Removed(enemy, action.dst), SEATS)]
            if target.has(Trait.FLAG):
                play.take_flag(seat, action.dst)
            play.position.take(SIDE_OF[enemy], dst)
        play.spend_turn(seat, attacks=True, captures=is_right)
        return tuple(facts)


VISION: Final = Vision()
REMOTE_ATTACK: Final = RemoteAttack()
INFILTRATION: Final = Infiltration()

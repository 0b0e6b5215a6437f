"""Lookup tables of a rule set, computed once and shared by all its games."""

from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from arbiter.games.base import Addressed
from arbiter.games.board.geometry import Geometry
from arbiter.games.fights import FightResult, decide
from arbiter.games.ranks import Trait
from protocol.words import OPPONENT, SEATS, Moved, Place

if TYPE_CHECKING:
    from arbiter.games.board.ruleset import BoardRules

NEXT_TO_ACT = {seat: (OPPONENT[seat],) for seat in SEATS}


class Path(NamedTuple):
    """A straight path over land from square to square."""

    src: int
    dst: int
    between: int
    """Mask of the squares strictly between."""
    borders: int
    """The borders crossed, as in `Geometry.borders`."""
    moved: tuple[tuple[Addressed, ...], tuple[Addressed, ...]]
    """For each side: the fact of a move along this path."""


@cache
def index_paths(board: Geometry) -> dict[tuple[Place, Place], Path]:
    """Index every straight path of a board by the names of its ends."""
    return {
        (move.src, move.dst): Path(
            *ends,
            board.between[ends],
            board.borders[ends],
            (
                (Addressed(Moved(SEATS[0], move.src, move.dst), SEATS),),
                (Addressed(Moved(SEATS[1], move.src, move.dst), SEATS),),
            ),
        )
        for ends, move in board.moves.items()
    }


class Tables:
    """The lookup tables of one rule set."""

    def __init__(self, ruleset: "BoardRules") -> None:
        self.ruleset = ruleset
        self.land = ruleset.board.land
        self.bit = ruleset.board.bit
        self.beside = ruleset.board.beside
        self.neighbours = ruleset.board.neighbours
        # By index of the rank in the rule set:
        self.index = {rank.id: number for number, rank in enumerate(ruleset.ranks)}
        self.moves = tuple(not rank.has(Trait.IMMOVABLE) for rank in ruleset.ranks)
        self.runs = tuple(rank.has(Trait.RUNNER) for rank in ruleset.ranks)
        self._fights: dict[tuple[int, int, int], FightResult] = {}

    @cached_property
    def paths(self) -> dict[tuple[Place, Place], Path]:
        """Every straight path of the board, by the names of its ends."""
        return index_paths(self.ruleset.board)

    def fight(self, attacker: int, defender: int, rise: int = 0) -> FightResult:
        """Look up the result of a fight of two ranks, given by index, with `rise` added to the attacker's number."""
        result = self._fights.get((attacker, defender, rise))
        if result is None:
            ruleset = self.ruleset
            fighter = ruleset.ranks[attacker]
            if rise and fighter.number is not None:
                fighter = replace(fighter, number=fighter.number + rise)
            result = decide(ruleset.fights, fighter, ruleset.ranks[defender])
            self._fights[attacker, defender, rise] = result
        return result

"""A rule set compiled once: the tables that all its games share."""

from functools import cached_property
from typing import Final

from msgspec.structs import replace

from arbiter.games.board.paths import Path, paths
from arbiter.games.board.ruleset import Ruleset
from arbiter.games.fights import Fight, decide
from arbiter.games.ranks import Trait
from protocol.words import OPPONENT, SEATS, Seat


class Tables:
    """What the engine looks up of a rule set: bits, neighbours, traits by rank index, fights."""

    next_to_act: Final[dict[Seat, tuple[Seat, ...]]] = {seat: (OPPONENT[seat],) for seat in SEATS}

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.land = ruleset.board.land
        self.bit = ruleset.board.bit
        self.beside = ruleset.board.beside
        self.neighbours = ruleset.board.neighbours
        self.index = {rank.id: number for number, rank in enumerate(ruleset.ranks)}
        self.moves = tuple(not rank.has(Trait.IMMOVABLE) for rank in ruleset.ranks)
        self.runs = tuple(rank.has(Trait.RUNNER) for rank in ruleset.ranks)

    @cached_property
    def paths(self) -> dict[tuple[str, str], Path]:
        """Every straight way of the board."""
        return paths(self.ruleset.board)

    @cached_property
    def _fights(self) -> dict[tuple[int, int, int], Fight]:
        return {}

    def fight(self, attacker: int, defender: int, rise: int = 0) -> Fight:
        """Look up the fight of two ranks, given by index; the attacker's number may have risen."""
        fight = self._fights.get((attacker, defender, rise))
        if fight is None:
            fight = self._fights[attacker, defender, rise] = self._decided(attacker, defender, rise)
        return fight

    def _decided(self, attacker: int, defender: int, rise: int) -> Fight:
        ruleset = self.ruleset
        ranks = ruleset.ranks
        fighter = ranks[attacker]
        if rise and fighter.number is not None:
            fighter = replace(fighter, number=fighter.number + rise)
        return decide(ruleset.fights, ruleset.disclosure, fighter, ranks[defender])

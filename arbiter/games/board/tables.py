"""A rule set compiled once: the tables that all its games share."""

from functools import cached_property
from typing import Final

from arbiter.games.board.lines import Line, lines
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
    def lines(self) -> dict[tuple[str, str], Line]:
        """Every straight way of the board."""
        return lines(self.ruleset.board)

    @cached_property
    def _fights(self) -> dict[tuple[int, int], Fight]:
        return {}

    def fight(self, attacker: int, defender: int) -> Fight:
        """Look up the fight of two ranks, given by index."""
        fight = self._fights.get((attacker, defender))
        if fight is None:
            ruleset = self.ruleset
            ranks = ruleset.ranks[attacker], ruleset.ranks[defender]
            fight = self._fights[attacker, defender] = decide(ruleset.fights, ruleset.disclosure, *ranks)
        return fight

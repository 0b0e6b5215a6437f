"""A game as its player is told of it at the start, and what follows from the rules."""

import sys
from functools import cached_property
from random import Random
from typing import Final, Literal

from msgspec import UNSET

from protocol.bot.board import Board
from protocol.messages import Start
from protocol.view import new_knowledge
from protocol.words import OPPONENT, RankId

AGGRESSOR_ADVANTAGE: Final = "aggressor-advantage"  # the option by which the attacker wins among equals


class Game:
    """One game as its player sees it; what its moves change is in each `Turn`.

    `id` is any text; `seat` is one's own, `enemy` the other; `rules` and `time` are what `start` told;
    `opponent` is its name or None; `rng` is a generator seeded for this game and this seat; `number` maps
    each rank to its number, 0 where it has none; `fold.view()` is what is known now, also between turns.
    """

    def __init__(self, start: Start) -> None:
        self.id = start.game
        self.seat = start.seat
        self.enemy = OPPONENT[start.seat]
        self.rules = start.rules
        self.opponent = start.opponent
        self.time = start.time
        self.rng = Random(start.seed)
        self.number: dict[RankId, int] = {rank.id: rank.rank or 0 for rank in start.rules.ranks}
        self.fold = new_knowledge(start.rules, start.seat)

    @cached_property
    def board(self) -> Board | None:
        """The squares of the board; None in the card game."""
        return None if self.rules.board is UNSET else Board(self.rules.board)

    def fight(self, attacker: RankId, defender: RankId) -> Literal["win", "draw", "loss"]:
        """Say how an attack ends for the attacker; in a draw both leave.

        Remote attacks and later attacks of a rage have rules of their own.
        """
        if defender == "flag":
            return "win"
        if defender == "bomb":
            return "win" if attacker == "miner" else "loss"
        if (attacker, defender) == ("spy", "marshal"):
            return "win"
        ahead = self.number[attacker] - self.number[defender]
        if not ahead:
            return "win" if AGGRESSOR_ADVANTAGE in self.rules.options else "draw"
        return "win" if ahead > 0 else "loss"

    def log(self, *words: object) -> None:
        """Write a line to stderr, where the arbiter keeps it for the author."""
        print(*words, file=sys.stderr, flush=True)  # noqa: T201 - the one place that prints

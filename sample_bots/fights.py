"""What a fight is worth: the values of ranks, and what may come of it where ranks are only guessed."""

from collections.abc import Iterable
from functools import cached_property
from typing import Final

from protocol.bot import Game
from sample_bots.beliefs import STILL, Chances

VALUES: Final = {
    "marshal": 100,
    "general": 75,
    "colonel": 50,
    "major": 36,
    "marksman": 45,
    "captain": 25,
    "berserker": 35,
    "lieutenant": 17,
    "sergeant": 12,
    "miner": 20,
    "scout": 9,
    "spy": 22,
    "infiltrator": 20,
    "bomb": 14,
    "flag": 300,
}
PLAIN_VALUE: Final = 25  # of a rank that is not listed
NEWS: Final = 0.1  # the part of a rank's value that it is worth to know where it is
TURNED: Final = {"win": "loss", "draw": "draw", "loss": "win"}


def value(rank: str) -> float:
    """Return what a piece is worth."""
    return VALUES.get(rank, PLAIN_VALUE)


class Odds:
    """What may come of a fight: our chances of `win`, `tie` and `lose`, and what the enemy loses on the average.

    `spoils` is what he loses where he is beaten, `swaps` where both leave.
    """

    def __init__(self, beaten: Chances, tied: Chances, winners: Chances, game: Game) -> None:
        self.win, self.tie, self.lose = (sum(chances.values()) for chances in (beaten, tied, winners))
        self.spoils, self.swaps = _mean_value(beaten), _mean_value(tied)
        self._winners = winners
        self._game = game

    @cached_property
    def survivor(self) -> "Foe":
        """What the enemy piece may be once it has won."""
        return Foe({rank: chance / self.lose for rank, chance in self._winners.items()}, self._game)


class Foe:
    """An enemy piece in thought: the chance of each rank, and the odds of its fights, worked out once."""

    __slots__ = ("_attacked", "_attacks", "_game", "chances", "known", "mobile", "news")

    def __init__(self, chances: Chances, game: Game) -> None:
        self.chances = chances
        self.known = len(chances) == 1
        self.mobile = sum(chance for rank, chance in chances.items() if rank not in STILL)
        hidden = {rank: chance for rank, chance in chances.items() if rank != "flag"}
        self.news = 0.0 if self.known else NEWS * _mean_value(hidden)
        self._game = game
        self._attacked: dict[str, Odds] = {}
        self._attacks: dict[str, Odds] = {}

    def attacked_by(self, rank: str) -> Odds:
        """Return the odds of an attack on this piece."""
        if rank not in self._attacked:
            self._attacked[rank] = self._odds_of_attack(rank)
        return self._attacked[rank]

    def attacks(self, rank: str) -> Odds:
        """Return the odds of this piece's attack on a rank."""
        if rank not in self._attacks:
            self._attacks[rank] = self._odds_of_defence(rank)
        return self._attacks[rank]

    def _odds_of_attack(self, rank: str) -> Odds:
        return self._odds((self._game.fight(rank, enemy), enemy) for enemy in self.chances)

    def _odds_of_defence(self, rank: str) -> Odds:
        movers = (enemy for enemy in self.chances if enemy not in STILL)
        return self._odds((TURNED[self._game.fight(enemy, rank)], enemy) for enemy in movers)

    def _odds(self, fights: Iterable[tuple[str, str]]) -> Odds:
        ends: dict[str, Chances] = {"win": {}, "draw": {}, "loss": {}}
        for end, enemy in fights:
            ends[end][enemy] = self.chances[enemy]
        return Odds(ends["win"], ends["draw"], ends["loss"], self._game)


def _mean_value(chances: Chances) -> float:
    return sum(chance * value(rank) for rank, chance in chances.items())

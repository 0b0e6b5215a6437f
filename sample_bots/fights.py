"""The value of a fight: the values of ranks, and the possible outcomes if ranks are only estimated."""

from collections.abc import Iterable
from functools import cached_property
from typing import Final

from protocol.bot import Game
from sample_bots.beliefs import IMMOVABLE, Chances

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
DEFAULT_VALUE: Final = 25  # of a rank that is not listed
INFORMATION: Final = 0.1  # the value of knowing where a rank is, as a part of the value of that rank
REVERSED: Final = {"win": "loss", "draw": "draw", "loss": "win"}


def value(rank: str) -> float:
    """Return the value of a piece."""
    return VALUES.get(rank, DEFAULT_VALUE)


class Odds:
    """The possible outcomes of a fight, for us."""

    def __init__(self, beaten: Chances, tied: Chances, winners: Chances, game: Game) -> None:
        self.win = sum(beaten.values())
        """Probability that we win."""
        self.tie = sum(tied.values())
        """Probability that both leave."""
        self.lose = sum(winners.values())
        """Probability that we lose."""
        self.win_gain = _mean_value(beaten)
        """The enemy's average loss if we win."""
        self.tie_gain = _mean_value(tied)
        """The enemy's average loss if both leave."""
        self._winners = winners
        self._game = game

    @cached_property
    def survivor(self) -> "Foe":
        """The enemy piece after it has won."""
        return Foe({rank: chance / self.lose for rank, chance in self._winners.items()}, self._game)


class Foe:
    """An enemy piece: the probability of each rank, and the odds of its fights, each computed once."""

    __slots__ = ("_as_attacker", "_as_target", "_game", "chances", "information", "known", "mobile")

    def __init__(self, chances: Chances, game: Game) -> None:
        self.chances = chances
        self.known = len(chances) == 1
        self.mobile = sum(chance for rank, chance in chances.items() if rank not in IMMOVABLE)
        """Probability that it can move."""
        hidden = {rank: chance for rank, chance in chances.items() if rank != "flag"}
        self.information = 0.0 if self.known else INFORMATION * _mean_value(hidden)
        """The value of learning its rank."""
        self._game = game
        self._as_target: dict[str, Odds] = {}
        self._as_attacker: dict[str, Odds] = {}

    def odds_as_target(self, attacker: str) -> Odds:
        """Return our odds if a rank of ours attacks this piece."""
        if attacker not in self._as_target:
            self._as_target[attacker] = self._odds((self._game.fight(attacker, enemy), enemy) for enemy in self.chances)
        return self._as_target[attacker]

    def odds_as_attacker(self, defender: str) -> Odds:
        """Return our odds if this piece attacks a rank of ours."""
        if defender not in self._as_attacker:
            self._as_attacker[defender] = self._odds(
                (REVERSED[self._game.fight(enemy, defender)], enemy) for enemy in self.chances if enemy not in IMMOVABLE
            )
        return self._as_attacker[defender]

    def _odds(self, results: Iterable[tuple[str, str]]) -> Odds:
        by_result: dict[str, Chances] = {"win": {}, "draw": {}, "loss": {}}
        for result, enemy in results:
            by_result[result][enemy] = self.chances[enemy]
        return Odds(by_result["win"], by_result["draw"], by_result["loss"], self._game)


def _mean_value(chances: Chances) -> float:
    return sum(chance * value(rank) for rank, chance in chances.items())

"""Suspensions: a bot that forfeits several games in a row plays no more."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from arbiter.tournament.standings.stored_game import StoredGame, find_forfeiters
from protocol.words import RED, SEATS

NOTHING_FORGIVEN: Final[Mapping[str, Collection[str]]] = MappingProxyType({})


class Suspensions:
    """Counts the forfeits in a row of each bot.

    A bot that forfeits `most` games in a row is suspended (0: never).  Walkovers and annulled games do not count.
    """

    def __init__(
        self, most: int, games: Iterable[StoredGame] = (), forgiven: Mapping[str, Collection[str]] = NOTHING_FORGIVEN
    ) -> None:
        """Count finished games; `forgiven` are ids of games that do not count for a bot."""
        self._most = most
        self._forgiven = forgiven
        self._forfeits: Counter[str] = Counter()
        for game in sorted(games, key=lambda game: game.started):
            self.add(game)

    def add(self, game: StoredGame) -> None:
        """Count a finished game."""
        if game.ending in {"walkover", "void"}:
            return
        losers = find_forfeiters(game.winner, game.ending)
        for seat, bot in zip(SEATS, (game.red, game.blue), strict=True):
            if game.id not in self._forgiven.get(bot, ()):
                self._forfeits[bot] = self._forfeits[bot] + 1 if seat in losers else 0

    def is_suspended(self, bot: str) -> bool:
        """Return True if a bot forfeits its remaining games."""
        return 0 < self._most <= self._forfeits[bot]

    def describe(self, bot: str) -> str:
        """Return the reason why a suspended bot does not play."""
        return f"{bot} is suspended after {self._forfeits[bot]} forfeits in a row"


def is_suspension_walkover(game: StoredGame, bot: str) -> bool:
    """Return True if a bot lost a game by walkover because it was suspended."""
    losers = [game.red if seat == RED else game.blue for seat in find_forfeiters(game.winner, game.ending)]
    return game.ending == "walkover" and bot in losers and f"{bot} is suspended after " in game.why

"""Suspensions of bots after several forfeits in a row.  Only a reinstatement lifts them, never a ruling on a game."""

from msgspec.structs import replace

from arbiter.tournament.standings.history import NO_HISTORY, History
from arbiter.tournament.standings.stored_game import StoredGame


class Suspensions:
    """Counts the forfeits in a row of each bot.

    A bot that forfeits `most` games in a row is suspended when the last of them is stored (0: never).  Walkovers and
    annulled games do not count, and a game that was ruled on counts as ruled, but a later ruling on a game changes no
    suspension: it stays until the bot is reinstated.  Then the forfeits are counted from zero.
    """

    def __init__(self, most: int, history: History = NO_HISTORY) -> None:
        """Count the games of a history, with each ruling after the games that were stored before it."""
        self._most = most
        self._games: dict[str, list[StoredGame]] = {}
        """Of each bot, as they were stored."""
        self._known: dict[str, None] = {}
        self._suspended: dict[str, int] = {}
        """The forfeits in a row that suspended a bot."""
        self._forgiven: dict[str, int] = {}
        """For each bot, the number of its games before it was reinstated."""
        self._before: dict[int, tuple[int, int]] = {}
        """By the number of a reinstatement: the values of the bot in `_suspended` and `_forgiven` before."""
        earlier = history.earlier
        first, known = (0, 0) if earlier is None else (earlier.games, earlier.rulings)
        self._history = replace(history, rulings=history.rulings[:known])
        for game in () if earlier is None else earlier.forfeits:
            self.add(game)
        counted = 0
        for number, ruling in enumerate(history.rulings[known:], start=known + 1):
            for game in history.as_played[counted : max(0, ruling.games - first)]:
                self.add(game)
            counted = max(counted, ruling.games - first)
            self._history = replace(history, rulings=history.rulings[:number])
            bot = ruling.bot or ""
            if ruling.kind == "reinstate":
                self._before[ruling.number] = self._suspended.pop(bot, 0), self._forgiven.get(bot, 0)
                self._forgiven[bot] = len(self._games.get(bot, ()))
            elif ruling.undoes in self._before:
                row, self._forgiven[bot] = self._before[ruling.undoes]
                if row:
                    self._suspended[bot] = row
        for game in history.as_played[counted:]:
            self.add(game)

    def add(self, game: StoredGame) -> None:
        """Count a game as it is stored; a game that is known already is not counted again."""
        if game.id in self._known:
            return
        self._known[game.id] = None
        for bot in (game.red, game.blue):
            self._games.setdefault(bot, []).append(game)
            if game.ending != "walkover" and 0 < self._most <= (row := len(self._list_row(bot))):
                self._suspended[bot] = row

    def is_suspended(self, bot: str) -> bool:
        """Return True if a bot forfeits its remaining games."""
        return bot in self._suspended

    def count(self, bot: str) -> int:
        """Return the forfeits in a row after which a bot was suspended."""
        return self._suspended[bot]

    def list_forfeits(self) -> list[StoredGame]:
        """List the games that bots forfeited in a row at the end of theirs, in the order in which they were stored."""
        found = {game.id: game for bot in self._games for game in self._list_row(bot)}
        return [found[game_id] for game_id in self._known if game_id in found]

    def _list_row(self, bot: str) -> list[StoredGame]:
        """List the games in a row that a bot has forfeited up to now, the last one first."""
        row: list[StoredGame] = []
        for game in reversed(self._games[bot][self._forgiven.get(bot, 0) :]):
            counted = self._history.apply(game)
            if counted is None or not counted.was_played:
                continue
            if bot not in counted.forfeiters:
                break
            row.append(game)
        return row

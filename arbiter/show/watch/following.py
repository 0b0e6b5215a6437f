"""Which game is to be shown next to one who follows a tournament."""

from collections.abc import Iterable

from arbiter.show.watch.ongoing import Ongoing
from arbiter.tournament.standings.stored_game import StoredGame


class Following:
    """Games that are new while one follows: those under way where they can be watched, else those that finish."""

    def __init__(self, finished: Iterable[StoredGame]) -> None:
        self._known = {game.id for game in finished}
        self._shown: set[tuple[str, str]] = set()  # a game that came to nothing begins once more
        self._latest: StoredGame | Ongoing | None = None

    def hear(self, finished: Iterable[StoredGame], under_way: Iterable[Ongoing], *, is_live: bool) -> None:
        """Take note of the games that are there now; the latest is next, for who follows wants to see what is new."""
        new = [game for game in finished if game.id not in self._known]
        self._known |= {game.id for game in new}
        if is_live:
            begun = [game for game in under_way if game.plies is not None and (game.id, game.at) not in self._shown]
            self._latest = max(begun, key=lambda game: game.at, default=None)
        elif new or isinstance(self._latest, Ongoing):
            self._latest = max(new, key=lambda game: game.started, default=None)

    def next(self) -> StoredGame | Ongoing | None:
        """Return the game to be shown next, once."""
        latest, self._latest = self._latest, None
        if isinstance(latest, Ongoing):
            self._shown.add((latest.id, latest.at))
            self._known.add(latest.id)
        return latest

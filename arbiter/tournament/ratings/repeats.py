"""Repeated pairs of games in a match: how many there are, and when no new one can be expected."""

from collections.abc import Iterable
from typing import Final

from arbiter.tournament.ratings.pairs import DistinctPairs, PairQueue
from arbiter.tournament.standings.stored_game import StoredGame

LEAST_IN_A_ROW: Final = 10


class RepeatWatch:
    """The repeated pairs of games of a match in progress.

    Bots that repeat ten pairs in a row, and one for each starting position, are not expected to play a new one.  If a
    match ends here although new pairs have a probability of 0.3, chance has done that in 3 % of matches.
    """

    def __init__(self, starts: int, games: Iterable[StoredGame] = ()) -> None:
        """Count the games; `starts` is the number of starting positions that they take turns in."""
        self.most_in_a_row = max(LEAST_IN_A_ROW, starts)
        self.restart(games)

    def restart(self, games: Iterable[StoredGame]) -> None:
        """Count the games again, after a ruling changed some of them."""
        self.repeated = 0
        self.in_a_row = 0
        self._queue = PairQueue()
        self._distinct = DistinctPairs()
        for game in games:
            self.add(game)

    @property
    def is_over(self) -> bool:
        """True if no new games are expected."""
        return self.in_a_row >= self.most_in_a_row

    def add(self, game: StoredGame) -> None:
        """Add a finished game; its pair counts once all earlier pairs are complete."""
        for pair in self._queue.add(game):
            if pair.score is None:
                continue
            if self._distinct.add(pair):
                self.in_a_row = 0
            else:
                self.repeated += 1
                self.in_a_row += 1

"""The finished games that count, found by their fixtures."""

from collections.abc import Iterable

from arbiter.tournament.fixture import Round, SeatsOfStage, parse_id
from arbiter.tournament.standings.history import find_base
from arbiter.tournament.standings.stored_game import StoredGame


class FinishedGames:
    """The finished games that count, one for each id in the schedule: the last one."""

    def __init__(self, games: Iterable[StoredGame] = ()) -> None:
        self.by_id: dict[str, StoredGame] = {}
        """By their ids in the schedule."""
        self._by_seats: dict[SeatsOfStage, dict[int, StoredGame]] = {}
        for game in games:
            self.add(game)

    def add(self, game: StoredGame) -> None:
        """Add a game, or replace the one with the same id in the schedule."""
        base = find_base(game.id)
        self.by_id[base] = game
        place = parse_id(base)
        if place is not None:
            seats, pair = place
            same = game.pair if game.pair == pair else pair  # one number in memory, not two
            self._by_seats.setdefault(seats, {})[same] = game

    def select(self, rounds: Iterable[Round]) -> list[StoredGame]:
        """List the games of some rounds in the order of their fixtures."""
        return [game for one in rounds for game in one.fixtures.select(self._by_seats)]

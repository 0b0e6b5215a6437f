"""What the pages of a report remember of each game, so that no record is read twice."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.games.base import FORFEITS
from arbiter.record import RecordError, read_record
from arbiter.show.report.entries import entries_of
from arbiter.show.report.games import PageOrder
from arbiter.show.report.values import Answers, Entry
from arbiter.tournament.standings.stored_game import StoredGame


class Forfeit(Struct, frozen=True):
    """A forfeited game and the last lines of its log."""

    game: StoredGame
    log: Sequence[str]


class ReportIndex:
    """Grows with each game that is taken in: what its bots are remembered by, and the log of one that was forfeited."""

    def __init__(self) -> None:
        self.entries: dict[str, list[Entry]] = {}
        self.forfeits: list[Forfeit] = []

    def take(self, order: PageOrder) -> None:
        """Take a game in; of a record that cannot be read nothing is remembered."""
        game = order.game
        if game.ending in FORFEITS:
            self.forfeits.append(Forfeit(game, order.log))
        try:
            found = entries_of(read_record(order.record))
        except (RecordError, ConfigError):
            return
        for bot, entry in ((game.red, found["red"]), (game.blue, found["blue"])):
            self.entries.setdefault(bot, []).append(entry)

    @property
    def answers(self) -> Mapping[str, Answers]:
        """How long each bot thought, over all its games."""
        return {bot: sum((entry.answers for entry in each), Answers()) for bot, each in self.entries.items()}

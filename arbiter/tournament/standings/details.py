"""Tables of who played whom, as values: a format chooses one, and every output writes it in its own way."""

from msgspec import Struct

from arbiter.tournament.fixture import Match, RoundBye
from arbiter.tournament.standings.crosstable import Crosstable
from arbiter.tournament.standings.stored_game import StoredGame


class RoundsTable(Struct, frozen=True):
    """The opponent of each bot in each round."""

    games: tuple[StoredGame, ...]
    byes: tuple[RoundBye, ...]


class Bracket(Struct, frozen=True):
    """The matches of a knockout, round by round."""

    matches: tuple[Match, ...]


class PlainTable(Struct, frozen=True):
    """A table of a format that needs a table of its own."""

    title: str
    columns: tuple[str, ...]
    """Names of the columns; cells of a column `bot` are names of bots."""
    rows: tuple[tuple[str | float | None, ...], ...]


Detail = Crosstable | RoundsTable | Bracket | PlainTable

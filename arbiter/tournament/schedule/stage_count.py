"""The games of a stage as they count, and the ranking by them."""

from collections.abc import Sequence

from msgspec import Struct

from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing


class StageCount(Struct, frozen=True):
    """The games of a stage as they count while no game is added and no bot withdrawn."""

    withdrawn: frozenset[str]
    """The withdrawn bots of the tournament."""
    games: Sequence[StoredGame]
    """The finished games in the order of the schedule."""
    counted: Sequence[StoredGame]
    """Those of them that count: without the struck games of bots that left."""
    ranking: tuple[Standing, ...]

"""What a report is made from: a tournament as plain values, and what is kept of each record for the pages of the bots."""

from collections.abc import Sequence

from msgspec import Struct

from arbiter.record import PlayerName
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.events import Began
from arbiter.tournament.ratings.values import Ratings
from arbiter.tournament.standings.crosstable import Crosstable
from arbiter.tournament.standings.game_statistics import Repeats
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing
from protocol.words import Place, RankId, Seat


class Part(Struct, frozen=True, kw_only=True):
    """A stage of a tournament: its ranking, its crosstable, and `more` where its format has more to tell."""

    title: str
    ranking: Sequence[Standing]
    crosstable: Crosstable
    more: Sequence[Sheet] = ()


class LiveTournament(Struct, frozen=True, kw_only=True):
    """What is told of a tournament that is served: the games under way, whether anybody is playing at all.

    Spectators see games under way `delay` plies late, where these `can_be_watched`.
    """

    games: Sequence[Began] = ()
    playing: bool
    can_be_watched: bool = True
    delay: int = 0


class ReportData(Struct, frozen=True, kw_only=True):
    """A tournament as far as it has come; `total` counts the games that can be foreseen, `created` is ISO 8601.

    `counted` are those of the `games` that stand in the schedule, and so in the standings.  `live` is for pages that
    are served.
    """

    name: str
    rules: str
    options: Sequence[str]
    format: str
    total: int
    finished: bool
    created: str
    arbiter: str
    parts: Sequence[Part]
    final: Sequence[Standing]
    ratings: Ratings
    games: Sequence[StoredGame]
    counted: Sequence[StoredGame]
    repeats: Sequence[Repeats] = ()
    live: LiveTournament | None = None


class Answers(Struct):
    """How long a player thought: the number of its answers, their milliseconds in all, and the longest."""

    count: int = 0
    ms: float = 0.0
    longest: float = 0.0

    def __add__(self, other: "Answers") -> "Answers":
        return Answers(self.count + other.count, self.ms + other.ms, max(self.longest, other.longest))

    @property
    def mean(self) -> float:
        """The mean time of an answer, in milliseconds."""
        return self.ms / self.count if self.count else 0.0


class Entry(Struct, frozen=True, kw_only=True):
    """What one player of a game is remembered by; the places of its `setup` are seen from red's side.

    The setup is empty where it was not the player's own choice.
    """

    player: PlayerName
    rules: str
    answers: Answers
    setup: dict[Place, RankId]


Entries = dict[Seat, Entry]


class PageFile(Struct, frozen=True):
    """A page's name within the report and its content."""

    path: str
    content: bytes

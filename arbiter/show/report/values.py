"""The data that a report is made from, and the files that it consists of."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from arbiter.show.tables.groups import Details
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.config.event_data import EventTable
from arbiter.tournament.events import Began
from arbiter.tournament.ratings.sprt import SprtRun
from arbiter.tournament.ratings.values import EarlierRatings, Estimate, Ratings
from arbiter.tournament.standings.crosstable import Crosstable, Repeats
from arbiter.tournament.standings.stored_game import Ruling, StoredGame
from arbiter.tournament.standings.table import Standing

MOST_BOARDS: Final = 6
"""Number of games in progress that the first page shows as small boards."""


class Part(Struct, frozen=True, kw_only=True):
    """A stage of a tournament."""

    title: str
    ranking: Sequence[Standing]
    crosstable: Crosstable

    more: Sequence[Sheet] = ()
    """Further tables of its format, e.g. the bracket of a knockout."""


class LiveTournament(Struct, frozen=True, kw_only=True):
    """The state of a tournament that is served."""

    games: Sequence[Began] = ()
    """Games in progress."""

    playing: bool
    """The tournament is running."""

    can_be_watched: bool = True
    """Spectators can see the games in progress."""

    delay: int = 0
    """Number of plies that spectators are behind."""

    progress: str = ""
    """Number of games played, and the time left."""

    news: int = 0
    """Number of the last change that the pages show; a page that receives a later number loads itself again."""


class Download(Struct, frozen=True):
    """A file that a report offers besides its pages."""

    path: str
    label: str
    make: Callable[[], bytes] | None = None
    """Makes the content; None if the file is written by another function."""


class MatchData(Struct, frozen=True):
    """A match with a sequential test."""

    sheets: Sequence[Sheet]
    run: SprtRun


class RankChanges(Struct, frozen=True):
    """The number of places that each bot has gained since the end of a round; negative if it has lost places."""

    since: int
    """Number of the round."""

    places: Mapping[str, int]


class ReportData(Struct, frozen=True, kw_only=True):
    """A tournament at the time of the report."""

    name: str
    rules: str
    options: Sequence[str]
    format: str

    total: int
    """Number of games, as far as it is known yet."""

    finished: bool

    created: str
    """Date and time in ISO 8601."""

    arbiter: str
    """Version of the arbiter."""

    parts: Sequence[Part]
    final: Sequence[Standing]
    ratings: Ratings
    games: Sequence[StoredGame]

    counted: Sequence[StoredGame]
    """The games that belong to the schedule and count for the standings."""

    rank_changes: RankChanges | None = None
    """Changes since the round before; None in the first round."""

    compare: Callable[[str, str, Sequence[StoredGame]], Estimate | None] | None = None
    """Estimates the Elo difference between two bots from their games against each other."""

    list_earlier_ratings: Callable[[], Sequence[EarlierRatings]] | None = None
    """Rates the bots again after fewer games."""

    match: MatchData | None = None
    """The summary of a match with a sequential test."""

    repeats: Sequence[Repeats] = ()

    voids: Sequence[str] = ()
    """Sentences about voided attempts and excused answers."""

    seed: int | None = None
    """Seed of the tournament, shown with the secret."""

    secret: str | None = None
    """Secret of the tournament; None while games remain, and for pages that are served."""

    rulings: Sequence[Ruling] = ()
    """Rulings in force."""

    replaced: Sequence[StoredGame] = ()
    """Games as played that a ruling replaced by a replay."""

    event: EventTable = EventTable()

    bots: Details = {}
    """Texts about the bots by their names."""

    settings: Mapping[str, str] = {}
    """Descriptions of settings, machine and versions by their labels."""

    groups: Sequence[Sheet] = ()
    """Standings of categories and teams."""

    downloads: Sequence[Download] = ()

    live: LiveTournament | None = None
    """For pages that are served."""

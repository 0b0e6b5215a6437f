"""The data that a report is made from, and values from all records, so that each record is read only once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from msgspec import UNSET, Struct

from arbiter.errors import ConfigError
from arbiter.games.base import FORFEITS
from arbiter.languages.catalogue import DEFAULT_LANGUAGE
from arbiter.record import PlayerName, Record, RecordError, read_record
from arbiter.show.replay.moments import Moments, find_moments
from arbiter.show.report.charts import Plot, plot_scores
from arbiter.show.report.highlights import HighlightFinder
from arbiter.show.report.ladder import LadderData
from arbiter.show.tables.event import Details
from arbiter.show.tables.ladder import ClosedTerm, PlayedMatch
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.config.event_data import EventTable
from arbiter.tournament.events import Attempt, Began
from arbiter.tournament.ratings.deployments import find_deployments
from arbiter.tournament.ratings.sprt import SprtRun
from arbiter.tournament.ratings.values import EarlierRatings, Estimate, Ratings
from arbiter.tournament.standings.crosstable import Crosstable, Repeats
from arbiter.tournament.standings.game_status import ANNULLED, COUNTS, UNRATED, GameStatus
from arbiter.tournament.standings.stored_game import Ruling, StoredGame
from arbiter.tournament.standings.table import Standing
from protocol.words import RED, SEATS, Place, RankId, Seat

MOST_BOARDS: Final = 6
"""Number of games in progress that the first page shows as small boards."""
MOST_ON_WALL: Final = 24
"""The same on the wall."""
LISTED: Final = 250
"""Games that a page lists."""
_MORE_GAMES: Final = 1.02  # times as many, until scores are plotted again


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

    as_of: float = 0.0
    """Unix time at which the results were read."""

    present: Mapping[str, bool] = {}
    """The remote programs and people by name, with True for those that are connected."""

    guests_play: bool = False
    """Spectators may play against the bots."""


class Download(Struct, frozen=True):
    """A file that a report offers besides its pages."""

    path: str
    label: str
    """Key of the text of the link."""
    make: Callable[[], bytes] | None = None
    """Makes the content; None if the file is written by another function."""


class MatchData(Struct, frozen=True):
    """Matches with sequential tests."""

    sheets: Sequence[Sheet]
    runs: Mapping[str, SprtRun]
    """The test of each candidate."""


class RankChanges(Struct, frozen=True):
    """The number of places that each bot has gained since the end of a round; negative if it has lost places."""

    since: int
    """Number of the round."""

    places: Mapping[str, int]


class GameFinder(Struct, frozen=True):
    """Finds stored games with their numbers, and with their results as they are ruled."""

    list: Callable[[Sequence[str], int | None, int], tuple[Mapping[int, StoredGame], int | None]]
    """Lists the latest games of one or two bots, or of all: those stored before a game, and so many at most.

    The last one is the first.  If more may follow, also returns before which game these were stored."""
    find: Callable[[str], tuple[int, StoredGame] | None]
    """Finds a game by its id."""


class JoinOffer(Struct, frozen=True, kw_only=True):
    """The ways in which authors can join with a bot."""

    kit: str
    """Name of the wheel of the kit."""
    rules: str
    """Name of the rule set."""
    takes_remote: bool
    """Programs may play from their authors' machines."""
    takes_submissions: bool
    """Authors may submit programs."""


class ReportData(Struct, frozen=True, kw_only=True):
    """A tournament at the time of the report."""

    name: str
    rules: str
    options: Sequence[str]
    format: str

    total: int | None
    """Number of games, as far as it is known yet; None if it has no limit."""

    unit: Literal["round", "pair"] = "round"
    """The word for what is numbered: rounds or, in a ladder, pairs of games."""

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
    """The games that count for the standings."""

    played: int
    """Number of games of the schedule that are played."""

    uncounted: Mapping[str, GameStatus] = {}
    """The states of the games that do not count, by their ids."""

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

    attempts: Sequence[Attempt] = ()
    """The voided attempts."""

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

    ladder: LadderData | None = None
    """For a ladder."""

    finder: GameFinder | None = None
    """Finds games of results that are served; those of a long ladder that are not in `games`, too."""

    matches: Sequence[PlayedMatch] = ()
    """The latest unrated matches of a ladder, the last one first."""

    terms: Callable[[], Sequence[ClosedTerm]] | None = None
    """Reads the terms of a ladder that are over, if there are any."""

    join: JoinOffer | None = None
    """For pages on which authors learn how to enter a bot."""

    live: LiveTournament | None = None
    """For pages that are served."""

    lang: str = DEFAULT_LANGUAGE
    """Language of the pages."""

    def list_latest(self, *bots: str) -> Sequence[StoredGame]:
        """List the latest games of one or two bots, the last one at the end."""
        return [] if self.finder is None else [*self.finder.list(bots, None, LISTED)[0].values()][::-1]

    @property
    def is_long(self) -> bool:
        """True for a ladder whose pages list only the latest games."""
        return self.ladder is not None and self.ladder.is_long

    def find_state(self, game: StoredGame) -> GameStatus:
        """Return the state of a game."""
        if game.is_unrated:
            return UNRATED
        return self.uncounted.get(game.id, ANNULLED if game.ending == "annulled" else COUNTS)


class Answers(Struct):
    """The times that a bot took to answer, in milliseconds."""

    count: int = 0
    ms: float = 0.0
    longest: float = 0.0

    def __add__(self, other: "Answers") -> "Answers":
        return Answers(self.count + other.count, self.ms + other.ms, max(self.longest, other.longest))

    @property
    def mean(self) -> float:
        return self.ms / self.count if self.count else 0.0


class BotInGame(Struct, frozen=True, kw_only=True):
    """A bot in one game."""

    player: PlayerName
    rules: str
    answers: Answers

    deployment: Mapping[Place, RankId]
    """The deployment that the bot chose, if any; places are seen from red's side."""


class Forfeit(Struct, frozen=True):
    """A forfeited game and the last lines of its log."""

    game: StoredGame
    log: Sequence[str]


class GameSummary(Struct, frozen=True):
    """The part of a game's record that other pages than its own show."""

    entries: Mapping[Seat, BotInGame] = {}
    moments: Moments = Moments()


NO_SUMMARY: Final = GameSummary()


def summarise(record: Record, moments: Moments | None = None) -> GameSummary:
    """Sum up the record of a game; the summary is empty if its rules are not known.  A card game has no moments.

    `moments` are those of the game if they are known already.
    """
    try:
        shape = record.header.game().describe(RED).board
    except ConfigError:
        return NO_SUMMARY
    if moments is None:
        moments = Moments() if shape is UNSET else find_moments(record)
    deployments = find_deployments(record)
    header = record.header
    entries: dict[Seat, BotInGame] = {}
    for seat in SEATS:
        times = [act.ms for act in record.acts if act.seat == seat and act.ms is not None]
        entries[seat] = BotInGame(
            player=header.seats.get(seat, PlayerName(seat)),
            rules=" ".join([header.rules, *header.options]),
            answers=Answers(len(times), sum(times), max(times, default=0.0)),
            deployment=deployments.get(seat, {}),
        )
    return GameSummary(entries, moments)


def read_summary(record: bytes) -> GameSummary:
    """Read the record of a game and sum it up; the summary is empty if the record cannot be read."""
    try:
        return summarise(read_record(record))
    except RecordError:
        return NO_SUMMARY


class ReportIndex:
    """The entries of each bot, the forfeits and the highlights."""

    def __init__(self) -> None:
        self.entries: dict[str, list[BotInGame]] = {}
        self.forfeits: list[Forfeit] = []
        self.highlights = HighlightFinder()
        self._plot: tuple[int, Plot] | None = None  # after this number of games

    def add(self, game: StoredGame, log: Sequence[str], summary: GameSummary, state: GameStatus = COUNTS) -> None:
        """Add a game, with the last lines of its log, unless it neither counts nor is rated."""
        if not state.is_rated:
            return
        if game.ending in FORFEITS:
            self.forfeits.append(Forfeit(game, log))
        for seat, entry in summary.entries.items():
            self.entries.setdefault(getattr(game, seat), []).append(entry)
        self.highlights.add(game, summary.moments)

    def plot_scores(self, results: "ReportData") -> Plot:
        """Plot the scores over time; again only after some more games, so that a live page changes little."""
        count = len(results.counted)
        if self._plot is None or results.finished or not self._plot[0] <= count <= self._plot[0] * _MORE_GAMES:
            self._plot = count, plot_scores([one.bot for one in results.final], results.counted)
        return self._plot[1]

    @property
    def answers(self) -> Mapping[str, Answers]:
        """The times of each bot over all games."""
        return {bot: sum((entry.answers for entry in each), Answers()) for bot, each in self.entries.items()}

"""Values from all records for the pages of a report, so that each record is read only once."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import UNSET, Struct

from arbiter.errors import ConfigError
from arbiter.games.base import FORFEITS
from arbiter.record import PlayerName, Record, RecordError, read_record
from arbiter.show.report.highlights import NO_MOMENTS, HighlightFinder, Moments, find_moments
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.messages import BoardShape
from protocol.words import RED, SEATS, Deploy, Place, RankId, Seat


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


class Entry(Struct, frozen=True, kw_only=True):
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

    entries: Mapping[Seat, Entry] = {}
    moments: Moments = NO_MOMENTS


NO_SUMMARY: Final = GameSummary()


def summarise(record: Record) -> GameSummary:
    """Sum up the record of a game; the summary is empty if its rules are not known.  A card game has no moments."""
    try:
        shape = record.header.game().describe(RED).board
    except ConfigError:
        return NO_SUMMARY
    board = None if shape is UNSET else shape
    moments = NO_MOMENTS if board is None else find_moments(record)
    return GameSummary({seat: _make_entry(record, seat, board) for seat in SEATS}, moments)


def read_summary(record: bytes) -> GameSummary:
    """Read the record of a game and sum it up; the summary is empty if the record cannot be read."""
    try:
        return summarise(read_record(record))
    except RecordError:
        return NO_SUMMARY


class ReportIndex:
    """The entries of each bot, the forfeits and the highlights."""

    def __init__(self) -> None:
        self.entries: dict[str, list[Entry]] = {}
        self.forfeits: list[Forfeit] = []
        self.highlights = HighlightFinder()

    def add(self, game: StoredGame, log: Sequence[str], summary: GameSummary) -> None:
        """Add a game, with the last lines of its log."""
        if game.ending in FORFEITS:
            self.forfeits.append(Forfeit(game, log))
        for seat, entry in summary.entries.items():
            self.entries.setdefault(getattr(game, seat), []).append(entry)
        self.highlights.add(game, summary.moments)

    @property
    def answers(self) -> Mapping[str, Answers]:
        """The times of each bot over all games."""
        return {bot: sum((entry.answers for entry in each), Answers()) for bot, each in self.entries.items()}


def _make_entry(record: Record, seat: Seat, shape: BoardShape | None) -> Entry:
    """Make the entry of a player; `shape` is that of the board, if the game has one."""
    header = record.header
    acts = [act for act in record.acts if act.seat == seat]
    times = [act.ms for act in acts if act.ms is not None]
    deployment: dict[Place, RankId] = {}
    if shape and not header.position:
        deployments = (act.action.pieces for act in acts if isinstance(act.action, Deploy) and act.action.pieces)
        for place, rank in next(deployments, {}).items():
            deployment[place if seat == RED else turn_place(place, shape)] = rank  # type: ignore[assignment]
    return Entry(
        player=header.seats.get(seat, PlayerName(seat)),
        rules=" ".join([header.rules, *header.options]),
        answers=Answers(len(times), sum(times), max(times, default=0.0)),
        deployment=deployment,
    )


def turn_place(place: Place, shape: BoardShape) -> Place:
    """Return the place that a square has when the board is seen from the other side."""
    file = ord(place[0]) - ord("a")
    row = int(place[1:])
    return f"{chr(ord('a') + shape.files - 1 - file)}{shape.rows + 1 - row}"

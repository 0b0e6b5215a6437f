"""Seasons: several events as one, with points for each event, and one ranking."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from arbiter.errors import ConfigError, ConfigErrors
from arbiter.tournament.config.bot_config import BotConfig, BotName
from arbiter.tournament.config.event_data import EventTable, Link, ShortText
from arbiter.tournament.config.tournament_file import Title
from arbiter.tournament.config.typed_toml import read_toml
from arbiter.tournament.prizes import PrizeTable
from arbiter.tournament.standings.crosstable import round_points
from arbiter.tournament.standings.stored_game import Points
from arbiter.tournament.standings.table import Ranked, Standing

_DECIMALS: Final = 2  # of the points of an event, so that sums can be checked by hand
Worth = Annotated[float, Meta(ge=0, le=1_000_000)]
Best = Annotated[int, Meta(ge=1, le=1000)]
Weight = Annotated[float, Meta(gt=0, le=1000, description="a number above 0, at most 1000")]


class SeasonEvent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event of a season."""

    file: str
    """Results, or the tournament file."""
    title: ShortText | None = None
    """Default: the name of the tournament."""
    weight: Weight = 1.0
    names: dict[BotName, BotName] = field(default_factory=dict)
    """Names of bots in this event, and in the season."""
    link: Link | None = None


class SeasonFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A season file."""

    name: Title
    points: Literal["scores"] | list[Worth] = "scores"
    """The points of the event, or points for each place."""
    best: Best | None = None
    """Number of events that count for each bot.  None: all."""
    event: EventTable = EventTable()
    prizes: PrizeTable | None = None
    events: list[SeasonEvent]


def load_season(path: Path) -> SeasonFile:
    """Read a season file.  Raises ConfigError with all faults, each with its line."""
    return read_toml(path, SeasonFile, check_season)


def check_season(file: SeasonFile) -> None:
    """Raise ConfigError if values of a season do not fit each other."""
    faults = [] if file.prizes is None else list(file.prizes.list_faults())
    if not file.events:
        faults.append("events: is empty; add an [[events]] table for each event")
    if file.points != "scores" and (not file.points or sorted(file.points, reverse=True) != file.points):
        faults.append("points: must go from the first place to the last, from most to least, as in [10, 6, 3]")
    if faults:
        raise ConfigErrors(faults)


class EventResult(Struct, frozen=True, kw_only=True):
    """The values of an event that count in a season; bots have their names of the season."""

    title: str
    event: EventTable = EventTable()
    rules: str = ""
    formats: Sequence[str] = ()
    """The format of each stage."""
    weight: float = 1.0
    link: str | None = None
    points: Points | None = None
    """None for an event that has no results."""
    games: int = 0
    """Number of games that count for the standings."""
    total: int = 0
    """Number of games of its schedule, as far as it is known."""
    is_finished: bool = False
    ranking: Sequence[Standing] = ()
    """The final ranking, or the one so far."""
    scores: Mapping[str, float] = {}
    """The points of each bot, over all stages."""
    bots: Mapping[str, BotConfig] = {}


class EventPoints(Struct, frozen=True, kw_only=True):
    """The points that an event has given to a bot."""

    rank: int
    """In the event."""
    score: float
    """Points of the event, over all stages."""
    points: float
    """Points of the season."""
    counts: bool = True
    """False if better events count instead."""


class SeasonStanding(Ranked, frozen=True, kw_only=True):
    """A bot's row in the table of a season; the tie-break `places-1` is the number of first places, and so on."""

    events: Mapping[int, EventPoints]
    """By the numbers of the events that the bot has played, from 0."""


class Season(Struct, frozen=True, kw_only=True):
    """A season with its events so far."""

    file: SeasonFile
    events: Sequence[EventResult]
    bots: Mapping[str, BotConfig]
    """The bots by their names in the season, as their last event has them."""
    ranking: Sequence[SeasonStanding]

    @property
    def is_finished(self) -> bool:
        return all(event.is_finished for event in self.events)


def rank_season(file: SeasonFile, events: Sequence[EventResult]) -> tuple[SeasonStanding, ...]:
    """Rank the bots of all events: by points, then by the most first places, the most second places, and so on.

    Raises ConfigError if the scores of the events cannot be added up.
    """
    begun = [event for event in events if event.points is not None]
    for event in begun:
        if file.points == "scores" and event.points != begun[0].points:
            raise ConfigError(
                f'points: "scores" adds up the points of the events, but {event.title} has other points for a win, a '
                f"draw or a loss than {begun[0].title}; use a list of points for places"
            )
    given = [_give_points(event, file.points) for event in events]
    last = max((one.rank for event in given for one in event.values()), default=0)
    rows: list[SeasonStanding] = []
    for bot in {bot: None for event in given for bot in event}:
        own = {number: event[bot] for number, event in enumerate(given) if bot in event}
        counted = sorted(own, key=lambda number: -own[number].points)[: file.best]
        places = Counter(one.rank for one in own.values())
        rows.append(
            SeasonStanding(
                rank=0,
                bot=bot,
                points=round_points(sum(own[number].points for number in counted)),
                events={number: replace(one, counts=number in counted) for number, one in own.items()},
                tie_breaks={f"places-{place}": float(places[place]) for place in range(1, last + 1)},
            )
        )
    rows.sort(key=lambda row: (row.points, [*row.tie_breaks.items()]), reverse=True)
    for number, row in enumerate(rows):
        above = rows[number - 1] if number else None
        rank, separated_by = number + 1, None
        if above is not None and above.points == row.points:
            names = (name for name, count in row.tie_breaks.items() if count != above.tie_breaks[name])
            separated_by = next(names, None)
            if separated_by is None:
                rank, separated_by = above.rank, above.separated_by
        rows[number] = replace(row, rank=rank, separated_by=separated_by)
    return tuple(rows)


def _give_points(event: EventResult, points: Literal["scores"] | Sequence[float]) -> dict[str, EventPoints]:
    """Return what an event gives to its bots; equal bots get the mean of their places.

    Disqualified bots and bots whose games are struck get nothing, and the places below them close up.
    """
    rows = [row for row in event.ranking if row.withdrawn not in {"struck", "lost"}] if event.games else []
    given: dict[str, EventPoints] = {}
    for row in rows:
        equal = [place for place, other in enumerate(rows) if other.rank == row.rank]
        score = event.scores[row.bot]
        worth = score if points == "scores" else sum(points[equal[0] : equal[-1] + 1]) / len(equal)
        given[row.bot] = EventPoints(rank=equal[0] + 1, score=score, points=round(worth * event.weight, _DECIMALS))
    return given

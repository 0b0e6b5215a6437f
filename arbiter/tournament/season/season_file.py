"""A season as its organiser writes it: its events, and how they count together."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, field

from arbiter.errors import ConfigError, ConfigErrors, check_known, list_messages
from arbiter.tournament.config.bot_entries import BotName
from arbiter.tournament.config.event_data import EventTable, Link, ShortText
from arbiter.tournament.config.tournament_file import Title
from arbiter.tournament.config.typed_toml import read_toml
from arbiter.tournament.prizes import PrizeTable

SeasonTies = Literal["tie-breaks", "share"]
SEASON_TIE_BREAKS: Final = ("places", "direct", "all", "last")
"""More first places (then second, ...), games against each other, points of all events, points of the last event."""

Worth = Annotated[float, Meta(ge=0, le=1_000_000)]
Best = Annotated[int, Meta(ge=1, le=1000)]
Movers = Annotated[int, Meta(ge=0, le=1000)]
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


class Division(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bots that have a table of their own."""

    name: ShortText
    bots: list[BotName]
    promoted: Movers = 0
    relegated: Movers = 0
    prizes: PrizeTable | None = None


class SeasonFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A season file."""

    name: Title
    points: Literal["scores", "share"] | list[Worth] = "share"
    """The points of the event, its share of the maximum in per cent, or points for each place."""
    ties: SeasonTies = "tie-breaks"
    best: Best | None = None
    """Number of events that count for each bot.  None: all."""
    tie_breaks: list[str] = field(default_factory=lambda: list(SEASON_TIE_BREAKS))
    anchor: str | None = None
    entrants: str | None = None
    names: dict[BotName, BotName] = field(default_factory=dict)
    """Names of bots in all events, and in the season."""
    event: EventTable = EventTable()
    prizes: PrizeTable | None = None
    events: list[SeasonEvent]
    divisions: list[Division] = field(default_factory=list)


def load_season(path: Path) -> SeasonFile:
    """Read a season file.  Raises ConfigError with all faults, each with its line."""
    return read_toml(path, SeasonFile, check_season)


def check_season(file: SeasonFile) -> None:
    """Raise ConfigError if values of a season do not fit each other."""
    if faults := list(_list_faults(file)):
        raise ConfigErrors(faults)


def _list_faults(file: SeasonFile) -> Iterator[str]:
    if not file.events:
        yield "events: is empty; add an [[events]] table for each event"
    if isinstance(file.points, list):
        if not file.points or sorted(file.points, reverse=True) != file.points:
            yield "points: must go from the first place to the last, from most to least, as in [10, 6, 3]"
    elif file.ties == "share":
        yield 'ties: "share" divides points for places, but points is not a list of them; leave it out'
    for number, event in enumerate(file.events, start=1):
        if [one.file for one in file.events[:number]].count(event.file) > 1:
            yield f"events.#{number}.file: {event.file} is already another event; list each once"
    for name in file.tie_breaks:
        try:
            check_known("tie-break", name, SEASON_TIE_BREAKS)
        except ConfigError as error:
            yield f"tie_breaks: {error}"
    if len({*file.tie_breaks}) != len(file.tie_breaks):
        yield "tie_breaks: one is listed twice; list each one once"
    yield from _list_prize_faults(file.prizes, "")
    yield from _list_division_faults(file.divisions)


def _list_prize_faults(table: PrizeTable | None, prefix: str) -> Iterator[str]:
    try:
        if table is not None:
            table.check()
    except ConfigError as error:
        yield from (f"{prefix}{message}" for message in list_messages(error))


def _list_division_faults(divisions: Sequence[Division]) -> Iterator[str]:
    members = Counter(bot for one in divisions for bot in one.bots)
    for bot, count in members.items():
        if count > 1:
            yield f"divisions: {bot} is listed {count} times; a bot is in one division"
    names = Counter(one.name.casefold() for one in divisions)
    for number, one in enumerate(divisions, start=1):
        key = f"divisions.{one.name}"
        if names[one.name.casefold()] > 1:
            yield f"{key}: there are several divisions with this name; give each its own"
        if number == 1 and one.promoted:
            yield f"{key}.promoted: the first division is the highest; leave it out"
        if number == len(divisions) and one.relegated:
            yield f"{key}.relegated: the last division is the lowest; leave it out"
        if one.promoted + one.relegated > len(one.bots):
            yield f"{key}: moves {one.promoted + one.relegated} bots, but has {len(one.bots)}"
        yield from _list_prize_faults(one.prizes, f"{key}.")

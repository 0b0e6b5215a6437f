"""The data of a season's tables and pages."""

from collections.abc import Sequence

from msgspec import Struct

from arbiter import __version__
from arbiter.languages.catalogue import DEFAULT_LANGUAGE
from arbiter.show.tables.season import (
    events_sheet,
    list_season_prizes,
    rating_sheets,
    records_sheet,
    season_sheets,
)
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.config.event_data import EventTable
from arbiter.tournament.prizes import Entries
from arbiter.tournament.season.ratings import SeasonRatings, rate_season
from arbiter.tournament.season.records import find_records
from arbiter.tournament.season.table import EventResult, Season, SeasonStanding, rank_divisions, rank_season


class SeasonData(Struct, frozen=True, kw_only=True):
    """A season at the time of its pages."""

    name: str
    event: EventTable
    arbiter: str
    """Version of the arbiter."""
    events: Sequence[EventResult]
    bots: Entries
    everyone: Sequence[SeasonStanding]
    """The ranking of all bots, whatever their division."""
    ratings: Sequence[SeasonRatings]
    """For each set of rules."""
    tables: Sequence[Sheet]
    prizes: Sequence[Sheet]
    calendar: Sheet
    rating_tables: Sequence[Sheet]
    records: Sheet
    live: None = None
    lang: str = DEFAULT_LANGUAGE
    """Language of the pages."""

    @property
    def is_finished(self) -> bool:
        return all(event.is_finished for event in self.events)


def make_season_data(season: Season, anchor: str | None = None, *, with_history: bool) -> SeasonData:
    """Make the data of a season; `anchor` is BOT=RATING.  Default: that of its file.

    Raises ConfigError.
    """
    file, events = season.file, season.events
    tables = rank_divisions(file, events)
    everyone = rank_season(file, events)
    ratings = rate_season(events, anchor or file.anchor, with_history=with_history)
    finished = all(event.is_finished for event in events)
    return SeasonData(
        name=file.name,
        event=file.event,
        arbiter=__version__,
        events=events,
        bots=season.bots,
        everyone=everyone,
        ratings=ratings,
        tables=season_sheets(file, tables, events, season.bots),
        prizes=list_season_prizes(file, tables, everyone, season.bots, finished=finished) if everyone else [],
        calendar=events_sheet(events, season.bots),
        rating_tables=rating_sheets(ratings, events),
        records=records_sheet(find_records(events, everyone), season.bots),
    )

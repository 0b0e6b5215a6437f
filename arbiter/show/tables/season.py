"""A season as sheets: its table, events, ratings, records and prizes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from arbiter.languages.phrase import heading, join_phrases, name_code, phrase
from arbiter.show.rules_page import title_rules
from arbiter.show.tables.event import Details, list_stages, with_details
from arbiter.show.tables.prizes import list_names, prizes_sheet, write_ordinal
from arbiter.show.tables.ratings import ratings_sheet
from arbiter.show.tables.sheet import JSON, LISTED, SHOWN, Column, Outputs, Sheet
from arbiter.show.text import number, tidied
from arbiter.tournament.prizes import Entries, award_prizes
from arbiter.tournament.season.ratings import SeasonRatings
from arbiter.tournament.season.records import SeasonRecord
from arbiter.tournament.season.season_file import SeasonFile
from arbiter.tournament.season.table import (
    DivisionTable,
    EventResult,
    SeasonStanding,
    Share,
    list_next_divisions,
)

_FOR_PEOPLE: Final[Outputs] = ("text", "page")
_CSV: Final[Outputs] = ("csv",)
_RECORDS: Final[Mapping[str, str]] = {
    "unbeaten": "games_in_a_row",
    "winning": "games_in_a_row",
    "games_won": "count_games",
    "events_won": "count_events",
    "games_played": "count_games",
    "best_event": "share_of_points",
    "shortest_win": "count_plies",
    "longest_game": "count_plies",
}
"""Keys of the texts of values of records."""


def season_sheets(
    file: SeasonFile, tables: Sequence[DivisionTable], events: Sequence[EventResult], bots: Details
) -> list[Sheet]:
    """Make the tables of a season: one for each division."""
    sheets = [_make_table(one, events, bots, several=len(tables) > 1) for one in tables]
    sheets[-1] = sheets[-1].note(_list_notes(file, tables, events))
    return sheets


def _make_table(table: DivisionTable, events: Sequence[EventResult], bots: Details, *, several: bool) -> Sheet:
    def make_columns(place: int) -> Iterator[Column[SeasonStanding]]:
        event = events[place]
        key = f"event-{place + 1}"
        title = event.title if event.is_finished or not event.has_begun else f"{event.title} *"
        yield Column(key, title, lambda one: write_share(one.shares[place]), on=_FOR_PEOPLE, is_name=True)
        yield Column(
            key,
            event.title,
            value=lambda one: None if (share := one.shares[place]) is None else share.points,
            on=_CSV,
            is_name=True,
        )

    columns: tuple[Column[SeasonStanding], ...] = (
        Column("rank", width="keep"),
        Column("bot", align="left", width="keep"),
        Column("points", value=lambda one: tidied(one.points), width="keep", tone="strong"),
        *(column for place in range(len(events)) for column in make_columns(place)),
        Column("played", "events", on=LISTED),
        Column("division", align="left", on=("csv", "json")),
        Column(
            "events",
            value=lambda one: [
                None
                if share is None
                else {"rank": share.rank, "score": share.score, "points": share.points, "counts": share.counts}
                | ({"status": share.status} if share.status else {})
                for share in one.shares
            ],
            on=JSON,
        ),
        Column("tie_breaks", on=JSON),
        Column(
            "separated_by",
            "decided_by",
            text=lambda one: None if one.separated_by is None else name_tie_break(one.separated_by),
            align="left",
            is_optional=True,
        ),
        Column(
            "moves", "next_season", text=lambda one: one.moves and name_code(one.moves), align="left", is_optional=True
        ),
    )
    title = heading("season") if table.division is None else phrase("division", name=table.division.name)
    title = phrase("no_division") if table.division is None and several else title
    return with_details(Sheet(title=title, columns=columns, items=table.rows, kind="season"), bots)


def write_share(share: Share | None) -> str:
    """Write what an event has given to a bot: brackets if better events count, a dash if it was absent."""
    if share is None:
        return "-"
    text = number(share.points)
    if share.status:
        return join_phrases("", [text, " (", name_code(share.status), ")"])
    return text if share.counts else f"({text})"


def name_tie_break(name: str) -> str:
    """Return the name of a tie-break of a season for people."""
    kind, _, place = name.partition("-")
    match kind:
        case "places":
            return phrase("places", place=write_ordinal(int(place)))
        case "event":
            return phrase("event_number", number=place)
        case "all":
            return phrase("all_events")
        case _:
            return name_code(name)


def _list_notes(file: SeasonFile, tables: Sequence[DivisionTable], events: Sequence[EventResult]) -> Iterator[str]:
    """Yield sentences about how the events count."""
    shares = [share for table in tables for row in table.rows for share in row.shares if share is not None]
    match file.points:
        case "share":
            yield phrase("gives_share")
        case "scores":
            yield phrase("gives_points")
        case places:
            key = "gives_places_on" if len(places) > 5 else "gives_places"  # noqa: PLR2004 - enough to see how they fall
            yield phrase(key, points=", ".join(map(number, places[:5])))
    if file.best is not None:
        yield phrase("best_count", count=file.best, events=len(events))
    weights = [f"{event.title} {number(event.weight)}" for event in events if event.weight != 1]
    if weights:
        yield phrase("weights", weights=", ".join(weights))
    if any(share.status == "disqualified" for share in shares):
        yield phrase("event_disqualified")
    if any(event.has_begun and not event.is_finished for event in events):
        yield phrase("event_in_progress")
    if (following := list_next_divisions(tables)) is not None:
        for name, bots_of in following.items():
            yield phrase("next_division", division=name, bots=", ".join(bots_of))
    elif any(row.moves == "tied" for one in tables for row in one.rows):
        yield phrase("division_tied")


# --- events, ratings and records ------------------------------------------------------------------


def events_sheet(events: Sequence[EventResult], bots: Details) -> Sheet:
    """Make the sheet of the events of a season."""

    def find_first(event: EventResult) -> list[str]:
        return [(bots[bot].title or bot) if bot in bots else bot for bot in event.list_first()]

    items = list(enumerate(events, start=1))
    columns: tuple[Column[tuple[int, EventResult]], ...] = (
        Column("number", "#", value=lambda one: one[0], width="keep"),
        Column("event", value=lambda one: one[1].title, align="left"),
        Column("dates", value=lambda one: one[1].event.dates, align="left", is_optional=True),
        Column("place", value=lambda one: one[1].event.place, align="left", is_optional=True),
        Column("rules", value=lambda one: title_rules(one[1].rules), align="left"),
        Column("format", value=lambda one: list_stages(one[1].formats), align="left"),
        Column("bots", value=lambda one: len(one[1].bots)),
        Column("games", value=lambda one: len(one[1].games)),
        Column("status", value=lambda one: describe_progress(one[1]), align="left"),
        Column("first", value=lambda one: find_first(one[1]), align="left"),
        Column("link", value=lambda one: one[1].link, align="left", on=JSON),
    )
    return Sheet(title=heading("events"), columns=columns, items=items, kind="event")


def describe_progress(event: EventResult) -> str:
    """Describe in a few words how much of an event is played."""
    if event.is_finished:
        return phrase("finished")
    return phrase("some_games", some=len(event.games), all=event.total) if event.has_begun else phrase("not_begun")


def rating_sheets(found: Sequence[SeasonRatings], events: Sequence[EventResult]) -> list[Sheet]:
    """Make the sheets of ratings: one for the events of each set of rules."""
    if len(found) == 1:
        return [ratings_sheet(found[0].ratings)]
    return [
        replace(
            sheet,
            title=join_phrases(": ", [sheet.title, list_names(events[number - 1].title for number in one.events)]),
            data=[{"rules": one.rules, "events": one.events, **line} for line in sheet.objects],
        )
        for one in found
        for sheet in [ratings_sheet(one.ratings)]
    ]


def records_sheet(records: Sequence[SeasonRecord], bots: Details) -> Sheet:
    """Make the sheet of records."""

    def write_value(one: SeasonRecord) -> str:
        return phrase(_RECORDS[one.kind], count=tidied(one.value))

    columns: tuple[Column[SeasonRecord], ...] = (
        Column("record", value=lambda one: phrase(f"record_{one.kind}"), align="left"),
        Column(
            "bots",
            text=lambda one: [(bots[bot].title or bot) if bot in bots else bot for bot in one.bots],
            align="left",
        ),
        Column("text", "value", value=write_value, align="left", on=SHOWN),
        Column("event", align="left", is_optional=True),
        Column("kind", on=JSON),
        Column("value", on=JSON),
        Column("game", on=JSON),
    )
    return Sheet(title=heading("records"), columns=columns, items=records, kind="record")


# --- prizes ---------------------------------------------------------------------------------------


def list_season_prizes(
    file: SeasonFile,
    tables: Sequence[DivisionTable],
    everyone: Sequence[SeasonStanding],
    bots: Entries,
    *,
    finished: bool,
) -> list[Sheet]:
    """List the prizes of a season and of its divisions by the standings so far."""
    own = [] if file.prizes is None else [(None, file.prizes, everyone)]
    divided = [
        (phrase("division", name=one.division.name), one.division.prizes, one.rows)
        for one in tables
        if one.division is not None and one.division.prizes is not None
    ]
    return [
        sheet if division is None else replace(sheet, title=join_phrases(": ", [division, sheet.title]))
        for division, table, rows in (*own, *divided)
        for sheet in [prizes_sheet(table, award_prizes(table, rows, bots), bots, finished=finished)]
    ]

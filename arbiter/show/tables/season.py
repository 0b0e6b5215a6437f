"""A season as sheets: its table, its events and its prizes."""

from collections.abc import Iterator
from typing import Final

from arbiter.languages.phrase import heading, phrase
from arbiter.show.rules_page import title_rules
from arbiter.show.tables.event import list_stages, with_details
from arbiter.show.tables.prizes import prizes_sheet, write_ordinal
from arbiter.show.tables.sheet import JSON, LISTED, Column, Outputs, Sheet
from arbiter.show.text import number, tidied
from arbiter.tournament.prizes import award_prizes
from arbiter.tournament.season import EventPoints, EventResult, Season, SeasonStanding

_FOR_PEOPLE: Final[Outputs] = ("text", "page")
_CSV: Final[Outputs] = ("csv",)
_MOST_PLACES: Final = 5  # that a note lists: enough to see how the points fall


def season_sheet(season: Season) -> Sheet:
    """Make the table of a season."""

    def make_columns(place: int, event: EventResult) -> Iterator[Column[SeasonStanding]]:
        key = f"event-{place + 1}"
        title = f"{event.title} *" if event.games and not event.is_finished else event.title
        yield Column(key, title, lambda one: _write_points(one.events.get(place)), on=_FOR_PEOPLE, is_name=True)
        yield Column(
            key,
            event.title,
            value=lambda one: one.events[place].points if place in one.events else None,
            on=_CSV,
            is_name=True,
        )

    places = range(len(season.events))
    columns: tuple[Column[SeasonStanding], ...] = (
        Column("rank", width="keep"),
        Column("bot", align="left", width="keep"),
        Column("points", value=lambda one: tidied(one.points), width="keep", tone="strong"),
        *(column for place in places for column in make_columns(place, season.events[place])),
        Column("played", "events", value=lambda one: len(one.events), on=LISTED),
        Column("events", value=lambda one: [one.events.get(place) for place in places], on=JSON),
        Column("tie_breaks", on=JSON),
        Column(
            "separated_by",
            "decided_by",
            text=lambda one: (
                one.separated_by
                and phrase("places", place=write_ordinal(int(one.separated_by.removeprefix("places-"))))
            ),
            align="left",
            is_optional=True,
        ),
    )
    sheet = Sheet(
        title=heading("season"), columns=columns, items=season.ranking, kind="season", notes=tuple(_list_notes(season))
    )
    return with_details(sheet, season.bots)


def _write_points(given: EventPoints | None) -> str:
    """Write what an event has given to a bot: brackets if better events count, a dash if it was absent."""
    if given is None:
        return "-"
    return number(given.points) if given.counts else f"({number(given.points)})"


def _list_notes(season: Season) -> Iterator[str]:
    """Yield sentences about how the events count."""
    points, best = season.file.points, season.file.best
    if points == "scores":
        yield phrase("gives_points")
    else:
        key = "gives_places_on" if len(points) > _MOST_PLACES else "gives_places"
        yield phrase(key, points=", ".join(map(number, points[:_MOST_PLACES])))
    if best is not None:
        yield phrase("best_count", count=best, events=len(season.events))
    weights = [f"{event.title} {number(event.weight)}" for event in season.events if event.weight != 1]
    if weights:
        yield phrase("weights", weights=", ".join(weights))
    if any(event.games and not event.is_finished for event in season.events):
        yield phrase("event_in_progress")


def events_sheet(season: Season) -> Sheet:
    """Make the sheet of the events of a season."""

    def describe_progress(event: EventResult) -> str:
        if event.is_finished:
            return phrase("finished")
        return phrase("some_games", some=event.games, all=event.total) if event.games else phrase("not_begun")

    def list_first(event: EventResult) -> list[str]:
        return [season.bots[row.bot].title or row.bot for row in event.ranking if row.rank == 1 and event.games]

    columns: tuple[Column[tuple[int, EventResult]], ...] = (
        Column("number", "#", value=lambda one: one[0], width="keep", is_name=True),
        Column("title", "event", value=lambda one: one[1].title, align="left"),
        Column("dates", value=lambda one: one[1].event.dates, align="left", is_optional=True),
        Column("place", value=lambda one: one[1].event.place, align="left", is_optional=True),
        Column("rules", value=lambda one: title_rules(one[1].rules), align="left"),
        Column("format", value=lambda one: list_stages(one[1].formats), align="left"),
        Column("bots", value=lambda one: len(one[1].bots)),
        Column("games", value=lambda one: one[1].games),
        Column("status", value=lambda one: describe_progress(one[1]), align="left"),
        Column("first", value=lambda one: list_first(one[1]), align="left"),
        Column("link", value=lambda one: one[1].link, align="left", on=JSON),
    )
    return Sheet(title=heading("events"), columns=columns, items=list(enumerate(season.events, start=1)), kind="event")


def season_prizes_sheet(season: Season) -> Sheet | None:
    """Make the sheet of the prizes of a season by the standings so far; None if there are none."""
    table = season.file.prizes
    if table is None or not season.ranking:
        return None
    awards = award_prizes(table, season.ranking, season.bots)
    return prizes_sheet(table, awards, season.bots, finished=season.is_finished)

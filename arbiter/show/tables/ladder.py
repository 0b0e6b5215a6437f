"""The seasons of a ladder that are over, as a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from arbiter.show.tables.sheet import Column, Sheet
from arbiter.tournament.standings.table import Standing


class ClosedSeason(Protocol):
    """A season of a ladder that is over."""

    @property
    def number(self) -> int: ...
    @property
    def results(self) -> Path: ...
    @property
    def games(self) -> int: ...
    @property
    def first_at(self) -> str: ...
    @property
    def last_at(self) -> str: ...
    @property
    def ranking(self) -> tuple[Standing, ...]: ...


def _find_winner(season: ClosedSeason) -> str:
    return season.ranking[0].bot if season.ranking else ""


SEASONS: list[Column[ClosedSeason]] = [
    Column("season", value=lambda one: one.number),
    Column("games", value=lambda one: one.games),
    Column("from", value=lambda one: one.first_at, text=lambda one: one.first_at[:10], align="left"),
    Column("to", value=lambda one: one.last_at, text=lambda one: one.last_at[:10], align="left"),
    Column("first", value=_find_winner, align="left"),
    Column("results", value=lambda one: str(one.results), align="left"),
]


def seasons_sheet(seasons: Sequence[ClosedSeason]) -> Sheet:
    """Make the table of seasons."""
    return Sheet(title="Seasons", columns=SEASONS, items=seasons)


def season_object(season: ClosedSeason) -> Mapping[str, Any]:
    """Make the JSON object of a season."""
    return seasons_sheet([season]).objects[0]

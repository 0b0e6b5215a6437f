"""The page of a season."""

from collections.abc import Iterator
from typing import Final

from arbiter import __version__
from arbiter.show.report.files import PageFile, read_asset, render
from arbiter.show.tables.season import events_sheet, season_prizes_sheet, season_sheet
from arbiter.tournament.season import Season

_ASSETS: Final = ("theme.css", "base.css", "report.css", "icon.svg")


def make_season_site(season: Season, lang: str) -> Iterator[PageFile]:
    """Make all files of the page of a season in a language; index.html is the last."""
    yield from map(read_asset, _ASSETS)
    yield render(
        "season.html",
        "index.html",
        lang,
        results={"name": season.file.name, "arbiter": __version__, "live": None},
        season=season,
        table=season_sheet(season),
        prizes=season_prizes_sheet(season),
        events=events_sheet(season),
    )

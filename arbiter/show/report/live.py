"""The page of a game under way, as far as spectators may see it."""

from collections.abc import Mapping
from typing import Any

from arbiter.show.report.environment import render
from arbiter.show.report.names import game_page
from arbiter.show.report.values import PageFile, ReportData
from arbiter.show.report.viewer_data import packed
from arbiter.tournament.events import Began


def live_game(results: ReportData, began: Began, film: Mapping[str, Any] | None) -> PageFile:
    """Make the page of a game under way; it has no film as long as nothing may be seen yet."""
    path = game_page(began.fixture.id)
    shown = "" if film is None else packed(film)
    page = render("live_game.html", path, results=results, game=began.fixture, at=began.at, film=shown)
    return PageFile(path, page)

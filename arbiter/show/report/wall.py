"""The wall: all games in progress on one page, for a beamer or a phone."""

from math import ceil
from typing import Final

from arbiter.show.report.files import WALL, PageFile, render
from arbiter.show.report.values import MOST_ON_WALL, ReportData

_WIDTH: Final = 1880  # pixels for all boards of a screen of 1920 by 1080
_HEIGHT: Final = 960
_TEXTS: Final = 105  # pixels of height that the texts of a board need
_MOST_COLUMNS: Final = 8


def count_columns(boards: int) -> int:
    """Return the number of columns in which boards are largest on a screen."""

    def find_side(columns: int) -> float:
        return min(_WIDTH / columns, _HEIGHT / max(1, ceil(boards / columns)) - _TEXTS)

    return max(range(1, _MOST_COLUMNS + 1), key=find_side)


def find_next_start(results: ReportData) -> tuple[int, float] | None:
    """Return the round after the latest one that began, and its planned start in Unix time.

    None if it is not planned, or if no game is left for it.
    """
    starts = results.event.starts
    minutes = results.event.round_minutes
    live = () if results.live is None else results.live.games
    if results.total is None or results.played + len(live) >= results.total:
        return None
    begun = max([0, *(game.round for game in results.games), *(began.fixture.round for began in live)])
    if starts is None or (minutes is None and begun) or results.unit != "round" or len(results.parts) > 1:
        return None
    return begun + 1, starts.timestamp() + 60 * begun * (minutes or 0)


def make_wall_page(results: ReportData) -> PageFile:
    """Make the page of the games in progress of a served tournament."""
    games = [] if results.live is None else results.live.games[:MOST_ON_WALL]
    columns = count_columns(len(games))
    return render(
        "wall.html",
        WALL,
        results.lang,
        results=results,
        games=games,
        columns=columns,
        rows=ceil(len(games) / columns),
        following=find_next_start(results),
    )

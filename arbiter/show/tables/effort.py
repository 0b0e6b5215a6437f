"""How long bots' games are and how much time they use, as sheets."""

from collections.abc import Sequence

from msgspec.structs import replace

from arbiter.show.tables.sheet import Cell, Sheet
from arbiter.tournament.standings.table import Standing

_HEAD = ("plies a game", "seconds a game")


def effort_sheet(standings: Sequence[Standing]) -> Sheet:
    """Make the sheet of mean lengths and times, for the bots that have played."""
    played = [one for one in standings if one.mean_plies is not None]
    return Sheet(
        title="Mean length and time",
        head=("bot", *_HEAD),
        rows=tuple((one.bot, *_cells(one)) for one in played),
        objects=tuple(
            {"bot": one.bot, "mean_plies": one.mean_plies, "mean_seconds": one.mean_seconds} for one in played
        ),
    )


def with_effort(sheet: Sheet, standings: Sequence[Standing]) -> Sheet:
    """Add mean lengths and times to the sheet of these standings, for spreadsheets; its objects hold them already."""
    rows = zip(sheet.rows, standings, strict=True)
    return replace(sheet, head=(*sheet.head, *_HEAD), rows=tuple((*row, *_cells(one)) for row, one in rows))


def _cells(one: Standing) -> tuple[Cell, ...]:
    return one.mean_plies, one.mean_seconds

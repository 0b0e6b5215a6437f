"""Texts about bots, and the standings of teams and categories, as sheets."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from arbiter.show.tables.sheet import EVERYWHERE, JSON, LISTED, Coded, Column, Outputs, Sheet
from arbiter.show.text import tidied
from arbiter.tournament.config.event_data import BotDetails
from arbiter.tournament.standings.table import Standing, TeamStanding, rank_categories, rank_teams

Details = Mapping[str, BotDetails]
"""The texts about each bot by its name."""

_DETAILS: Final = ("title", "author", "club", "team", "country", "category", "link", "notes")
_COUNTS: Final[tuple[Column[Any], ...]] = (  # of `Standing` and `TeamStanding`
    Column("points", value=lambda one: tidied(one.points)),
    *(Column(field) for field in ("games", "wins", "draws", "losses", "forfeits")),
)
_TEAMS: Final[tuple[Column[TeamStanding], ...]] = (
    Column("rank"),
    Column("team", align="left"),
    *_COUNTS,
    Column("bots", align="left"),
)
TEAM_NOTES: Final = (
    "The points of a team are the sum of the points of its bots, over all stages; equal teams are ranked by wins.",
    "A team with more bots, or with bots that played more games, can win more points.",
)


def with_details(sheet: Sheet, bots: Details, on: Outputs = ("csv", "json")) -> Sheet:
    """Add the texts about bots to a sheet with a column `bot`: their titles, and on some outputs all others."""
    find_bot = sheet.column("bot").read

    def make_column(field: str, on: Outputs) -> Column[Any]:
        return Column(
            field,
            value=lambda item: getattr(bots.get(find_bot(item)), field, None),
            align="left",
            on=on,
            is_optional=True,
        )

    title, *others, notes = _DETAILS
    sheet = sheet.add([make_column(title, LISTED)], after="bot")
    return sheet.add([*(make_column(field, on) for field in others), make_column(notes, JSON)])


def with_titles_as_names(sheet: Sheet, bots: Details) -> Sheet:
    """Show titles instead of names in the column `bot`; CSV and JSON still contain the names."""
    titles = {bot: Coded(bot, one.title) for bot, one in bots.items() if one.title}
    shown = sheet.column("bot")
    titled = replace(shown, text=lambda item: titles.get(shown.read(item), shown.read(item)))
    return replace(sheet, columns=[titled if column is shown else column for column in sheet.columns])


def bots_sheet(bots: Details) -> Sheet | None:
    """Make the sheet of the texts about bots; None if there are none besides titles."""
    sheet = Sheet(
        title="Bots",
        columns=[Column("bot", value=lambda bot: bot, align="left")],
        items=list(bots),
        notes=tuple(f"{bot}: {' '.join(one.notes.split())}" for bot, one in bots.items() if one.notes),
    )
    full = with_details(sheet, bots, EVERYWHERE)
    return full if full.notes or {*full.head} - {"bot", "title"} else None


def categories_sheets(final: Sequence[Standing], bots: Details) -> Iterator[Sheet]:
    """Yield the standings of each category."""
    overall = {one.bot: one.rank for one in final}
    categories = {bot: one.category for bot, one in bots.items() if one.category}
    columns: tuple[Column[Standing], ...] = (
        Column("rank"),
        Column("bot", align="left"),
        *_COUNTS,
        Column("overall", value=lambda one: overall[one.bot]),
    )
    for category, ranking in rank_categories(categories, final).items():
        yield with_details(Sheet(title=f"Category: {category}", columns=columns, items=ranking), bots)


def teams_sheet(final: Sequence[Standing], stages: Sequence[Sequence[Standing]], bots: Details) -> Sheet | None:
    """Make the sheet of the standings of teams; None if there are none."""
    teams = {bot: one.team for bot, one in bots.items() if one.team}
    ranking = rank_teams(teams, final, stages)
    return Sheet(title="Teams", columns=_TEAMS, items=ranking, notes=TEAM_NOTES) if ranking else None

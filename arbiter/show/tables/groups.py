"""Texts about bots, and the standings of teams and categories, as sheets."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import asdict, replace

from arbiter.show.tables.sheet import Cell, Coded, Sheet
from arbiter.show.text import tidied
from arbiter.tournament.config.event_data import BotDetails
from arbiter.tournament.standings.table import Standing, TeamStanding, rank_categories, rank_teams

Details = Mapping[str, BotDetails]
"""The texts about each bot by its name."""

DETAILS: Final = ("title", "author", "club", "team", "country", "category", "link", "notes")
_COLUMNS: Final = DETAILS[:-1]
_COUNTS: Final = ("points", "games", "wins", "draws", "losses", "forfeits")
TEAM_NOTES: Final = (
    "The points of a team are the sum of the points of its bots, over all stages; equal teams are ranked by wins.",
    "A team with more bots, or with bots that played more games, can win more points.",
)


def with_titles(sheet: Sheet, bots: Details) -> Sheet:
    """Add the titles of bots to a sheet with a column `bot`, if there are any, and all texts to its objects."""
    objects = tuple({**one, **details_object(bots, one["bot"])} for one in sheet.objects)
    return replace(_with_columns(sheet, bots, ("title",)), objects=objects)


def with_titles_as_names(sheet: Sheet, bots: Details) -> Sheet:
    """Show titles instead of names in the column `bot`; CSV still contains the names."""
    place = sheet.head.index("bot")
    titles = {bot: Coded(bot, one.title) for bot, one in bots.items() if one.title}
    rows = ((*row[:place], titles.get(str(row[place]), row[place]), *row[place + 1 :]) for row in sheet.rows)
    return replace(sheet, rows=tuple(rows))


def with_details(sheet: Sheet, bots: Details) -> Sheet:
    """Add columns with all texts about bots, except for notes, to a sheet with a column `bot`."""
    return _with_columns(with_titles(sheet, bots), bots, _COLUMNS[1:])


def details_object(bots: Details, bot: str) -> dict[str, str | None]:
    """Return the texts about a bot for programs."""
    return {field: getattr(bots.get(bot), field, None) for field in DETAILS}


def _with_columns(sheet: Sheet, bots: Details, fields: Sequence[str]) -> Sheet:
    """Add columns: the title after the name of the bot, the others at the end; columns without content are left out."""
    place = sheet.head.index("bot")
    for field in fields:
        column = [getattr(bots.get(str(row[place])), field, None) for row in sheet.rows]
        if not any(column):
            continue
        at = place + 1 if field == "title" else len(sheet.head)
        sheet = replace(
            sheet,
            head=(*sheet.head[:at], field, *sheet.head[at:]),
            rows=tuple((*row[:at], cell, *row[at:]) for row, cell in zip(sheet.rows, column, strict=True)),
        )
    return sheet


def bots_sheet(bots: Details) -> Sheet | None:
    """Make the sheet of the texts about bots; None if there are none besides titles."""
    sheet = Sheet(
        title="Bots",
        head=("bot",),
        rows=tuple((bot,) for bot in bots),
        objects=tuple({"bot": bot} for bot in bots),
        notes=tuple(f"{bot}: {' '.join(one.notes.split())}" for bot, one in bots.items() if one.notes),
    )
    full = with_details(sheet, bots)
    return full if full.notes or {*full.head} - {"bot", "title"} else None


def categories_sheets(final: Sequence[Standing], bots: Details) -> Iterator[Sheet]:
    """Yield the standings of each category."""
    overall = {one.bot: one.rank for one in final}
    categories = {bot: one.category for bot, one in bots.items() if one.category}
    for category, ranking in rank_categories(categories, final).items():
        sheet = Sheet(
            title=f"Category: {category}",
            head=("rank", "bot", *_COUNTS, "overall"),
            rows=tuple(
                (one.rank, one.bot, *(getattr(one, field) for field in _COUNTS), overall[one.bot]) for one in ranking
            ),
            objects=tuple(
                {
                    "category": category,
                    "rank": one.rank,
                    "overall": overall[one.bot],
                    "bot": one.bot,
                    "points": tidied(one.points),
                    **{field: getattr(one, field) for field in _COUNTS[1:]},
                }
                for one in ranking
            ),
        )
        yield with_titles(sheet, bots)


def teams_sheet(final: Sequence[Standing], stages: Sequence[Sequence[Standing]], bots: Details) -> Sheet | None:
    """Make the sheet of the standings of teams; None if there are none."""
    teams = {bot: one.team for bot, one in bots.items() if one.team}
    ranking = rank_teams(teams, final, stages)
    if not ranking:
        return None
    return Sheet(
        title="Teams",
        head=("rank", "team", *_COUNTS, "bots"),
        rows=tuple(map(_team_row, ranking)),
        objects=tuple({**asdict(one), "points": tidied(one.points)} for one in ranking),
        notes=TEAM_NOTES,
    )


def _team_row(one: TeamStanding) -> tuple[Cell, ...]:
    return (one.rank, one.team, *(getattr(one, field) for field in _COUNTS), ", ".join(one.bots))

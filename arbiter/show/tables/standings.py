"""Standings, crosstable, rounds, bracket, effort and repeated games as sheets."""

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import Any, Final

from msgspec.structs import replace

from arbiter.languages.phrase import heading, join_phrases, name_code, phrase
from arbiter.languages.sentences import write_ending
from arbiter.show.tables.sheet import EVERYWHERE, JSON, LISTED, SHOWN, Coded, Column, Outputs, Sheet
from arbiter.show.text import list_counts, number, tidied, write_score
from arbiter.tournament.fixture import Match, RoundBye
from arbiter.tournament.standings.crosstable import (
    Crosstable,
    OpponentScore,
    PlainTable,
    Repeats,
    Tally,
    score_by_colour,
)
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame
from arbiter.tournament.standings.table import Standing

RULED_SIGN: Final = "*"
_WITHOUT_PAGE: Final[Outputs] = ("text", "csv", "json", "progress")
_FILES: Final[Outputs] = ("csv", "json")


STANDINGS: Final[tuple[Column[Standing], ...]] = (
    Column("rank"),
    Column("bot", align="left"),
    Column("points", value=lambda one: tidied(one.points), width="keep", tone="strong"),
    Column("games"),
    # A page shows wins, draws and losses as one score.
    *(Column(key, on=_WITHOUT_PAGE) for key in ("wins", "draws", "losses")),
    Column(
        "score",
        value=lambda one: write_score(one.wins, one.draws, one.losses + one.forfeits),
        align="left",
        width="keep",
        on=("page",),
    ),
    Column("forfeits", tone="warn"),
    Column(
        "tie_breaks",
        value=lambda one: {key: None if value is None else tidied(value) for key, value in one.tie_breaks.items()},
        on=JSON,
    ),
    Column("byes", is_optional=True, on=LISTED),
    Column("repeats", is_optional=True, on=LISTED),
    Column("reached", "out in", align="left", is_optional=True, on=LISTED),
    Column("status", on=JSON),
    Column("withdrawn", on=JSON),
    Column(
        "left",
        value=lambda one: f"{one.status}, games {one.withdrawn}" if one.withdrawn else None,
        align="left",
        is_optional=True,
        on=("text", "csv"),
    ),
    Column("rulings", align="left", is_optional=True, on=LISTED),
    Column("decided_by", align="left", is_optional=True, on=LISTED),
    Column(
        "forfeit_causes",
        "forfeited for",
        text=lambda one: (
            Coded(list_counts(one.forfeit_causes), list_counts(one.forfeit_causes, write_ending))
            if one.forfeit_causes
            else None
        ),
        align="left",
        is_optional=True,
        on=LISTED,
    ),
    *(Column(key, on=_FILES) for key in ("mean_plies", "mean_seconds", "mean_move_ms")),
    Column(
        "pace",
        "s/game",
        value=lambda one: None if one.mean_seconds is None else f"{one.mean_seconds:.2f}",
        on=("progress",),
    ),
)
"""The columns of standings.  Those of tie-breaks follow from the tournament, after `tie_breaks`."""

_RATE: Final[Column[Standing]] = Column(
    "rate",
    "rate_percent",
    value=lambda one: None if (rate := one.tie_breaks.get("rate")) is None else f"{rate:.1f}",
    width="keep",
    tone="strong",
    on=SHOWN,
)
"""The expected score against all others, which ranks the bots of a ladder."""

ROW_AND_BOT: Final[tuple[Column[tuple[int, str]], ...]] = (
    Column("row", "", value=lambda one: one[0], on=SHOWN),
    Column("bot", value=lambda one: one[1], align="left"),
)
"""The first columns of a table whose other columns or cells name bots by the numbers of their rows."""


def standings_sheet(standings: Sequence[Standing]) -> Sheet:
    """Make the sheet of standings; columns without content, such as unused tie-breaks, are left out.

    If bots are ranked by rate, it is shown instead of their points: some have played more games than others.
    """
    if standings and "rate" in standings[0].tie_breaks:
        columns = [replace(column, on=_FILES) if column.key == "points" else column for column in STANDINGS]
        sheet = Sheet(title=heading("standings"), columns=columns, items=standings, kind="standing")
        return sheet.add([_RATE], "bot")
    deciders = dict.fromkeys(one.decided_by for one in standings if one.decided_by)
    if any("average" in one.tie_breaks for one in standings):
        deciders = {"average": None, **deciders}
    values = {name for one in standings for name, value in one.tie_breaks.items() if value is not None}
    heads = {name: name for name in deciders if name in values and name not in {column.key for column in STANDINGS}}
    if "wins" in deciders and any(one.tie_breaks["wins"] not in (None, one.wins) for one in standings):
        heads["wins"] = "wins with byes"
    tie_breaks: list[Column[Standing]] = [
        Column(
            f"tie_breaks.{name}",
            head,
            value=lambda one, name=name: one.tie_breaks.get(name),  # type: ignore[misc]
            on=("text", "csv"),
        )
        for name, head in heads.items()
    ]
    return Sheet(title=heading("standings"), columns=STANDINGS, items=standings, kind="standing").add(
        tie_breaks, "tie_breaks"
    )


def effort_sheet(standings: Sequence[Standing]) -> Sheet:
    """Make the sheet of mean lengths and times of the bots that have played."""
    keys = ("bot", "mean_plies", "mean_seconds", "mean_move_ms")
    columns = [replace(column, on=EVERYWHERE) for column in STANDINGS if column.key in keys]
    played = [one for one in standings if one.mean_plies is not None]
    return Sheet(title=phrase("effort"), columns=columns, items=played)


# --- who played whom ------------------------------------------------------------------------------


def crosstable_sheet(bots: Sequence[str], table: Crosstable) -> Sheet:
    """Make the sheet of the crosstable, with the bots in the given order and a column for byes if there are any."""

    def against(tally: Tally | None) -> str:
        if tally is None:
            return "x"
        sign = RULED_SIGN if tally.ruled else ""
        if not tally.games:
            return sign
        return f"{number(tally.points)} ({write_score(tally.wins, tally.draws, tally.losses + tally.forfeits)}){sign}"

    def make_column(number: int, opponent: str) -> Column[tuple[int, str]]:
        return Column(
            str(number),
            value=lambda one: against(table[one[1]].get(opponent)),
            align="left",
            width="keep",
            on=SHOWN,
        )

    byes = {bot: sum(bye.points for bye in table.byes if bye.bot == bot) for bot in bots}
    columns = [*ROW_AND_BOT, *(make_column(*one) for one in enumerate(bots, start=1))]
    if any(byes.values()):
        columns.append(Column("byes", value=lambda one: number(byes[one[1]]), align="left", on=SHOWN))
    objects = []
    is_ruled = False
    for bot, opponent in permutations(bots, 2):
        tally = table[bot][opponent]
        is_ruled = is_ruled or tally.ruled > 0
        counts = {field: getattr(tally, field) for field in ("games", "wins", "draws", "losses", "forfeits", "ruled")}
        objects.append({"bot": bot, "opponent": opponent, "points": tidied(tally.points), **counts})
    return Sheet(
        title="Crosstable: points (wins, draws, losses)",
        columns=columns,
        items=list(enumerate(bots, start=1)),
        data=objects,
        notes=(phrase("has_ruling"),) if is_ruled else (),
    )


def _share_column(key: str, title: str, find: Callable[[OpponentScore], Tally]) -> Column[OpponentScore]:
    """Make the column of a score in these games: up to 1 in JSON, otherwise in percent."""

    def read(one: OpponentScore, factor: int, digits: int) -> float | None:
        tally = find(one)
        return round(factor * tally.score / tally.games, digits) if tally.games else None

    return Column(key, title, lambda one: read(one, 1, 4), lambda one: read(one, 100, 1))


_SCORES: Final[tuple[Column[OpponentScore], ...]] = (
    Column("bot", align="left"),
    Column("opponent", text=lambda one: one.opponent or "all", align="left"),
    Column("red_games", "as red", value=lambda one: one.red.games),
    _share_column("red_score", "red %", lambda one: one.red),
    Column("blue_games", "as blue", value=lambda one: one.blue.games),
    _share_column("blue_score", "blue %", lambda one: one.blue),
    Column("games", value=lambda one: one.both.games),
    _share_column("score", "score_percent", lambda one: one.both),
)


def scores_sheet(bots: Sequence[str], games: Sequence[StoredGame]) -> Sheet:
    """Make the sheet of the scores of bots by colour and opponent, and of each against all opponents."""
    items: list[OpponentScore] = []
    for bot in bots:
        scores = score_by_colour(bot, bots, games)
        items += scores
        if len(scores) > 1:
            red = sum((one.red for one in scores), Tally())
            blue = sum((one.blue for one in scores), Tally())
            items.append(OpponentScore(bot, None, red, blue))
    return Sheet(title="Scores by colour and opponent", columns=_SCORES, items=items)


def rounds_sheet(bots: Sequence[str], games: Iterable[StoredGame], byes: Iterable[RoundBye]) -> Sheet:
    """Make the sheet of the rounds of a Swiss tournament: opponents and points, with the bots in the given order."""
    row_of = {bot: row for row, bot in enumerate(bots, start=1)}
    points: dict[tuple[str, int], float] = {}
    against: dict[tuple[str, int], str] = {}
    ruled: set[tuple[str, int]] = set()
    for game in games:
        for bot, opponent, worth in ((game.red, game.blue, game.red_points), (game.blue, game.red, game.blue_points)):
            points[bot, game.round] = points.get((bot, game.round), 0) + worth
            against[bot, game.round] = str(row_of[opponent])
            if isinstance(game, RuledGame):
                ruled.add((bot, game.round))
    for bye in byes:
        points[bye.bot, bye.round] = bye.points
        against[bye.bot, bye.round] = phrase("absent" if bye.requested else "bye")
    rounds = sorted({round_ for _, round_ in points})
    cells = {
        key: join_phrases("", [against[key], f": {number(worth)}", RULED_SIGN * (key in ruled)])
        for key, worth in points.items()
    }
    texts = {key: str(cell) for key, cell in cells.items()}

    def make_column(round_: int) -> Column[tuple[int, str]]:
        return Column(
            str(round_),
            value=lambda one: cells.get((one[1], round_)),
            align="left",
            width="keep",
            on=SHOWN,
        )

    whole: Column[tuple[int, str]] = Column(
        "rounds", value=lambda one: {str(round_): texts.get((one[1], round_)) for round_ in rounds}, on=JSON
    )
    return Sheet(
        title=phrase("rounds"),
        columns=[*ROW_AND_BOT, *map(make_column, rounds), whole],
        items=list(enumerate(bots, start=1)),
        notes=(phrase("has_ruling"),) if ruled else (),
    )


def _name_match(match: Match) -> str:
    if not match.two:
        return match.one
    pairing = f"{match.one} - {match.two}"
    return phrase("match_for_third", pairing=pairing) if match.place > 1 else pairing


_BRACKET: Final[tuple[Column[Match], ...]] = (
    Column("round"),
    Column(
        "match",
        value=_name_match,
        align="left",
        on=SHOWN,
    ),
    Column("one", on=JSON),
    Column("two", on=JSON),
    Column("one_points", value=lambda one: tidied(one.one_points), on=JSON),
    Column("two_points", value=lambda one: tidied(one.two_points), on=JSON),
    Column("games", on=JSON),
    Column(
        "points",
        value=lambda one: f"{number(one.one_points)} : {number(one.two_points)}" if one.two and one.games else None,
        align="left",
        on=SHOWN,
    ),
    Column("winner", align="left"),
    Column("how", "decided_by", text=lambda one: name_code(one.how) or None, align="left"),
    Column("place", on=JSON),
)


def bracket_sheet(matches: Sequence[Match]) -> Sheet:
    """Make the sheet of the matches of a knockout, round by round."""
    return Sheet(title=heading("bracket"), columns=_BRACKET, items=matches)


_REPEATS: Final[tuple[Column[Repeats], ...]] = (
    Column("pairing", value=lambda one: f"{one.one} - {one.two}", align="left", on=SHOWN),
    Column(
        "text",
        "repeated games",
        value=lambda one: f"{one.repeated} of {one.games} have the same actions as an earlier game",
        align="left",
        on=SHOWN,
    ),
    *(Column(field, on=JSON) for field in Repeats.__struct_fields__),
)


def repeats_sheet(repeated: Iterable[Repeats]) -> Sheet:
    """Make the sheet of games that are identical to earlier games."""
    return Sheet(title="Identical games", columns=_REPEATS, items=tuple(repeated))


def plain_sheet(table: PlainTable) -> Sheet:
    """Make the sheet of a table that a format describes itself."""
    items = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    texts = {name for item in items for name, value in item.items() if isinstance(value, str)}
    columns = [Column[Any](name, align="left" if name in texts else "right") for name in table.columns]
    return Sheet(title=table.title, columns=columns, items=items, notes=table.notes)

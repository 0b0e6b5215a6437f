"""The pages of a season: its tables, and a page for each bot."""

from collections.abc import Iterator, Sequence
from typing import Final

from arbiter.languages.phrase import heading, phrase
from arbiter.show.report.charts import Plot, plot_all_ratings, plot_ratings
from arbiter.show.report.files import PageFile, bot_page, read_asset, render
from arbiter.show.season import SeasonData
from arbiter.show.tables.season import write_share
from arbiter.show.tables.sheet import Column, Sheet
from arbiter.show.text import tidied, write_score
from arbiter.tournament.season.ratings import RatingPoint
from arbiter.tournament.season.table import EventResult, SeasonStanding, Share
from arbiter.tournament.standings.crosstable import Tally, build_crosstable

_ASSETS: Final = ("theme.css", "base.css", "report.css", "icon.svg")
_Row = tuple[int, EventResult, Share, RatingPoint | None]


def make_season_site(season: SeasonData) -> Iterator[PageFile]:
    """Make all files of the pages of a season; index.html is the last."""
    yield from map(read_asset, _ASSETS)
    names = [row.bot for row in season.everyone]
    games = [game for event in season.events for game in event.games]
    table = build_crosstable(names, games)
    for row in season.everyone:
        yield _make_bot_page(season, row, {other: table[row.bot][other] for other in table[row.bot]})
    runs = [
        (one.rules, {bot: [(point.event, point.rating.elo) for point in points] for bot, points in one.history.items()})
        for one in season.ratings
    ]
    plots = [
        (rules, plot_all_ratings(run))
        for rules, run in runs
        if len({event for points in run.values() for event, _ in points}) > 1
    ]
    yield render("season.html", "index.html", season.lang, results=season, plots=plots, linked=frozenset(names))


def _make_bot_page(season: SeasonData, row: SeasonStanding, scores: dict[str, Tally]) -> PageFile:
    histories = [(one.rules, one.history.get(row.bot, ())) for one in season.ratings]
    points = {point.event: point for _, history in histories for point in history}
    rows: list[_Row] = [
        (number, event, share, points.get(number))
        for number, (event, share) in enumerate(zip(season.events, row.shares, strict=True), start=1)
        if share is not None
    ]
    plots: list[tuple[str, Plot]] = [
        (rules, plot_ratings(row.bot, [(point.event, point.rating) for point in history]))
        for rules, history in histories
        if len(history) > 1
    ]
    return render(
        "season_bot.html",
        bot_page(row.bot),
        season.lang,
        results=season,
        bot=row,
        total=sum(scores.values(), Tally()),
        events=_make_events_sheet(rows),
        plots=plots,
        versions=len({point.player for point in points.values()}),
        opponents=_make_opponents_sheet([(other, tally) for other, tally in scores.items() if tally.games]),
    )


def _make_events_sheet(rows: Sequence[_Row]) -> Sheet:
    """Make the sheet of the events of a bot."""
    columns: tuple[Column[_Row], ...] = (
        Column("number", "#", value=lambda one: one[0]),
        Column("event", value=lambda one: one[1].title, align="left"),
        Column("rank", value=lambda one: phrase("rank_of", rank=one[2].rank, bots=len(one[1].ranking))),
        Column("score", "event_points", value=lambda one: tidied(one[2].score)),
        Column("points", "season_points", value=lambda one: write_share(one[2]), tone="strong"),
        Column("rating", value=lambda one: one[3] and round(one[3].rating.elo)),
        Column(
            "version",
            value=lambda one: one[3] and (one[3].player.partition("@")[2] or None),
            align="left",
            is_optional=True,
        ),
    )
    return Sheet(title=heading("events"), columns=columns, items=rows)


def _make_opponents_sheet(scores: Sequence[tuple[str, Tally]]) -> Sheet:
    """Make the sheet of the scores of a bot against each opponent, over all events."""
    columns: tuple[Column[tuple[str, Tally]], ...] = (
        Column("bot", "opponent", value=lambda one: one[0], align="left"),
        Column("games", value=lambda one: one[1].games),
        Column(
            "score",
            value=lambda one: write_score(one[1].wins, one[1].draws, one[1].losses + one[1].forfeits),
            align="left",
            width="keep",
        ),
    )
    return Sheet(title=phrase("scores_by_opponent"), columns=columns, items=scores)

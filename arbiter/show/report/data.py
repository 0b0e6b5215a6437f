"""The data of a report, made from the results of a tournament."""

from collections.abc import Callable, Sequence
from functools import partial

from arbiter import __version__
from arbiter.show.report.values import Download, MatchData, Part, RankChanges, ReportData
from arbiter.show.results import (
    all_sheets,
    build_table,
    detail_sheet,
    list_categories,
    list_teams,
    make_event_data,
    make_match_sheets,
    titled_stages,
)
from arbiter.show.tables.event import describe_settings
from arbiter.show.tables.games import games_sheet
from arbiter.show.tables.incidents import describe_voids
from arbiter.show.tables.sheet import Sheet, write_sheets
from arbiter.tournament.ratings.values import RatingHistory, Ratings
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.results.snapshot import Snapshot, compare_bots, make_match, make_rating_history, rate_bots
from arbiter.tournament.standings.crosstable import Crosstable, count_repeats
from arbiter.tournament.standings.stored_game import StoredGame


def make_report_data(
    results: Snapshot,
    rate: Callable[[Manifest, Sequence[StoredGame]], Ratings] = rate_bots,
    history: RatingHistory | None = None,
) -> ReportData:
    """Make the data of a report; `rate` rates the bots, `history` remembers earlier ratings."""
    manifest = results.manifest
    history = history or make_rating_history(manifest)
    plan = results.plan
    games = results.games
    bots = results.bots
    about = make_event_data(manifest, games)
    ratings = rate(manifest, games)
    match = None if manifest.sprt is None else make_match(manifest, games)
    run = match and match.sprt_run
    parts = []
    for title, stage in titled_stages(plan):
        ranking = plan.rank(stage)
        order = [standing.bot for standing in ranking]
        more = () if isinstance(plan.tabulate(stage), Crosstable) else (detail_sheet(plan, stage, order),)
        parts.append(Part(title=title, ranking=ranking, crosstable=build_table(plan, stage, order), more=more))
    return ReportData(
        name=about.name,
        rules=about.game.title,
        options=about.options,
        format=about.format,
        total=plan.total,
        finished=plan.finished,
        created=manifest.created,
        arbiter=__version__,
        parts=parts,
        final=plan.rank_all(),
        ratings=ratings,
        match=MatchData(make_match_sheets(match, manifest, games), run) if match and run else None,
        games=games,
        counted=[game for stage in plan.stages for game in plan.counted_games_in(stage)],
        rank_changes=_find_rank_changes(results),
        compare=partial(compare_bots, manifest),
        list_earlier_ratings=partial(history.list_earlier, games),
        repeats=count_repeats(games),
        rulings=plan.history.footnotes,
        replaced=[game for game in plan.history.as_played if not plan.history.is_current(game.id)],
        voids=tuple(describe_voids(results.attempts, games)),
        event=about.event,
        bots=bots,
        settings=describe_settings(about),
        groups=(*list_categories(plan, bots), *list_teams(plan, bots)),
        downloads=(
            Download(
                "downloads/standings.csv", "Standings (CSV)", lambda: _write_csv(all_sheets(plan, bots, ratings, "csv"))
            ),
            Download("downloads/games.csv", "Games (CSV)", lambda: _write_csv([games_sheet(games)])),
        ),
    )


def _find_rank_changes(results: Snapshot) -> RankChanges | None:
    """Compare the ranks with those at the end of the round before the last one that has begun."""
    latest = max((game.round for game in results.plan.history.games), default=0)
    before = results.find_earlier_ranks(latest - 1)
    if before is None:
        return None
    places = {one.bot: before[one.bot] - one.rank for one in results.plan.rank_all() if one.bot in before}
    return RankChanges(latest - 1, places)


def _write_csv(sheets: Sequence[Sheet]) -> bytes:
    return f"{write_sheets(sheets, 'csv')}\n".encode()

"""Results of tournaments as sheets, and as the data of a report."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from arbiter import __version__
from arbiter.cli.event_data import list_categories, list_details, list_teams, make_event_data
from arbiter.cli.head_to_head import make_match
from arbiter.show.report.values import Download, MatchData, Part, RankChanges, ReportData
from arbiter.show.tables.attempts import describe_voids, with_voids
from arbiter.show.tables.event import describe_settings
from arbiter.show.tables.games import games_sheet
from arbiter.show.tables.groups import Details, with_details, with_titles, with_titles_as_names
from arbiter.show.tables.programs import with_versions
from arbiter.show.tables.ratings import ratings_sheet, with_ratings
from arbiter.show.tables.rulings import describe_rulings
from arbiter.show.tables.sheet import Sheet, write_sheets
from arbiter.show.tables.standings import (
    bracket_sheet,
    crosstable_sheet,
    effort_sheet,
    repeats_sheet,
    rounds_sheet,
    standings_sheet,
    with_effort,
)
from arbiter.tournament.attempt import Attempt
from arbiter.tournament.ratings.history import RatingHistory
from arbiter.tournament.ratings.values import Anchor, Estimate, Ratings, find_anchor
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.knockout import build_bracket
from arbiter.tournament.schedule.stage import Stage
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.crosstable import Crosstable, build_crosstable
from arbiter.tournament.standings.game_statistics import count_repeats
from arbiter.tournament.standings.stored_game import StoredGame

# Formats for programs: a file with one table, the standings unless another table is asked for.
ONE_TABLE_FORMATS: Final = ("csv", "json")
_EARLIER_DRAWS: Final = 200  # samples for the interval of a rating in the past


def rate_bots(
    manifest: Manifest, games: Sequence[StoredGame], anchor: str | None = None, draws: int | None = None
) -> Ratings:
    """Rate the bots of a tournament by all games.

    `anchor` is BOT=RATING.  Default: the anchor of the tournament.  `draws` is the number of samples of the bootstrap.
    Raises ConfigError.
    """
    from arbiter.tournament.ratings.rate import rate  # noqa: PLC0415 - numpy is slow to import

    bots = [bot.name for bot in manifest.tournament.bots]
    chosen = manifest.tournament.anchor if anchor is None else anchor
    return rate(bots, games, manifest.seed, None if chosen is None else find_anchor(chosen, bots), draws)


def make_rating_history(manifest: Manifest) -> RatingHistory:
    """Make a history of the ratings of a tournament."""
    return RatingHistory(lambda games: rate_bots(manifest, games, draws=_EARLIER_DRAWS))


def compare_bots(manifest: Manifest, bot: str, opponent: str, games: Sequence[StoredGame]) -> Estimate | None:
    """Estimate the Elo difference between two bots from their games against each other."""
    from arbiter.tournament.ratings.rate import rate  # noqa: PLC0415 - numpy is slow to import

    ratings = rate((bot, opponent), games, manifest.seed, Anchor(opponent, 0.0))
    return next(one.rating for one in ratings.bots if one.bot == bot)


def crosstable_sheets(plan: Schedule, bots: Details) -> Iterator[Sheet]:
    """Yield the crosstable of each stage, for people with the titles of the bots."""
    for title, stage in _titled_stages(plan):
        order = [standing.bot for standing in plan.rank(stage)]
        sheet = with_titles_as_names(crosstable_sheet(order, _build_table(plan, stage, order)), bots)
        yield _with_title(title, with_rulings(sheet, plan))


def results_sheets(plan: Schedule, bots: Details) -> Iterator[Sheet]:
    """Yield the standings and pairings of each stage, the final ranking, categories, teams, effort, and repeated games."""
    for title, stage in _titled_stages(plan):
        table = plan.rank(stage)
        yield _with_title(title, with_rulings(with_titles(standings_sheet(table), bots), plan))
        order = [standing.bot for standing in table]
        detail = _detail_sheet(plan, stage, order)
        yield _with_title(title, with_titles_as_names(detail, bots) if "bot" in detail.head else detail)
    if len(plan.stages) > 1:
        table = plan.rank_all()
        yield replace(with_rulings(with_titles(standings_sheet(table), bots), plan), title="Final ranking")
    yield from list_categories(plan, bots)
    yield from list_teams(plan, bots)
    if (effort := effort_sheet(table)).rows:
        yield effort
    if repeated := count_repeats(game for stage in plan.stages for game in plan.games_in(stage)):
        yield repeats_sheet(repeated)


def with_rulings(sheet: Sheet, plan: Schedule) -> Sheet:
    """Add the rulings in force as footnotes."""
    return replace(sheet, notes=(*sheet.notes, *describe_rulings(plan.history.footnotes)))


def with_voids_and_versions(sheet: Sheet, attempts: Iterable[Attempt], games: Sequence[StoredGame]) -> Sheet:
    """Add voided attempts, and bots with several versions of their programs, to a sheet of standings."""
    return with_versions(with_voids(sheet, attempts, games), games)


def all_sheets(
    plan: Schedule, bots: Details, ratings: Ratings, form: str, match: Sequence[Sheet] | None = None
) -> list[Sheet]:
    """List the sheets of a tournament in a format.

    Formats with one table get the standings with effort and ratings.  For people, the sheets of a `match` replace
    the ratings.
    """
    if form in ONE_TABLE_FORMATS:
        table = plan.rank_all()
        sheet = with_effort(standings_sheet(table), table)
        return [with_ratings(with_details(sheet, bots), ratings), *(match or ())]
    if match is None:
        match = [with_rulings(ratings_sheet(ratings), plan)] if ratings.groups else []
    return [*results_sheets(plan, bots), *match]


def report_data(
    store: Store,
    rate: Callable[[Manifest, Sequence[StoredGame]], Ratings] = rate_bots,
    history: RatingHistory | None = None,
) -> ReportData:
    """Make the data of a report; `rate` rates the bots, `history` remembers earlier ratings."""
    manifest = store.manifest
    history = history or make_rating_history(manifest)
    plan = store.schedule()
    games = plan.history.in_order
    bots = list_details(manifest)
    about = make_event_data(manifest, games)
    ratings = rate(manifest, games)
    parts = []
    for title, stage in _titled_stages(plan):
        ranking = plan.rank(stage)
        order = [standing.bot for standing in ranking]
        more = (_detail_sheet(plan, stage, order),) if stage.format.detail != "crosstable" else ()
        parts.append(Part(title=title, ranking=ranking, crosstable=_build_table(plan, stage, order), more=more))
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
        match=_match_data(manifest, games),
        games=games,
        counted=[game for stage in plan.stages for game in plan.counted_games_in(stage)],
        rank_changes=_find_rank_changes(store, plan),
        compare=partial(compare_bots, manifest),
        list_earlier_ratings=partial(history.list_earlier, games),
        repeats=count_repeats(games),
        rulings=plan.history.footnotes,
        replaced=[game for game in plan.history.as_played if not plan.history.is_current(game.id)],
        voids=tuple(describe_voids(store.attempts().values(), games)),
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


def _find_rank_changes(store: Store, plan: Schedule) -> RankChanges | None:
    """Compare the ranks with those at the end of the round before the last one that has begun."""
    latest = max((game.round for game in plan.history.games), default=0)
    as_played = tuple(game for game in plan.history.as_played if game.round < latest)
    if not as_played:
        return None
    history = replace(plan.history, as_played=as_played)
    earlier = store.manifest.schedule(history.games, store.withdrawn(), history)
    before = {one.bot: one.rank for one in earlier.rank_all()}
    places = {one.bot: before[one.bot] - one.rank for one in plan.rank_all() if one.bot in before}
    return RankChanges(latest - 1, places)


def _match_data(manifest: Manifest, games: Sequence[StoredGame]) -> MatchData | None:
    """Make the summary of a match with a sequential test; None if the results are something else."""
    if manifest.sprt is None:
        return None
    match = make_match(manifest, games)
    assert match.sprt_run is not None  # noqa: S101 - the manifest has a test
    return MatchData(match.sheets(manifest, games), match.sprt_run)


def _write_csv(sheets: Sequence[Sheet]) -> bytes:
    return f"{write_sheets(sheets, 'csv')}\n".encode()


def _titled_stages(plan: Schedule) -> Iterator[tuple[str, Stage]]:
    """Yield titles and stages; a single stage has no title."""
    several = len(plan.stages) > 1
    for number, stage in enumerate(plan.stages, start=1):
        yield f"Stage {number}" if several else "", stage


def _with_title(title: str, sheet: Sheet) -> Sheet:
    return replace(sheet, title=f"{title}: {sheet.title}") if title else sheet


def _build_table(plan: Schedule, stage: Stage, order: Sequence[str]) -> Crosstable:
    """Build the crosstable of a stage from the games and byes that count in its standings."""
    return build_crosstable(order, plan.counted_games_in(stage), plan.byes_in(stage))


def _detail_sheet(plan: Schedule, stage: Stage, order: Sequence[str]) -> Sheet:
    """Make the sheet of who played whom that suits the format of a stage."""
    games = plan.counted_games_in(stage)
    match stage.format.detail:
        case "crosstable":
            return crosstable_sheet(order, _build_table(plan, stage, order))
        case "rounds":
            return rounds_sheet(order, games, plan.byes_in(stage))
        case "bracket":
            return bracket_sheet(build_bracket(stage.entrants, games))

"""Results of tournaments as sheets (standings, crosstables, the event, groups, matches) and as the data of pages."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec import UNSET, structs
from msgspec.structs import replace

from arbiter import __version__
from arbiter.languages.phrase import heading, join_phrases
from arbiter.show.report.ladder import LadderData, build_ladder_crosstable
from arbiter.show.report.values import Download, GameFinder, MatchData, Part, RankChanges, ReportData
from arbiter.show.rules_page import title_rules
from arbiter.show.tables.event import (
    Details,
    EventData,
    categories_sheets,
    describe_settings,
    list_stages,
    teams_sheet,
    with_details,
    with_titles_as_names,
)
from arbiter.show.tables.games import games_sheet
from arbiter.show.tables.match import (
    MatchResult,
    candidates_sheet,
    describe_forecast,
    describe_llr,
    match_sheets,
)
from arbiter.show.tables.prizes import prizes_sheet
from arbiter.show.tables.ratings import ratings_sheet, with_ratings
from arbiter.show.tables.run.incidents import describe_ruling, describe_voids
from arbiter.show.tables.sheet import Sheet, write_sheets
from arbiter.show.tables.standings import (
    bracket_sheet,
    crosstable_sheet,
    effort_sheet,
    plain_sheet,
    repeats_sheet,
    rounds_sheet,
    standings_sheet,
)
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.prizes import award_prizes
from arbiter.tournament.ratings.sprt import Sprt, SprtRun
from arbiter.tournament.ratings.values import Anchor, Estimate, RatingHistory, Ratings
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.results.snapshot import (
    HeadToHead,
    Matches,
    Snapshot,
    compare_bots,
    divide_alpha,
    make_matches,
    make_rating_history,
    rate_bots,
)
from arbiter.tournament.schedule import FORMATS
from arbiter.tournament.schedule.format import Stage
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.crosstable import (
    Bracket,
    Crosstable,
    Detail,
    PlainTable,
    Repeats,
    RoundsTable,
    build_crosstable,
    count_repeats,
)
from arbiter.tournament.standings.stored_game import StoredGame

# Formats for programs: a file with one table, the standings unless another table is asked for.
ONE_TABLE_FORMATS: Final = ("csv", "json")
_DRAW_LIMITS: Final = ("no_attack_plies", "max_plies")


def crosstable_sheets(plan: Schedule, bots: Details) -> Iterator[Sheet]:
    """Yield the crosstable of each stage, for people with the titles of the bots."""
    for title, stage in titled_stages(plan):
        order = [standing.bot for standing in plan.rank(stage)]
        sheet = with_titles_as_names(crosstable_sheet(order, build_table(plan, stage, order)), bots)
        yield _with_title(title, with_rulings(sheet, plan))


def results_sheets(plan: Schedule, bots: Details) -> Iterator[Sheet]:
    """Yield the standings and pairings of each stage, the final ranking, groups, effort, and repeated games."""
    for title, stage in titled_stages(plan):
        table = plan.rank(stage)
        yield _with_title(title, with_rulings(with_details(standings_sheet(table), bots), plan))
        order = [standing.bot for standing in table]
        detail = detail_sheet(plan, stage, order)
        yield _with_title(title, with_titles_as_names(detail, bots) if "bot" in detail.head else detail)
    if len(plan.stages) > 1:
        table = plan.rank_all()
        yield replace(with_rulings(with_details(standings_sheet(table), bots), plan), title="Final ranking")
    yield from list_categories(plan, bots)
    yield from list_teams(plan, bots)
    if (effort := effort_sheet(table)).rows:
        yield effort
    if repeated := list_repeats(plan):
        yield repeats_sheet(repeated)


def list_repeats(plan: Schedule) -> tuple[Repeats, ...]:
    """List the pairings with repeated games."""
    source = plan.stages[0].source
    if source is not None:
        return tuple(LadderData(state=source.state).list_repeats())
    return count_repeats(game for stage in plan.stages for game in plan.games_in(stage))


def with_rulings(sheet: Sheet, plan: Schedule) -> Sheet:
    """Add the rulings in force as footnotes."""
    return sheet.note(map(describe_ruling, plan.history.footnotes))


def all_sheets(
    plan: Schedule, bots: Details, ratings: Ratings, form: str, match: Sequence[Sheet] | None = None
) -> list[Sheet]:
    """List the sheets of a tournament in a format.

    Formats with one table get the standings with effort and ratings.  For people, the sheets of a `match` replace
    the ratings.
    """
    if form in ONE_TABLE_FORMATS:
        return [with_ratings(with_details(standings_sheet(plan.rank_all()), bots), ratings), *(match or ())]
    if match is None:
        match = [with_rulings(ratings_sheet(ratings), plan)] if ratings.groups else []
    return [*results_sheets(plan, bots), *match]


def titled_stages(plan: Schedule) -> Iterator[tuple[str, Stage]]:
    """Yield titles and stages; a single stage has no title."""
    several = len(plan.stages) > 1
    for number, stage in enumerate(plan.stages, start=1):
        yield heading("stage", number=number) if several else "", stage


def _with_title(title: str, sheet: Sheet) -> Sheet:
    return replace(sheet, title=join_phrases(": ", [title, sheet.title])) if title else sheet


def build_table(plan: Schedule, stage: Stage, order: Sequence[str]) -> Crosstable:
    """Build the crosstable of a stage from the games and byes that count in its standings."""
    if stage.source is not None:
        return build_ladder_crosstable(stage.source.state, order)
    return build_crosstable(order, plan.counted_games_in(stage), plan.byes_in(stage))


def detail_sheet(plan: Schedule, stage: Stage, order: Sequence[str]) -> Sheet:
    """Make the sheet of who played whom that suits the format of a stage."""
    detail = plan.tabulate(stage)
    return _DETAIL_SHEETS[type(detail)](detail, order)


_DETAIL_SHEETS: Final[dict[type[Detail], Callable[[Any, Sequence[str]], Sheet]]] = {
    Crosstable: lambda table, order: crosstable_sheet(order, table),
    RoundsTable: lambda table, order: rounds_sheet(order, table.games, table.byes),
    Bracket: lambda table, _order: bracket_sheet(table.matches),
    PlainTable: lambda table, _order: plain_sheet(table),
}


# --- the event and groups of bots -----------------------------------------------------------------


def make_event_data(manifest: Manifest, games: Iterable[StoredGame]) -> EventData:
    """Collect the event, the settings and the conditions of the games.  Raises ConfigError."""
    tournament = resolve_names(manifest.tournament)
    file = tournament.file
    changes = structs.asdict(tournament.overrides) | {"first": file.first or UNSET}
    stages = file.stage_tables
    return EventData(
        name=file.name,
        event=file.event,
        game=tournament.game,
        options=file.options,
        changes={key: value for key, value in changes.items() if value is not UNSET and key not in _DRAW_LIMITS},
        formats=[stage.format for stage in stages],
        games=[stage.games or file.games for stage in stages if FORMATS[stage.format].open is None],
        time=file.time,
        scale_time=file.cluster.scale_time,
        points=tournament.points,
        sandbox=manifest.sandbox,
        arbiter=manifest.arbiter,
        conditions=[game.conditions for game in games if game.conditions is not None],
    )


def list_categories(plan: Schedule, bots: Details) -> list[Sheet]:
    """List the standings of categories; empty if no bot has one."""
    return list(categories_sheets(plan.rank_all(), bots))


def list_teams(plan: Schedule, bots: Details) -> list[Sheet]:
    """List the standings of teams; empty if no bot has one."""
    sheet = teams_sheet(plan.rank_all(), [plan.rank(stage) for stage in plan.stages], bots)
    return [] if sheet is None else [sheet]


def list_prizes(results: Snapshot) -> list[Sheet]:
    """List the prizes by the standings so far; empty if there are none, or no game was played."""
    table = results.manifest.tournament.prizes
    if table is None or not results.games:
        return []
    ranking = [one for one in results.plan.rank_all() if one.withdrawn not in {"struck", "lost"}]
    awards = award_prizes(table, ranking, results.bots)
    return [prizes_sheet(table, awards, results.bots, finished=results.plan.finished)]


# --- matches --------------------------------------------------------------------------


def describe_match_plan(matches: Matches, games: Sequence[StoredGame], most_games: int) -> Iterator[str]:
    """Describe how many games the test of each match is expected to take, at most `most_games`; nothing without one."""
    for match in matches.each:
        expected = match.forecast(games, most_games)
        if match.sprt is not None and expected:
            line = describe_forecast(match.sprt, expected, most_games, is_measured=any(match.count_pairs(games)))
            yield line if len(matches.each) == 1 else f"{match.bot}: {line}"


def describe_match_progress(matches: Matches) -> str:
    """Describe the state of tests and repeated games; empty if there are neither."""
    parts = []
    for match in matches.each:
        name = "" if len(matches.each) == 1 else f"{match.bot} "
        sprt = [] if match.sprt_run is None else [describe_llr(match.sprt_run, has_bar=not name)]
        watch = match.repeats
        repeats = [f"{watch.distinct} distinct games of {watch.games}"] if watch.distinct < watch.games else []
        parts += [f"{name}{part}" for part in (*sprt, *repeats)]
    return ", ".join(parts)


def make_match_sheets(matches: Matches, manifest: Manifest, games: Sequence[StoredGame]) -> tuple[Sheet, ...]:
    """Make the sheets of matches."""
    tests = [divide_alpha(sprt, len(matches.each)) for sprt in manifest.earlier_sprts]
    results = [(summarise_match(match, manifest, match.select(games), tests), match.sprt_run) for match in matches.each]
    return match_sheets(*results[0]) if len(results) == 1 else (candidates_sheet(results, matches.sprt),)


def summarise_match(
    match: HeadToHead,
    manifest: Manifest,
    games: Sequence[StoredGame],
    earlier_tests: Sequence[Sprt] = (),
) -> MatchResult:
    """Summarise the match of two bots by their games."""
    from arbiter.tournament.ratings.rate import rate  # noqa: PLC0415 - numpy is slow to import
    from arbiter.tournament.ratings.sequential import correct_for_stop, estimate_normalized  # noqa: PLC0415 - as above

    both = (match.bot, match.opponent)
    ratings = rate(both, games, manifest.seed, Anchor(match.opponent, 0.0))
    pairs = match.count_pairs(games)
    elo = next(one.rating for one in ratings.bots if one.bot == match.bot)
    normalized = estimate_normalized(pairs, manifest.seed)
    superiority = ratings.superiority.get(match.bot, {}).get(match.opponent)
    forfeits = Counter(bot for game in games for bot in game.forfeiters)
    others = [game for game in games if not game.forfeiters]
    elo_of_others = None
    if forfeits and others:
        rated = rate(both, others, manifest.seed, Anchor(match.opponent, 0.0))
        elo_of_others = next(one.rating for one in rated.bots if one.bot == match.bot)
    run = match.sprt_run
    is_corrected = run is not None and run.accepted is not None
    if run is not None and is_corrected and elo is not None and normalized is not None:
        correction = correct_for_stop(run.sprt, run.counts)
        plain, elo = elo, correction.correct(elo, "logistic")
        if elo_of_others is not None:  # most games are the same, so the stop biases their estimate as much
            elo_of_others = Estimate(
                elo_of_others.elo + elo.elo - plain.elo,
                elo_of_others.low + elo.low - plain.low,
                elo_of_others.high + elo.high - plain.high,
            )
        normalized = correction.correct(normalized, "normalized")
        superiority = correction.superiority
    return MatchResult(
        bot=match.bot,
        opponent=match.opponent,
        as_red=build_crosstable(both, [game for game in games if game.red == match.bot]).totals[match.bot],
        as_blue=build_crosstable(both, [game for game in games if game.blue == match.bot]).totals[match.bot],
        elo=elo,
        normalized=normalized,
        is_corrected=is_corrected,
        superiority=superiority,
        red_advantage=ratings.red_advantage,
        pairs=pairs,
        counted_games=ratings.games,
        distinct_games=ratings.distinct_games,
        is_ended_by_repeats=match.repeats.is_over,
        forfeits={bot: forfeits[bot] for bot in both if forfeits[bot]},
        without_forfeits=build_crosstable(both, others).totals[match.bot] if others else None,
        elo_without_forfeits=elo_of_others,
        deployments=match.deployments,
        earlier_runs=[SprtRun(sprt, match.bot, games) for sprt in earlier_tests],
    )


def make_report_data(
    results: Snapshot,
    rate: Callable[[Manifest, Sequence[StoredGame]], Ratings] = rate_bots,
    history: RatingHistory | None = None,
    find_ranks: Callable[[Snapshot, int], Mapping[str, int] | None] = Snapshot.find_earlier_ranks,
    finder: GameFinder | None = None,
) -> ReportData:
    """Make the data of a report; `rate` rates the bots, `history` and `find_ranks` may remember earlier values.

    `finder` finds games that the data does not contain.
    """
    manifest = results.manifest
    history = history or make_rating_history(manifest)
    plan = results.plan
    games = results.games
    bots = results.bots
    uncounted = results.uncounted
    about = make_event_data(manifest, games)
    stage = plan.stages[-1]
    source = stage.source
    ladder = None
    if source is not None:
        earlier = 0 if results.latest is None else max(1, plan.history.count - len(results.latest))
        ladder = LadderData(state=source.state, parents=stage.entrants.parents, earlier=earlier)
    is_ladder = stage.format.is_ladder
    is_long = ladder is not None and ladder.is_long
    rates_itself = is_long or manifest.tournament.rated_apart
    ratings = source.rate_bots() if source is not None and rates_itself else rate(manifest, results.rated)
    matches = None if manifest.sprt is None else make_matches(manifest, games)
    parts = []
    for title, stage in titled_stages(plan):
        ranking = plan.rank(stage)
        order = [standing.bot for standing in ranking]
        detail = plan.tabulate(stage)
        table, more = (
            (detail, ())
            if isinstance(detail, Crosstable)
            else (build_table(plan, stage, order), (_DETAIL_SHEETS[type(detail)](detail, order),))
        )
        parts.append(Part(title=title, ranking=ranking, crosstable=table, more=more))
    return ReportData(
        name=about.name,
        rules=title_rules(about.game.name, about.game.title),
        options=about.options,
        format=list_stages(about.formats),
        total=None if plan.is_endless else plan.total,
        unit="pair" if is_ladder else "round",
        finished=plan.finished,
        created=manifest.created,
        arbiter=__version__,
        parts=parts,
        final=plan.rank_all(),
        ratings=ratings,
        match=None if matches is None else MatchData(make_match_sheets(matches, manifest, games), matches.runs),
        games=games,
        counted=[game for game in games if game.id not in uncounted],
        played=plan.played,
        uncounted=uncounted,
        rank_changes=None if is_ladder else _find_rank_changes(results, find_ranks),
        compare=None if is_long else partial(compare_bots, manifest),
        list_earlier_ratings=None if is_ladder else partial(history.list_earlier, results.rated),
        repeats=count_repeats(games) if ladder is None else tuple(ladder.list_repeats()),
        ladder=ladder,
        finder=finder,
        rulings=plan.history.footnotes,
        replaced=[game for game in plan.history.as_played if not plan.history.is_current(game.id)],
        voids=tuple(describe_voids(results.attempts, games)),
        attempts=results.attempts,
        event=about.event,
        bots=bots,
        settings=describe_settings(about),
        groups=(*list_prizes(results), *list_categories(plan, bots), *list_teams(plan, bots)),
        downloads=(
            Download(
                "downloads/standings.csv", "standings_file", lambda: _write_csv(all_sheets(plan, bots, ratings, "csv"))
            ),
            Download(
                "downloads/games.csv",
                "latest_games_file" if is_long else "games_file",
                lambda: _write_csv([games_sheet(games, uncounted)]),
            ),
        ),
    )


def _find_rank_changes(
    results: Snapshot, find_ranks: Callable[[Snapshot, int], Mapping[str, int] | None]
) -> RankChanges | None:
    """Compare the ranks with those at the end of the round before the last one that has begun."""
    latest = max((game.round for game in results.plan.history.games), default=0)
    before = find_ranks(results, latest - 1)
    if before is None:
        return None
    places = {one.bot: before[one.bot] - one.rank for one in results.plan.rank_all() if one.bot in before}
    return RankChanges(latest - 1, places)


def _write_csv(sheets: Sequence[Sheet]) -> bytes:
    return f"{write_sheets(sheets, 'csv')}\n".encode()

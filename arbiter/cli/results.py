"""How a tournament stands, as sheets: each stage, and at last all of it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from arbiter.cli.printing import print_sheets
from arbiter.show.tables.effort import effort_sheet, with_effort
from arbiter.show.tables.ratings import ratings_sheet, with_ratings
from arbiter.show.tables.rounds import bracket_sheet, rounds_sheet
from arbiter.show.tables.sheet import Sheet
from arbiter.show.tables.standings import crosstable_sheet, repeats_sheet, standings_sheet
from arbiter.tournament.ratings.values import Ratings, find_anchor
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.schedule.format import Detail
from arbiter.tournament.schedule.knockout import build_bracket
from arbiter.tournament.schedule.stages import Schedule, Stage
from arbiter.tournament.standings.crosstable import build_crosstable
from arbiter.tournament.standings.game_statistics import count_repeats
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing

# What a program or a spreadsheet reads holds one table: standings, unless the crosstable is asked for.
ONE_TABLE: Final = ("csv", "json")


def crosstables(schedule: Schedule) -> list[Sheet]:
    """Make each stage's crosstable."""
    return [
        _of_stage(name, _crosstable(stage, schedule.counted_games_in(stage), _order(schedule.rank(stage))))
        for name, stage in _named(schedule)
    ]


def _named(schedule: Schedule) -> Iterator[tuple[str, Stage]]:
    """Yield the stages, each with its name; the only one needs none."""
    several = len(schedule.stages) > 1
    for number, stage in enumerate(schedule.stages, start=1):
        yield f"Stage {number}" if several else "", stage


def _of_stage(name: str, sheet: Sheet) -> Sheet:
    return replace(sheet, title=f"{name}: {sheet.title}") if name else sheet


def _order(table: Sequence[Standing]) -> list[str]:
    return [standing.bot for standing in table]


def _crosstable(stage: Stage, games: Sequence[StoredGame], order: Sequence[str]) -> Sheet:
    return crosstable_sheet(order, build_crosstable(order, games, stage.byes))


def _rounds(stage: Stage, games: Sequence[StoredGame], order: Sequence[str]) -> Sheet:
    return rounds_sheet(order, games, stage.byes)


def _bracket(stage: Stage, games: Sequence[StoredGame], order: Sequence[str]) -> Sheet:
    return bracket_sheet(build_bracket(stage.entrants, games))


DETAILS: Final[dict[Detail, Callable[[Stage, Sequence[StoredGame], Sequence[str]], Sheet]]] = {
    "crosstable": _crosstable,
    "rounds": _rounds,
    "bracket": _bracket,
}


def ratings_of(manifest: Manifest, games: Sequence[StoredGame], anchor: str | None = None) -> Ratings:
    """Rate a tournament's bots by all its games; `anchor` is BOT=RATING, the tournament's own unless given.

    Raises ConfigError.
    """
    from arbiter.tournament.ratings.rate import rate  # noqa: PLC0415 - numpy is slow to import, and not every command rates

    bots = [bot.name for bot in manifest.tournament.bots]
    chosen = manifest.tournament.anchor if anchor is None else anchor
    return rate(bots, games, manifest.seed, None if chosen is None else find_anchor(chosen, bots))


def results_sheets(schedule: Schedule) -> Iterator[Sheet]:
    """Make each stage's standings, each with what shows best who met whom; after several stages the final ranking.

    At last come mean lengths and times, and the games that only repeat an earlier one, if there are any.
    """
    for name, stage in _named(schedule):
        table = schedule.rank(stage)
        detail = DETAILS[stage.format.detail](stage, schedule.counted_games_in(stage), _order(table))
        yield from (_of_stage(name, sheet) for sheet in (standings_sheet(table), detail))
    if len(schedule.stages) > 1:
        table = schedule.rank_all()
        yield replace(standings_sheet(table), title="Final ranking")
    if (effort := effort_sheet(table)).rows:
        yield effort
    if repeated := count_repeats(game for stage in schedule.stages for game in schedule.games_in(stage)):
        yield repeats_sheet(repeated)


def print_results(
    schedule: Schedule, ratings: Ratings, title: str, form: str, match: Sequence[Sheet] | None = None
) -> None:
    """Print the standings, who met whom, and the ratings; where the format has room for one table only, all in one.

    The sheets of a `match` say how much the one bot is ahead; so its ratings are not shown to people.
    """
    if form in ONE_TABLE:
        table = schedule.rank_all()
        sheets = [with_ratings(with_effort(standings_sheet(table), table), ratings), *(match or ())]
    else:
        rated = [ratings_sheet(ratings)] if ratings.groups else []
        sheets = [*results_sheets(schedule), *(rated if match is None else match)]
    print_sheets(sheets, form, title)

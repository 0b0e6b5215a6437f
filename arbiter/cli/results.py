"""How a tournament stands, as sheets: each stage, and at last all of it."""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from arbiter.cli.printing import print_sheets
from arbiter.show.rounds import bracket_sheet, rounds_sheet
from arbiter.show.sheets import Sheet
from arbiter.show.tables import crosstable_sheet, repeats_sheet, standings_sheet
from arbiter.tournament.crosstable import crosstable
from arbiter.tournament.repeats import repeats
from arbiter.tournament.schedule import Detail, Schedule, Stage, bracket

# What a program or a spreadsheet reads holds one table: standings, unless the crosstable is asked for.
ONE_TABLE: Final = ("csv", "json")


def crosstables(schedule: Schedule) -> list[Sheet]:
    """Make each stage's crosstable."""
    return [_crosstable(schedule, stage) for stage in schedule.stages]


def _crosstable(schedule: Schedule, stage: Stage) -> Sheet:
    order = [standing.bot for standing in schedule.ranking(stage)]
    return crosstable_sheet(order, crosstable(order, schedule.games(stage)))


def _rounds(schedule: Schedule, stage: Stage) -> Sheet:
    return rounds_sheet([one.bot for one in schedule.ranking(stage)], schedule.games(stage), stage.byes)


def _bracket(schedule: Schedule, stage: Stage) -> Sheet:
    return bracket_sheet(bracket(stage.field, schedule.games(stage)))


DETAILS: Final[dict[Detail, Callable[[Schedule, Stage], Sheet]]] = {
    "crosstable": _crosstable,
    "rounds": _rounds,
    "bracket": _bracket,
}


def results_sheets(schedule: Schedule) -> Iterator[Sheet]:
    """Make each stage's standings, each with what shows best who met whom; after several stages the final ranking.

    At last come the games that only repeat an earlier one, if there are any.
    """
    several = len(schedule.stages) > 1
    for number, stage in enumerate(schedule.stages, start=1):
        name = f"Stage {number}: " if several else ""
        for sheet in (standings_sheet(schedule.ranking(stage)), DETAILS[stage.format.detail](schedule, stage)):
            yield replace(sheet, title=f"{name}{sheet.title}")
    if several:
        yield replace(standings_sheet(schedule.final_ranking()), title="Final ranking")
    if repeated := repeats(game for stage in schedule.stages for game in schedule.games(stage)):
        yield repeats_sheet(repeated)


def print_results(schedule: Schedule, title: str, form: str) -> None:
    """Print the standings and who met whom; only the final ranking where the format has no room for more tables."""
    sheets = [standings_sheet(schedule.final_ranking())] if form in ONE_TABLE else list(results_sheets(schedule))
    print_sheets(sheets, form, title)

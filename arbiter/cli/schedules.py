"""Schedules as sheets: the pairings that are known, and the duration of the games that are missing."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Final

from arbiter.show.tables.schedule import DurationInput, duration_sheet, list_pairings, schedule_sheet
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.stored_game import StoredGame

_MAX_ROWS: Final = 10_000


def read_schedule(tournament: Tournament, results: Path) -> tuple[Schedule, list[StoredGame]]:
    """Make the schedule of a tournament after the games in its results, if there are any.  Raises ConfigError."""
    if not results.exists():
        return tournament.schedule(0), []
    with Store.read(results) as store:
        history = store.history()
        plan = tournament.schedule(store.manifest.key, history.games, store.withdrawn(), history=history)
        return plan, history.in_order


def pairings_sheet(tournament: Tournament, plan: Schedule) -> Sheet:
    """Make the sheet of the pairings that are known."""
    names = [table.format for table in tournament.file.stage_tables]
    notes = []
    if plan.stages[-1].format.is_closed and not plan.finished:
        name = names[len(plan.stages) - 1]
        notes.append(f"The pairings of later rounds of the {name} follow from the results of earlier rounds.")
    for number, name in list(enumerate(names, start=1))[len(plan.stages) :]:
        notes.append(f"The bots of stage {number}, {name}, follow from the results of the stage before.")
    pairings = list(islice(list_pairings([stage.rounds for stage in plan.stages]), _MAX_ROWS + 1))
    if len(pairings) > _MAX_ROWS:
        notes.append(f"Only the first {_MAX_ROWS:,} pairings are listed.")
    return schedule_sheet(f"{tournament.file.name}: pairings", pairings[:_MAX_ROWS], notes)


def forecast_sheet(tournament: Tournament, plan: Schedule, games: Sequence[StoredGame], jobs: int) -> Sheet:
    """Make the sheet of the duration of the missing games."""
    played = [game for game in games if game.ending != "walkover"]
    game = tournament.game
    return duration_sheet(
        DurationInput(
            games=plan.total - len(games),
            jobs=jobs,
            pieces=sum(game.army.values()),
            max_plies=game.max_plies,
            time=tournament.file.time,
            mean_plies=fmean(one.plies for one in played) if played else None,
            mean_seconds=fmean(one.seconds for one in played) if played else None,
        )
    )

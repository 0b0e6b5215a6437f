"""The schedule of a tournament as a sheet, and an estimate of its duration."""

from collections.abc import Iterator, Sequence
from itertools import islice
from math import ceil
from statistics import fmean
from typing import Final

from msgspec import Struct

from arbiter.clock import TimeSettings
from arbiter.show.tables.sheet import JSON, Column, Sheet
from arbiter.show.text import write_duration
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.fixture import Round
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.stored_game import StoredGame

_MAX_ROWS: Final = 10_000  # of the pairings
_PLIES_PER_PIECE: Final = 10  # of one army; games between the sample bots have 6 to 12
_START_S: Final = 0.1  # two bots that start at once
_QUICK_PLY_S: Final = 0.001
_LIKELY_SHARE: Final = 0.25


class Pairing(Struct, frozen=True):
    """Games of two bots in a round."""

    stage: int
    round: int
    one: str
    two: str | None
    """None for a bye."""
    games: int


def _list_round(stage: int, round_: Round) -> Iterator[Pairing]:
    fixtures = round_.fixtures
    for number in range(fixtures.pairs):
        for meeting in fixtures.meetings:
            if meeting.step:  # each pair of games in a round of its own
                yield Pairing(stage, meeting.round + number * meeting.step, meeting.one, meeting.two, 2)
            elif not number:
                yield Pairing(stage, meeting.round, meeting.one, meeting.two, 2 * fixtures.pairs)
    for bye in round_.byes:
        yield Pairing(stage, bye.round, bye.bot, None, 0)


_PAIRINGS: Final[tuple[Column[Pairing], ...]] = (
    Column("stage"),
    Column("round"),
    Column("one", "bot", align="left"),
    Column("two", "opponent", text=lambda one: one.two or "bye", align="left"),
    Column("games"),
)
_STAGE: Final[Column[Pairing]] = Column("stage", on=JSON)


def pairings_sheet(tournament: Tournament, plan: Schedule) -> Sheet:
    """Make the sheet of the pairings that are known."""
    names = [table.format for table in tournament.file.stage_tables]
    notes = []
    if plan.stages[-1].format.is_closed and not plan.finished:
        name = names[len(plan.stages) - 1]
        notes.append(f"The pairings of later rounds of the {name} follow from the results of earlier rounds.")
    for number, name in list(enumerate(names, start=1))[len(plan.stages) :]:
        notes.append(f"The bots of stage {number}, {name}, follow from the results of the stage before.")
    stages = enumerate(plan.stages, start=1)
    known = (one for number, stage in stages for round_ in stage.rounds for one in _list_round(number, round_))
    pairings = list(islice(known, _MAX_ROWS + 1))
    if len(pairings) > _MAX_ROWS:
        notes.append(f"Only the first {_MAX_ROWS:,} pairings are listed.")
    pairings = sorted(pairings[:_MAX_ROWS], key=lambda one: (one.stage, one.round))  # bots that joined late come last
    columns = _PAIRINGS if len({pairing.stage for pairing in pairings}) > 1 else (_STAGE, *_PAIRINGS[1:])
    return Sheet(title=f"{tournament.file.name}: pairings", columns=columns, items=pairings, notes=tuple(notes))


# --- duration -------------------------------------------------------------------------------------


def forecast_sheet(tournament: Tournament, plan: Schedule, games: Sequence[StoredGame], jobs: int) -> Sheet:
    """Make the sheet of the minimum, likely and maximum duration of the missing games, with assumptions as notes."""
    played = [game for game in games if game.ending != "walkover"]
    pieces, max_plies, time = sum(tournament.game.army.values()), tournament.game.max_plies, tournament.file.time
    missing = plan.total - len(games)
    plies = (fmean(one.plies for one in played) if played else 0) or float(pieces * _PLIES_PER_PIECE)
    if max_plies:
        plies = min(plies, max_plies)
    if played:
        length = f"a game has {plies:.0f} plies, as in the games played so far"
        likely = fmean(one.seconds for one in played)
        usage = "bots use as much time as in the games played so far"
    else:
        length = f"a game has {plies:.0f} plies ({_PLIES_PER_PIECE} for each of the {pieces} pieces of a side)"
        likely = _START_S + _LIKELY_SHARE * _thinking_s(time, plies)
        usage = f"bots use {_LIKELY_SHARE:.0%} of their time"
    most = None
    if max_plies:
        factor = time.wall_factor if time.clock == "cpu" else 1.0
        margin_s = time.margin_ms / 1000 * max_plies
        most = time.start_s + factor * (2 * time.setup_s + _thinking_s(time, max_plies) + margin_s)
    batches = ceil(missing / jobs)
    durations = {
        "minimum": _START_S + _QUICK_PLY_S * plies,
        "likely": likely,
        "maximum": most,
    }
    seconds = {name: None if each is None else round(each * batches, 1) for name, each in durations.items()}
    return Sheet(
        title=f"Duration of {missing} games, {jobs} at a time",
        columns=(
            Column("case", "", value=lambda one: one[0], align="left"),
            Column("one game", value=lambda one: _write(one[1]), align="left"),
            Column("all games", value=lambda one: _write(one[1], batches), align="left"),
        ),
        items=tuple(durations.items()),
        data=({"games": missing, "jobs": jobs, "seconds": seconds},),
        notes=(
            f"Minimum: {length}, and bots answer at once. Likely: {usage}. "
            + (
                f"Maximum: all games have {max_plies} plies, and bots use all of their time."
                if max_plies
                else "There is no maximum, because the rules have no limit of plies."
            ),
        ),
    )


def _thinking_s(time: TimeSettings, plies: float) -> float:
    """Return how long both bots may think in a game of so many plies, without the deployments."""
    thinking = 2 * time.bank_s + plies * time.increment_s
    return thinking if time.move_s is None else min(thinking, plies * time.move_s)


def _write(seconds: float | None, count: int = 1) -> str:
    if seconds is None:
        return "no limit"
    total = seconds * count
    return f"{total:.1f} s" if total < 60 else write_duration(round(total))  # noqa: PLR2004 - a minute

"""The schedule of a tournament as a sheet, and an estimate of its duration."""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

from msgspec import Struct

from arbiter.clock import TimeSettings
from arbiter.show.tables.sheet import JSON, Column, Sheet
from arbiter.show.text import write_duration
from arbiter.tournament.fixture import Round

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


def list_pairings(stages: Sequence[Sequence[Round]]) -> Iterator[Pairing]:
    """Yield the pairings of the known rounds of each stage."""
    for number, rounds in enumerate(stages, start=1):
        for one in rounds:
            yield from _list_round(number, one)


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


def schedule_sheet(title: str, pairings: Sequence[Pairing], notes: Sequence[str]) -> Sheet:
    """Make the sheet of the pairings of each round."""
    pairings = sorted(pairings, key=lambda one: (one.stage, one.round))  # bots that joined late come last
    columns = _PAIRINGS if len({pairing.stage for pairing in pairings}) > 1 else (_STAGE, *_PAIRINGS[1:])
    return Sheet(title=title, columns=columns, items=pairings, notes=tuple(notes))


# --- duration -------------------------------------------------------------------------------------


class DurationInput(Struct, frozen=True, kw_only=True):
    """Input of the estimate of a duration."""

    games: int
    """Games that are still to be played."""
    jobs: int
    pieces: int
    """Pieces or cards of one side."""
    max_plies: int
    """0 = no limit."""
    time: TimeSettings
    mean_plies: float | None = None
    """Of the stored games, if there are any."""
    mean_seconds: float | None = None


def duration_sheet(forecast: DurationInput) -> Sheet:
    """Make the sheet of the minimum, likely and maximum duration, with the assumptions as notes."""
    plies = forecast.mean_plies or float(forecast.pieces * _PLIES_PER_PIECE)
    if forecast.max_plies:
        plies = min(plies, forecast.max_plies)
    if forecast.mean_plies is None:
        length = f"a game has {plies:.0f} plies ({_PLIES_PER_PIECE} for each of the {forecast.pieces} pieces of a side)"
    else:
        length = f"a game has {plies:.0f} plies, as in the games played so far"
    likely = forecast.mean_seconds
    if likely is None:
        likely = _START_S + _LIKELY_SHARE * _thinking_s(forecast.time, plies)
        usage = f"bots use {_LIKELY_SHARE:.0%} of their time"
    else:
        usage = "bots use as much time as in the games played so far"
    most = None
    if forecast.max_plies:
        time = forecast.time
        factor = time.wall_factor if time.clock == "cpu" else 1.0
        margin_s = time.margin_ms / 1000 * forecast.max_plies
        most = time.start_s + factor * (2 * time.setup_s + _thinking_s(time, forecast.max_plies) + margin_s)
    batches = ceil(forecast.games / forecast.jobs)
    durations = {
        "minimum": _START_S + _QUICK_PLY_S * plies,
        "likely": likely,
        "maximum": most,
    }
    seconds = {name: None if each is None else round(each * batches, 1) for name, each in durations.items()}
    return Sheet(
        title=f"Duration of {forecast.games} games, {forecast.jobs} at a time",
        columns=(
            Column("case", "", value=lambda one: one[0], align="left"),
            Column("one game", value=lambda one: _write(one[1]), align="left"),
            Column("all games", value=lambda one: _write(one[1], batches), align="left"),
        ),
        items=tuple(durations.items()),
        data=({"games": forecast.games, "jobs": forecast.jobs, "seconds": seconds},),
        notes=(
            f"Minimum: {length}, and bots answer at once. Likely: {usage}. "
            + (
                f"Maximum: all games have {forecast.max_plies} plies, and bots use all of their time."
                if forecast.max_plies
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

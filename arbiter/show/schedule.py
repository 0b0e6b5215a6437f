"""The schedule of a tournament as a sheet, and an estimate of its duration."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import chain, islice
from math import ceil
from statistics import fmean
from typing import Final

from msgspec import Struct

from arbiter.clock import TimeSettings, write_duration
from arbiter.show.tables.sheet import EVERYWHERE, Cell, Coded, Column, Outputs, Sheet
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.fixture import Round
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.stored_game import StoredGame

_MAX_ROWS: Final = 10_000  # of the pairings
_LAST_PAIRS: Final = 20  # of a ladder, besides those that are not complete
_PLIES_PER_PIECE: Final = 10  # of one army; games between the sample bots have 6 to 12
_START_S: Final = 0.1  # two bots that start at once
_QUICK_PLY_S: Final = 0.001
_LIKELY_SHARE: Final = 0.25
_FILES: Final[Outputs] = ("csv", "json")


class Pairing(Struct, frozen=True):
    """Games of two bots in a round."""

    stage: int
    round: int
    red: str
    """Red in the first game of each pair, and blue in the second."""
    blue: str | None
    """None for a bye."""
    games: int
    missing: int = 0
    """The games of a pair of a ladder that are not played yet."""
    is_absent: bool = False
    """True if the bot is not paired because it is absent or has left."""

    @property
    def bye_words(self) -> str:
        """The words for a round without an opponent."""
        return "absent" if self.is_absent else "bye"


class PlannedRound(Struct, frozen=True):
    """A round with its time."""

    stage: int
    round: int
    starts: datetime
    minutes: int
    pairings: tuple[Pairing, ...]
    """Empty if the round is not paired yet."""


def list_pairings(plan: Schedule) -> list[Pairing]:
    """List the pairings that are known, round by round, at most as many as are shown and one more.

    Of a ladder, these are the last pairs and those that are not complete.
    """

    def list_known() -> Iterator[Pairing]:
        for number, stage in enumerate(plan.stages, start=1):
            if not stage.format.is_ladder:
                yield from chain.from_iterable(_list_round(number, round_) for round_ in stage.rounds)
                continue
            fixtures = stage.rounds[0].fixtures
            played = Counter(game.round for game in plan.games_in(stage))
            for place, one in enumerate(fixtures.meetings, start=1):
                missing = fixtures.pair_size - played[one.round]
                if missing or place > len(fixtures.meetings) - _LAST_PAIRS:
                    yield Pairing(number, one.round, one.one, one.two, fixtures.pair_size, missing)

    return sorted(islice(list_known(), _MAX_ROWS + 1), key=lambda one: (one.stage, one.round))  # late bots come last


def _list_round(stage: int, round_: Round) -> Iterator[Pairing]:
    fixtures = round_.fixtures
    for number in range(fixtures.pairs):
        for meeting in fixtures.meetings:
            if meeting.step:  # each pair of games in a round of its own
                yield Pairing(stage, meeting.round + number * meeting.step, meeting.one, meeting.two, 2)
            elif not number:
                games = fixtures.pair_size * fixtures.pairs
                yield Pairing(stage, meeting.round, meeting.one, meeting.two, games)
    for bye in round_.byes:
        yield Pairing(stage, bye.round, bye.bot, None, 0, is_absent=bye.requested)


def plan_rounds(
    tournament: Tournament, plan: Schedule, games: Sequence[StoredGame], jobs: int
) -> tuple[PlannedRound, ...]:
    """Plan when the rounds start, also those of a Swiss tournament or a knockout that are not paired yet.

    Returns nothing if the tournament file does not have the start of the first one, or if it has a ladder, whose pairs
    have no times.
    """
    event = tournament.file.event
    if event.starts is None or any(stage.format.is_ladder for stage in plan.stages):
        return ()
    rounds: dict[tuple[int, int], list[Pairing]] = {}
    for pairing in list_pairings(plan):
        rounds.setdefault((pairing.stage, pairing.round), []).append(pairing)
    stage = plan.stages[-1]
    if stage.format.count_rounds is not None and not stage.is_over:
        first = stage.entrants.first_round
        for number in range(first, first + stage.format.count_rounds(stage.entrants)):
            rounds.setdefault((len(plan.stages), number), [])
    later = sum(not each for each in rounds.values())
    paired = sum(one.games for (number, _), each in rounds.items() if number == len(plan.stages) for one in each)
    usual = ceil((stage.total - paired) / later) if later else 0
    likely_s = _forecast_game(tournament, games).likely_s
    starts = event.starts
    planned: list[PlannedRound] = []
    for (number, round_), pairings in rounds.items():
        batches = ceil((sum(one.games for one in pairings) or usual) / jobs)
        minutes = event.round_minutes or max(1, ceil(likely_s * batches / 60))
        planned.append(PlannedRound(number, round_, starts, minutes, tuple(pairings)))
        starts += timedelta(minutes=minutes)
    return tuple(planned)


def pairings_sheet(tournament: Tournament, plan: Schedule, rounds: Sequence[PlannedRound] = ()) -> Sheet:
    """Make the sheet of the pairings that are known, with the times of the rounds."""
    file = tournament.file
    event = tournament.file.event
    names = [table.format for table in file.stage_tables]
    titles = {bot.name: Coded(bot.name, bot.title) for bot in file.bots if bot.title}
    starts = {(one.stage, one.round): one.starts for one in rounds}
    shown_starts = {key: Coded(start.isoformat(), _write_time(start)) for key, start in starts.items()}
    notes = []
    pairings = list_pairings(plan)
    if len(pairings) > _MAX_ROWS:
        notes.append(f"Only the first {_MAX_ROWS:,} pairings are listed.")
    for source in (stage.source for stage in plan.stages if stage.source):
        chosen = len(source.fixtures.meetings)
        notes.append(
            "A ladder has no rounds: each pair of games is chosen from the results when it can begin. Listed are the "
            f"last {min(_LAST_PAIRS, chosen)} of {chosen:,} pairs so far, and all with games to play."
        )
    has_ladder = any(stage.format.is_ladder for stage in plan.stages)
    if any(pairing.games > 1 for pairing in pairings):
        notes.append("Colours are those of the first game of each pair; in the second they are swapped.")
    if plan.stages[-1].format.is_closed and not plan.finished:
        name = names[len(plan.stages) - 1]
        notes.append(f"The pairings of later rounds of the {name} follow from the results of earlier rounds.")
    later = [one for one in rounds if not one.pairings]
    if later:
        times = (f"round {one.round} at {_write_time(one.starts)}" for one in later)
        notes.append(f"Times of later rounds: {', '.join(times)}.")
    for number, name in list(enumerate(names, start=1))[len(plan.stages) :]:
        notes.append(f"The bots of stage {number}, {name}, follow from the results of the stage before.")
    if rounds and event.round_minutes is None:
        notes.append("Times after the first round are estimates from the likely duration of games.")

    def find_title(bot: str | None) -> str | None:
        return titles[bot].words if bot in titles else None

    def show(bot: str) -> Cell:
        return titles.get(bot, bot)

    columns: tuple[Column[Pairing], ...] = (
        Column("stage", on=EVERYWHERE if len({pairing.stage for pairing in pairings}) > 1 else _FILES),
        Column("round", "pair" if all(stage.format.is_ladder for stage in plan.stages) else None),
        Column(
            "starts",
            value=lambda one: starts.get((one.stage, one.round)),
            text=lambda one: shown_starts.get((one.stage, one.round)),
            align="left",
            on=EVERYWHERE if rounds else _FILES,
        ),
        Column("red", text=lambda one: show(one.red), align="left"),
        Column("blue", text=lambda one: Coded("", one.bye_words) if one.blue is None else show(one.blue), align="left"),
        Column("games"),
        Column("missing", "to play", is_optional=True, on=EVERYWHERE if has_ladder else ()),
        Column("red_title", value=lambda one: find_title(one.red), on=_FILES),
        Column("blue_title", value=lambda one: find_title(one.blue), on=_FILES),
        Column("event", value=lambda _: event.title, on=_FILES),
        Column("place", value=lambda _: event.place, on=_FILES),
        Column("dates", value=lambda _: event.dates, on=_FILES),
    )
    heading = ", ".join(filter(None, (event.title, file.name, event.place, event.dates)))
    return Sheet(title=f"{heading}: pairings", columns=columns, items=pairings[:_MAX_ROWS], notes=tuple(notes))


def _write_time(time: datetime) -> str:
    """Write a time for people, with its offset from UTC if it has one."""
    return time.strftime("%a %Y-%m-%d %H:%M") + (f" {time:%z}" if time.tzinfo else "")


# --- duration -------------------------------------------------------------------------------------


class _GameForecast(Struct, frozen=True):
    """The likely length of a game."""

    plies: float
    likely_s: float
    length: str
    """The reason for the plies."""
    usage: str
    """The reason for the time."""


def _forecast_game(tournament: Tournament, games: Sequence[StoredGame]) -> _GameForecast:
    """Estimate a game from those played, or from the army and the clocks."""
    played = [game for game in games if game.ending != "walkover"]
    pieces = sum(tournament.game.army.values())
    max_plies = tournament.game.max_plies
    plies = (fmean(one.plies for one in played) if played else 0) or float(pieces * _PLIES_PER_PIECE)
    if max_plies:
        plies = min(plies, max_plies)
    if played:
        return _GameForecast(
            plies,
            fmean(one.seconds for one in played),
            f"a game has {plies:.0f} plies, as in the games played so far",
            "bots use as much time as in the games played so far",
        )
    return _GameForecast(
        plies,
        _START_S + _LIKELY_SHARE * _thinking_s(tournament.file.time, plies),
        f"a game has {plies:.0f} plies ({_PLIES_PER_PIECE} for each of the {pieces} pieces of a side)",
        f"bots use {_LIKELY_SHARE:.0%} of their time",
    )


def forecast_sheet(tournament: Tournament, plan: Schedule, games: Sequence[StoredGame], jobs: int) -> Sheet:
    """Make the sheet of the minimum, likely and maximum duration of the missing games, with assumptions as notes."""
    max_plies = tournament.game.max_plies
    time = tournament.file.time
    missing = None if plan.is_endless else plan.total - len(games)
    forecast = _forecast_game(tournament, games)
    most = None
    if max_plies:
        factor = time.wall_factor if time.clock == "cpu" else 1.0
        margin_s = time.margin_ms / 1000 * max_plies
        most = time.start_s + factor * (2 * time.setup_s + _thinking_s(time, max_plies) + margin_s)
    batches = None if missing is None else ceil(missing / jobs)
    durations = {
        "minimum": _START_S + _QUICK_PLY_S * forecast.plies,
        "likely": forecast.likely_s,
        "maximum": most,
    }
    seconds = {
        name: None if each is None or batches is None else round(each * batches, 1) for name, each in durations.items()
    }
    return Sheet(
        title=f"Duration of {'games without a limit' if missing is None else f'{missing} games'}, {jobs} at a time",
        columns=(
            Column("case", "", value=lambda one: one[0], align="left"),
            Column("one game", value=lambda one: _write(one[1]), align="left"),
            Column("all games", value=lambda one: _write(one[1], batches), align="left"),
        ),
        items=tuple(durations.items()),
        data=({"games": missing, "jobs": jobs, "seconds": seconds},),
        notes=(
            f"Minimum: {forecast.length}, and bots answer at once. Likely: {forecast.usage}. "
            + (
                f"Maximum: all games have {max_plies} plies, and bots use all of their time."
                if max_plies
                else "There is no maximum, because the rules have no limit of plies."
            ),
            *(["The games continue until the ladder is stopped, or until its date."] if missing is None else []),
        ),
    )


def _thinking_s(time: TimeSettings, plies: float) -> float:
    """Return how long both bots may think in a game of so many plies, without the deployments."""
    thinking = 2 * time.bank_s + plies * time.increment_s
    return thinking if time.move_s is None else min(thinking, plies * time.move_s)


def _write(seconds: float | None, count: int | None = 1) -> str:
    if seconds is None or count is None:
        return "no limit"
    total = seconds * count
    return f"{total:.1f} s" if total < 60 else write_duration(round(total))  # noqa: PLR2004 - a minute

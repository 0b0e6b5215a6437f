"""Reports of games from other processes, and tests of them: damage, and results of other games, are refused."""

import math
import zlib
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET
from msgspec.structs import asdict, replace

from arbiter import __version__
from arbiter.errors import ConfigError
from arbiter.games.chance import SeededChance
from arbiter.packing import unpack
from arbiter.record import (
    GameHeader,
    PackedRecord,
    Record,
    RecordError,
    UnfinishedRecord,
    compute_fingerprint,
    read_record,
)
from arbiter.referee.game import PlayedGame
from arbiter.sandbox.select import SANDBOXED
from arbiter.tournament.events import Attempt, Void
from arbiter.tournament.execution.executor import Played
from arbiter.tournament.execution.machines import Machine
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.machine import PlayingConditions
from arbiter.transcript import GameLog
from arbiter.verify import verify_record
from protocol.words import SEATS

# Limits that no honest machine exceeds, however busy it is: a load delays games, and the delay counts on both clocks.
_DRIFT: Final = 1.01  # clocks of computers differ by less than a thousandth
_SLACK_S: Final = 2.0  # for a clock that is set while a game is played
_ROUNDING_MS: Final = 100.0
_TICK_MS: Final = 20.0  # a measurement of processor time can be wrong by this much
_PLY_S: Final = 5e-6  # a tenth of the time that the referee alone needs for a ply on the reference machine
_SPEED_RATIO: Final = 2.0  # of two measurements of a machine, by different worker processes


class GamePlayed(PlayedGame, frozen=True, tag="played", kw_only=True):
    """The report of a game that is over."""

    unfinished: PackedRecord
    conditions: PlayingConditions


def report_played(played: Played, log: GameLog) -> GamePlayed:
    """Make the report of a game with the part of its log that is kept.  Compressing the record takes some time."""
    game = played.game
    packed = game.unfinished.pack() if isinstance(game.unfinished, UnfinishedRecord) else game.unfinished
    fields = {**asdict(game), "unfinished": packed, "log": log, "earlier_games": {}}  # these are in the conditions
    return GamePlayed(conditions=played.conditions, **fields)


class ReportRefused(Exception):
    """A report is damaged, or is not one of the game that the worker was given; the text describes the fault."""


def check_played(report: GamePlayed, header: GameHeader, machine: Machine, isolation: str) -> None:
    """Referee a game again, and compare its report with what the worker was given.  Raises ReportRefused.

    `header` was sent to a worker on `machine`, `isolation` is that of the event.
    """
    try:
        record = read_record(unpack(report.unfinished.finish(report.result).data))
    except (RecordError, zlib.error) as error:
        raise ReportRefused(f"its record cannot be read: {error}") from None
    _check_header(record.header, header)
    found = verify_record(record, is_seeded=True)
    if not found.ok:
        place = "" if found.act is None else f" in act {found.act}"
        raise ReportRefused(f"its record breaks the rules{place}: {found.why}")
    _check_values(report, record)
    _check_times(report, record, machine)
    conditions = report.conditions
    if conditions.host != machine.host:
        raise ReportRefused(f"its host is {conditions.host!r}, but the worker is on {machine.host!r}")
    if conditions.speed != machine.speed:
        raise ReportRefused(f"its speed is {conditions.speed}, but that of its machine is {machine.speed}")
    if not record.header.sandbox == conditions.sandbox == (isolation if isolation == SANDBOXED else conditions.sandbox):
        raise ReportRefused(f"its sandbox is {conditions.sandbox!r}, but that of the tournament is {isolation!r}")


def check_elapsed(reports: Sequence[GamePlayed | Void], elapsed_s: float) -> None:
    """Check that games can have been played one after the other since they were handed out.  Raises ReportRefused.

    `elapsed_s` is the time since then, by the clock of the coordinator, when their report has arrived.
    """
    seconds = [one.seconds if isinstance(one, GamePlayed) else one.attempt.seconds for one in reports]
    if not all(math.isfinite(one) and one >= 0 for one in seconds):
        raise ReportRefused("its times are not numbers of seconds")
    if sum(seconds) > elapsed_s * _DRIFT + _SLACK_S:
        raise ReportRefused(f"its games took {sum(seconds):.1f} s, but they were handed out {elapsed_s:.1f} s ago")


def check_machine(machine: Machine, known: Machine) -> None:
    """Compare the machine in a report with what its worker described when it joined.  Raises ReportRefused.

    Another process of the worker, which was restarted since, may have measured the speed.
    """
    ratio = machine.speed / known.speed
    is_same = machine == known or (
        machine.process != known.process
        and 1 / _SPEED_RATIO < ratio < _SPEED_RATIO
        and replace(machine, process="", speed=1.0) == replace(known, process="", speed=1.0)
    )
    if not is_same:
        raise ReportRefused("it describes its machine otherwise than its worker when it joined")


def _check_header(header: GameHeader, sent: GameHeader) -> None:
    """Compare the header of a record with the one sent, and its opening with the seed.  Raises ReportRefused."""
    if header.seats.keys() != sent.seats.keys():
        raise ReportRefused("its seats are not those of the game")
    if not header.started or header.arbiter != __version__:
        raise ReportRefused("its record has no start, or is of another arbiter")
    chance = SeededChance(sent.seed or 0)
    try:
        opening = sent.game().start(chance)
    except ConfigError as error:
        raise ReportRefused(str(error)) from None
    due = replace(
        sent,
        arbiter=header.arbiter,
        sandbox=header.sandbox,
        started=header.started,
        seats={seat: replace(header.seats[seat], name=sent.seats[seat].name) for seat in sent.seats},
        first=opening.first,
        decks=dict(chance.shuffles) or UNSET,
        facts=opening.opening,
    )
    for name in header.__struct_fields__:
        if getattr(header, name) != getattr(due, name):
            raise ReportRefused(f"`{name}` of its record is not that of the game")


def _check_values(report: GamePlayed, record: Record) -> None:
    """Compare the values of a report with each other.  Raises ReportRefused."""
    if report.unfinished.fingerprint != compute_fingerprint(record):
        raise ReportRefused("its fingerprint is not that of its record")
    if report.unfinished.started != record.header.started:
        raise ReportRefused("its start is not that of its record")
    if report.result.plies is None or report.result.points is not None:
        raise ReportRefused("its result has no plies, or has points")
    times = (report.seconds, report.lag_ms, *report.used_ms.values())
    if not all(math.isfinite(time) and time >= 0 for time in times):
        raise ReportRefused("its times are not numbers of seconds")
    for seat in SEATS:
        charged = math.fsum(act.ms or 0.0 for act in record.acts if act.seat == seat)
        if report.used_ms.get(seat, 0.0) < charged * 0.99 - 1:
            raise ReportRefused(f"{seat} was charged {charged:.0f} ms by the record, but less by the report")


def _check_times(report: GamePlayed, record: Record, machine: Machine) -> None:
    """Check that a machine can have played a game in the reported times.  Raises ReportRefused."""
    plies = report.result.plies or 0
    if report.seconds < plies * _PLY_S / machine.speed:
        raise ReportRefused(f"its machine cannot play {plies} plies in {report.seconds * 1000:.3f} ms")
    limit_ms = report.seconds * 1000 * _DRIFT + _ROUNDING_MS
    if record.header.time is not None and record.header.time.clock == "cpu":  # a bot may use several cores
        limit_ms = limit_ms * machine.cores + len(record.acts) * _TICK_MS
    for seat, used_ms in report.used_ms.items():
        if used_ms > limit_ms:
            raise ReportRefused(f"{seat} used {used_ms:.0f} ms, but the game took {report.seconds * 1000:.0f} ms")


def check_voided(attempt: Attempt, fixture: Fixture, machine: Machine) -> None:
    """Compare a voided attempt with the game that a worker was given.  Raises ReportRefused."""
    for name in ("id", "round", "red", "blue"):
        if getattr(attempt, name) != getattr(fixture, name):
            raise ReportRefused(f"`{name}` of its voided attempt is not that of the game")
    if attempt.conditions is None or attempt.conditions.host != machine.host:
        raise ReportRefused(f"its voided attempt is not of {machine.host!r}")
    if attempt.cause in {"lost", "refused"}:
        raise ReportRefused(f"its voided attempt has the cause {attempt.cause!r}, which only the coordinator finds")

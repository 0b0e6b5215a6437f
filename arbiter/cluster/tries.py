"""Tries to play a game on a worker, and tests of what it reports: damage, and results of other games, are refused."""

import math
import zlib
from contextlib import suppress
from datetime import UTC, datetime

import trio
from msgspec import UNSET
from msgspec.structs import replace

from arbiter import __version__
from arbiter.cluster.machines import Machine
from arbiter.cluster.messages import GameBegan, GameLine, GameNotBegun, GamePlayed, GameReport, GameVoided
from arbiter.errors import ConfigError
from arbiter.games.chance import SeededChance
from arbiter.packing import unpack
from arbiter.record import GameHeader, Record, RecordError, compute_fingerprint, read_record
from arbiter.sandbox.select import SANDBOXED
from arbiter.tournament.events import Attempt, Reason, Void, make_attempt
from arbiter.tournament.execution.executor import GameTask, Played
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.machine import PlayingConditions
from arbiter.verify import verify_record
from protocol.words import SEATS


class Refused(Exception):
    """A report is damaged, or is not one of the game that the worker was given; the text describes the fault."""


class Try:
    """One try to play a game on a worker."""

    def __init__(self, key: str, address: str, task: GameTask, machine: Machine, isolation: str) -> None:
        self.key = key
        self.address = address
        self.task = task
        self.machine = machine
        self.report: GamePlayed | GameVoided | Refused | str = ""
        """The last report of the worker, before it is tested, or why it is refused, or why the worker was lost."""
        self.over = trio.Event()
        self.is_recalled = False
        """True if the worker was asked to give the game back if it has not begun."""
        self._isolation = isolation
        self._begun = 0.0
        self._started = ""

    @property
    def has_begun(self) -> bool:
        """True if the worker has reported that the game began."""
        return bool(self._started)

    def receive(self, report: GameReport) -> None:
        """Note a report of the worker."""
        match report:
            case GameBegan():
                self._begun = trio.current_time()
                self._started = datetime.now(UTC).isoformat(timespec="seconds")
                self.task.began()
            case GameLine() if self.task.follow is not None:
                self.task.follow(report.line)
            case GameNotBegun():
                self.end("it was stopped")
            case GamePlayed() | GameVoided():
                self.end(report)

    def end(self, report: GamePlayed | GameVoided | Refused | str) -> None:
        """Note the end of the game, by a report as in `self.report`; only the first one counts."""
        if not self.over.is_set():
            self.report = report
            self.over.set()

    def void(self, reason: Reason, why: str) -> Void:
        """Make the voided attempt of a game that has no report."""
        fixture = self.task.fixture
        machine = self.machine
        attempt = make_attempt(fixture, reason, why, self._started, trio.current_time() - self._begun)
        conditions = PlayingConditions(
            host=machine.host,
            cores=machine.cores,
            jobs=machine.slots,
            load=None,
            lag_ms=0.0,
            sandbox=self._isolation,
            processor=machine.processor,
            python=machine.python,
            arbiter=machine.arbiter,
            speed=machine.speed,
        )
        return Void(fixture, replace(attempt, conditions=conditions))


# --- tests of reports -----------------------------------------------------------------------------


async def accept_report(one: Try, header: GameHeader, isolation: str, *, is_refereed: bool) -> Played | Void | None:
    """Test the report of a game, and return its outcome; None if the worker was lost before the game began.

    `header` was sent to the worker, `isolation` is that of the event.  If not `is_refereed`, a played game is trusted.
    Raises Refused.
    """
    report, fixture = one.report, one.task.fixture
    lost = f"the worker {one.address} on {one.machine.host} was lost: "
    if isinstance(report, Refused):
        raise report
    if isinstance(report, str):
        return one.void("lost", lost + report) if one.has_begun else None
    if isinstance(report, GameVoided):
        check_voided(report.attempt, fixture, one.machine)
        if report.attempt.reason == "stopped":  # by somebody else than this run
            return one.void("lost", f"{lost}it was stopped")
        return Void(fixture, report.attempt, report.log)
    if is_refereed:
        # In a thread: a long game takes some milliseconds.
        await trio.to_thread.run_sync(check_played, report, header, one.machine, isolation)
    return Played(report, report.conditions)


def read_stopped(one: Try) -> Void:
    """Return the voided attempt of a game that this run has stopped: as the worker reported it, if it did."""
    if isinstance(one.report, GameVoided):
        with suppress(Refused):
            check_voided(one.report.attempt, one.task.fixture, one.machine)
            return Void(one.task.fixture, one.report.attempt, one.report.log)
    return one.void("stopped", "the run was stopped")


def check_played(report: GamePlayed, header: GameHeader, machine: Machine, isolation: str) -> None:
    """Referee a game again, and compare its report with what the worker was given.  Raises Refused.

    `header` was sent to a worker on `machine`, `isolation` is that of the event.
    """
    try:
        record = read_record(unpack(report.unfinished.finish(report.result).data))
    except (RecordError, zlib.error) as error:
        raise Refused(f"its record cannot be read: {error}") from None
    _check_header(record.header, header)
    found = verify_record(record, is_seeded=True)
    if not found.ok:
        place = "" if found.act is None else f" in act {found.act}"
        raise Refused(f"its record breaks the rules{place}: {found.why}")
    _check_values(report, record)
    conditions = report.conditions
    if conditions.host != machine.host:
        raise Refused(f"its host is {conditions.host!r}, but the worker is on {machine.host!r}")
    if not record.header.sandbox == conditions.sandbox == (isolation if isolation == SANDBOXED else conditions.sandbox):
        raise Refused(f"its sandbox is {conditions.sandbox!r}, but that of the tournament is {isolation!r}")


def _check_header(header: GameHeader, sent: GameHeader) -> None:
    """Compare the header of a record with the one that was sent, and its opening with the seed.  Raises Refused."""
    if header.seats.keys() != sent.seats.keys():
        raise Refused("its seats are not those of the game")
    if not header.started or header.arbiter != __version__:
        raise Refused("its record has no start, or is of another arbiter")
    chance = SeededChance(sent.seed or 0)
    try:
        opening = sent.game().start(chance)
    except ConfigError as error:
        raise Refused(str(error)) from None
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
            raise Refused(f"`{name}` of its record is not that of the game")


def _check_values(report: GamePlayed, record: Record) -> None:
    """Compare the values of a report with each other.  Raises Refused."""
    if report.unfinished.fingerprint != compute_fingerprint(record):
        raise Refused("its fingerprint is not that of its record")
    if report.unfinished.started != record.header.started:
        raise Refused("its start is not that of its record")
    if report.result.plies is None or report.result.points is not None:
        raise Refused("its result has no plies, or has points")
    times = (report.seconds, report.lag_ms, *report.used_ms.values())
    if not all(math.isfinite(time) and time >= 0 for time in times):
        raise Refused("its times are not numbers of seconds")
    for seat in SEATS:
        charged = math.fsum(act.ms or 0.0 for act in record.acts if act.seat == seat)
        if report.used_ms.get(seat, 0.0) < charged * 0.99 - 1:
            raise Refused(f"{seat} was charged {charged:.0f} ms by the record, but less by the report")


def check_voided(attempt: Attempt, fixture: Fixture, machine: Machine) -> None:
    """Compare a voided attempt with the game that a worker was given.  Raises Refused."""
    for name in ("id", "round", "red", "blue"):
        if getattr(attempt, name) != getattr(fixture, name):
            raise Refused(f"`{name}` of its voided attempt is not that of the game")
    if attempt.conditions is None or attempt.conditions.host != machine.host:
        raise Refused(f"its voided attempt is not of {machine.host!r}")
    if attempt.reason in {"lost", "refused"}:
        raise Refused(f"its voided attempt has the reason {attempt.reason!r}, which only the coordinator finds")

"""The timer of answers: by elapsed time, or by the processor time that a program used.

Time in which the arbiter stalled is not the bot's: its longest stall is added to the time of an answer and not charged.
The bot is then looked at again, and it loses on time if it still has not answered.
"""

import math
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final
from weakref import WeakSet

import trio
from msgspec import Struct

from arbiter.clock import MS_PER_S, TimeSettings
from arbiter.games.base import ForfeitInGame
from arbiter.referee.player_link import PlayerLink
from arbiter.sandbox.beat import BEAT_S, find_beat, find_in_run
from arbiter.sandbox.usage import is_measurable
from arbiter.transcript import AnswerTime
from protocol.reasons import DidNotRead, NoRecordedAnswer, TooLate, UsedProcessorTime
from protocol.words import Seat

STALL_S: Final = 0.005  # a beat that is less late than this was only waiting for its turn
_KEPT: Final = 256
_SHORTEST_WAIT_MS: Final = 5.0  # between two measurements of what a program has used


class Wait:
    """The wait of a player for answers, one after the other."""

    def __init__(self) -> None:
        self.link: PlayerLink | None = None
        """The link of the player that is to answer; None between two questions."""
        self.measured_at: float | None = None
        """Time of the first beat during the wait; None before it."""
        self.cpu_ms: float | None = None
        """Processor time that the program had used at that beat; None if it cannot be measured."""


class LagMonitor:
    """Event-loop lag monitor: the periods in which the beat of one trio run was late.

    A bot must not lose on time because its answer arrived while the arbiter stalled.  At a beat, the monitor also
    measures the bots that are waited for: to measure each answer would take longer than fast bots need for one.
    """

    def __init__(self) -> None:
        self.waits: WeakSet[Wait] = WeakSet()
        """The waits in which the programs are measured."""
        self._last_beat: float | None = None
        self._stalls: deque[tuple[float, float]] = deque(maxlen=_KEPT)
        """The stalls that no later one exceeds; for every period, the longest one is among them."""

    def start(self) -> "LagMonitor":
        """Start to listen to the beat, until the trio run is over; return the monitor."""
        self._last_beat = trio.current_time()
        find_beat().add(self._note_beat)
        return self

    def _note_beat(self, now: float) -> None:
        if stall := self._current_stall():
            self.note_stall(*stall)
        self._last_beat = now
        for wait in self.waits:
            if wait.link is not None and wait.measured_at is None:
                wait.cpu_ms = _measure(wait.link)
                wait.measured_at = now

    def note_stall(self, begin: float, end: float) -> None:
        """Note that another process of the arbiter stalled, in times of trio's clock."""
        while self._stalls and self._stalls[-1][1] - self._stalls[-1][0] <= end - begin:
            self._stalls.pop()
        self._stalls.append((begin, end))

    def end_wait(self, wait: Wait, ask: int, asked: float, charged_ms: float | None) -> AnswerTime:
        """Return the times of a wait that took longer than a beat, and prepare it for the next question.

        The time of the question is one of trio's clock, in seconds.
        """
        now = trio.current_time()
        before_ms, measured_at = wait.cpu_ms, wait.measured_at or now
        after_ms = None if before_ms is None or wait.link is None else _measure(wait.link)
        used_ms = None if before_ms is None or after_ms is None else max(0.0, after_ms - before_ms)
        measured_ms = 0.0 if used_ms is None else (now - measured_at) * MS_PER_S
        wait.measured_at = wait.cpu_ms = None
        elapsed_ms = (now - asked) * MS_PER_S
        return AnswerTime(ask, asked, elapsed_ms, charged_ms, self.longest_ms(asked), used_ms, measured_ms)

    def longest_ms(self, since: float) -> float:
        """Return the longest single stall since a time of trio's clock, in milliseconds.

        It is never too short: a stall counts from the beat before it to the beat after it.
        """
        stalls = list(self._stalls)
        if stall := self._current_stall():
            stalls.append(stall)
        return max((end - max(begin, since) for begin, end in stalls if end > since), default=0.0) * MS_PER_S

    def _current_stall(self) -> tuple[float, float] | None:
        """Return the times of the last beat and of now if the next beat is late."""
        now = trio.current_time()
        if self._last_beat is None or now - self._last_beat < BEAT_S + STALL_S:
            return None
        return self._last_beat, now


def _measure(link: PlayerLink) -> float | None:
    """Return the processor time that a program has used, in milliseconds; None if that is not known."""
    if link.process is None or not is_measurable():
        return None
    try:
        return link.process.cpu_ms()
    except OSError:  # its group is gone
        return None


_MONITOR_OF_RUN: Final[trio.lowlevel.RunVar[LagMonitor]] = trio.lowlevel.RunVar("lag_monitor")


def lag_monitor() -> LagMonitor:
    """Return the monitor of this trio run, which all games share; the first call starts it."""
    return find_in_run(_MONITOR_OF_RUN, lambda: LagMonitor().start())


TimeReason = TooLate | UsedProcessorTime | DidNotRead | NoRecordedAnswer


class TimeExceeded(Exception):
    """There was no answer within the limit."""

    def __init__(
        self, find_reason: Callable[[Seat], TimeReason], answer: bytes | None = None, ending: ForfeitInGame = "timeout"
    ) -> None:
        super().__init__(ending)
        self.find_reason = find_reason
        """Returns the reason, with the seat of the bot."""
        self.ending: ForfeitInGame = ending
        self.answer = answer
        """The answer, if one came too late."""
        self.is_explained = False
        """True if the arbiter's side has cut the connection of a remote program."""


class Answer(Struct, frozen=True):
    """A line that came in time."""

    line: bytes
    ms: float
    """Its cost."""
    at: float
    """Time of trio's clock at which it had been read."""
    is_excused: bool = False
    """True if it would be late if the arbiter had not stalled."""


class _Rest:
    """The rest of what a program is to be sent, and its answer.  A cancelled wait can be continued."""

    def __init__(self, link: PlayerLink) -> None:
        self._link = link
        self.line: bytes | None = None

    async def send(self) -> None:
        """Send the rest of the text."""
        if self._link.writer.unsent:
            await self._link.writer.send(b"")

    async def ask(self) -> None:
        """Send the rest of the text and read a line."""
        await self.send()
        self.line = await self._link.reader.line()


class MoveTimer:
    """The timer of a game."""

    def __init__(self, settings: TimeSettings, monitor: LagMonitor) -> None:
        self.pondering = settings.pondering
        self.monitor = monitor
        self._margin_ms = settings.margin_ms
        self.charges_cpu = settings.clock == "cpu"
        self.wait: Callable[[PlayerLink, float, float, float], Awaitable[Answer]] = (
            self.wait_by_cpu if self.charges_cpu else self.wait_by_wall
        )
        """Waits for the answer to a question, on the clock.  Awaiting raises TimeExceeded."""
        self._wall_factor = settings.wall_factor
        self._now = trio.lowlevel.current_clock().current_time  # trio.current_time, which takes longer to find it

    async def wait_by_wall(self, link: PlayerLink, limit_ms: float, asked: float, _used_ms: float = 0.0) -> Answer:
        """Send the rest of the question, if there is any, and read a line within an elapsed time.

        The time runs from `asked`, a time of trio's clock.  If the bot has read what it was sent before, writing takes
        no time.  A bot that leaves its pipe full, or makes it small, to think between two parts of a question is
        charged for that.  Raises TimeExceeded.
        """
        line: bytes | None = None
        if not link.writer.unsent:
            line = await link.reader.line_before(asked + limit_ms / MS_PER_S)
        if line is None:
            rest = _Rest(link)
            await self._take_step(rest.ask, asked, limit_ms)
            line = rest.line
        now = self._now() if line is None else link.reader.arrived_at
        elapsed_ms = (now - asked) * MS_PER_S
        if line is not None and elapsed_ms <= self._margin_ms and elapsed_ms <= limit_ms:  # no stall is that short
            return Answer(line, elapsed_ms, now)
        stalled_ms = self._stalled_ms(asked, elapsed_ms)
        if line is None or elapsed_ms - stalled_ms > limit_ms:
            raise make_too_slow(limit_ms, line)
        return Answer(line, max(0.0, elapsed_ms - stalled_ms), now, elapsed_ms > limit_ms)

    async def wait_by_cpu(self, link: PlayerLink, limit_ms: float, asked: float, before_ms: float) -> Answer:
        """Read a line within the processor time that the program may use; it had used `before_ms` before the question.

        The elapsed time may be the wall factor times the limit.  To end earlier if a bot uses up its processor time
        without an answer, the time is measured whenever one core can have reached the limit.  Raises TimeExceeded.

        A stall excuses processor time used after an answer that the arbiter read late.  It does not excuse a bot that
        has used up its time without an answer.
        """
        assert link.process is not None  # noqa: S101 - others play by elapsed time
        rest = _Rest(link)
        wall_limit_ms = limit_ms * self._wall_factor
        end = asked + wall_limit_ms / MS_PER_S
        used_ms = 0.0
        while True:
            wait_ms = max(_SHORTEST_WAIT_MS, limit_ms - used_ms)
            with trio.CancelScope(deadline=min(end, trio.current_time() + wait_ms / MS_PER_S)):
                await rest.ask()
            used_ms = max(0.0, link.process.cpu_ms() - before_ms)
            elapsed_ms = (trio.current_time() - asked) * MS_PER_S
            stalled_ms = self._stalled_ms(asked, elapsed_ms)
            end = asked + (wall_limit_ms + stalled_ms) / MS_PER_S
            is_over = used_ms > limit_ms or trio.current_time() >= end
            if rest.line is None and is_over:
                with trio.CancelScope(deadline=-math.inf):  # the answer may have come while the time was measured
                    await rest.ask()
            if rest.line is not None or is_over:
                break
        excused_ms = stalled_ms if rest.line is not None and used_ms > limit_ms else 0.0
        if used_ms - excused_ms > limit_ms:
            raise TimeExceeded(lambda seat: UsedProcessorTime(seat, limit_ms), rest.line)
        if rest.line is None or elapsed_ms - stalled_ms > wall_limit_ms:
            raise make_too_slow(wall_limit_ms, rest.line)
        is_excused = used_ms > limit_ms or elapsed_ms > wall_limit_ms
        return Answer(rest.line, max(0.0, used_ms - excused_ms), trio.current_time(), is_excused)

    async def send(self, link: PlayerLink, text: bytes, limit_ms: float) -> None:
        """Write a text that has no answer within an elapsed time.  Raises TimeExceeded."""
        if link.writer.send_now(text):
            return
        if not await self._take_step(_Rest(link).send, trio.current_time(), limit_ms):
            raise TimeExceeded(DidNotRead)

    async def _take_step(self, step: Callable[[], Awaitable[None]], since: float, limit_ms: float) -> bool:
        """Take a step within a time limit, which the longest stall of the arbiter extends; return True if it was taken.

        After a stall the step is tried again even if the extended time is over too.
        """
        with trio.CancelScope(deadline=since + limit_ms / MS_PER_S):
            await step()
            return True
        if stalled_ms := self._stalled_ms(since, (trio.current_time() - since) * MS_PER_S):
            with trio.CancelScope(deadline=since + (limit_ms + stalled_ms) / MS_PER_S):
                await step()
                return True
        return False

    def _stalled_ms(self, since: float, elapsed_ms: float) -> float:
        """Return the longest stall of the arbiter since then; 0 if it is within the margin, which is for that."""
        if elapsed_ms <= self._margin_ms:
            return 0.0
        lag_ms = self.monitor.longest_ms(since)
        return lag_ms if lag_ms > self._margin_ms else 0.0


class Untimed:
    """The timer of a player that is off the clock."""

    pondering = True
    charges_cpu = False
    monitor = None
    """Nothing is measured."""

    async def wait(self, link: PlayerLink, _limit_ms: float, _asked: float, _used_ms: float = 0.0) -> Answer:
        """Send the rest of a question, if there is any, and wait for a line without a limit; it costs nothing."""
        if link.writer.unsent:
            await link.writer.send(b"")
        line = await link.reader.line()
        return Answer(line, 0.0, link.reader.arrived_at)

    wait_by_wall = wait

    async def send(self, link: PlayerLink, text: bytes, limit_ms: float) -> None:
        """Write a text that has no answer.  Raises TimeExceeded."""
        with trio.move_on_after(limit_ms / MS_PER_S):
            await link.writer.send(text)
            return
        raise TimeExceeded(DidNotRead)


def make_too_slow(limit_ms: float, answer: bytes | None = None) -> TimeExceeded:
    """Return the failure of a bot that has not answered within a limit, or too late."""
    return TimeExceeded(lambda seat: TooLate(seat, limit_ms), answer)

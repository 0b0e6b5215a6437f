"""The timer of answers: by elapsed time, or by the processor time that a program used."""

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

import trio

from arbiter.clock import TimeSettings
from arbiter.referee.lag import LagMonitor

_MS: Final = 1000.0
_SHORTEST_WAIT_S: Final = 0.005  # between two measurements of what a program has used


class Sender(Protocol):
    async def send(self, data: bytes) -> None:
        """Write all data."""
        ...


class Receiver(Protocol):
    async def line(self) -> bytes:
        """Wait for a line; if this is cancelled, a part of a line is kept."""
        ...


class Timed(Protocol):
    """A program that can be written to, read from and measured."""

    @property
    def writer(self) -> Sender: ...

    @property
    def reader(self) -> Receiver: ...

    def cpu_ms(self) -> float:
        """Return the processor time used so far."""
        ...


class TimeExceeded(Exception):
    """There was no answer within the limit.  The text describes what the bot did."""

    over_ms: float
    """Time over the limit when this was noticed.

    It is infinite if a bot used up its processor time without an answer: no stall of the arbiter can be the cause.
    """
    answer: bytes | None
    """The answer, if one came too late."""

    def __init__(self, what: str, over_ms: float, answer: bytes | None = None) -> None:
        super().__init__(what)
        self.over_ms = over_ms
        self.answer = answer


Exchange = Callable[[Timed, bytes, float, float], Awaitable[tuple[bytes, float]]]


async def exchange_by_wall(
    program: Timed, question: bytes, limit_ms: float, _wall_factor: float
) -> tuple[bytes, float]:
    """Write a question and read a line; return it and the milliseconds elapsed.

    If the bot has read what it was sent before, writing takes no time.  A bot that leaves its pipe full, or makes it
    small, to think between two parts of a question is charged for that.  Raises TimeExceeded.
    """
    asked = trio.current_time()
    line = None
    with trio.CancelScope(deadline=asked + limit_ms / _MS):
        await program.writer.send(question)
        line = await program.reader.line()
        ms = (trio.current_time() - asked) * _MS
        if ms <= limit_ms:
            return line, ms
    raise _wall_time_exceeded(asked, limit_ms, line)


def _wall_time_exceeded(asked: float, limit_ms: float, answer: bytes | None) -> TimeExceeded:
    over_ms = (trio.current_time() - asked) * _MS - limit_ms
    return TimeExceeded(f"did not answer within {limit_ms:.0f} ms", over_ms, answer)


async def exchange_by_cpu(program: Timed, question: bytes, limit_ms: float, wall_factor: float) -> tuple[bytes, float]:
    """Write a question and read a line; return it and the processor time that the program used, in milliseconds.

    The elapsed time may be `wall_factor` times the limit.  To end earlier if a bot uses up its processor time without
    an answer, the time is measured whenever one core can have reached the limit.  Raises TimeExceeded.
    """
    asked = trio.current_time()
    before = program.cpu_ms()
    used = 0.0
    line = None
    end = asked + limit_ms * wall_factor / _MS
    with trio.CancelScope(deadline=end):
        await program.writer.send(question)
    while used <= limit_ms and (now := trio.current_time()) < end:
        line = None
        with trio.CancelScope(deadline=min(end, now + max(_SHORTEST_WAIT_S, (limit_ms - used) / _MS))):
            line = await program.reader.line()
        used = max(0.0, program.cpu_ms() - before)
        if line is not None and used <= limit_ms and trio.current_time() <= end:
            return line, used
    if used > limit_ms:
        over_ms = math.inf if line is None else used - limit_ms
        raise TimeExceeded(f"used more than {limit_ms:.0f} ms of processor time", over_ms, line)
    raise _wall_time_exceeded(asked, limit_ms * wall_factor, line)


EXCHANGES: Final[Mapping[str, Exchange]] = {"wall": exchange_by_wall, "cpu": exchange_by_cpu}


class MoveTimer:
    """The timer of a game."""

    def __init__(self, settings: TimeSettings, monitor: LagMonitor) -> None:
        self.pondering = settings.pondering
        self._monitor = monitor
        self._margin_ms = settings.margin_ms
        self._exchange = EXCHANGES[settings.clock]
        self._wall_factor = settings.wall_factor

    def exchange(self, program: Timed, question: bytes, limit_ms: float) -> Awaitable[tuple[bytes, float]]:
        """Write a question and read a line; return it and its cost in milliseconds.  Awaiting raises TimeExceeded."""
        return self._exchange(program, question, limit_ms, self._wall_factor)

    def excuse_ms(self, error: TimeExceeded, since: float) -> float:
        """Return the longest stall of the arbiter since then if it may be why a bot is late, else 0.

        A stall shorter than the margin is no excuse: the margin is for that.  Neither is one shorter than the time
        over the limit.
        """
        lag = self._monitor.longest_ms(since)
        return lag if lag > self._margin_ms and lag >= error.over_ms else 0.0

"""The watch by which answers are timed: by the wall, or by what a program used of the processor."""

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

import trio

from arbiter.clock import TimeSettings
from arbiter.referee.lag import LagMonitor

_MS: Final = 1000.0
_SOONEST_S: Final = 0.005  # between two looks at what a program has used


class Sender(Protocol):
    """Takes bytes for a program."""

    async def send(self, data: bytes) -> None:
        """Write all of it."""
        ...


class Receiver(Protocol):
    """Gives the lines of a program."""

    async def line(self) -> bytes:
        """Wait for a line; what is half there when the waiting is cut off is kept."""
        ...


class Timed(Protocol):
    """What is timed: a program that is written to, read and measured."""

    @property
    def writer(self) -> Sender:
        """Where it is written to."""
        ...

    @property
    def reader(self) -> Receiver:
        """Where it is read."""
        ...

    def cpu_ms(self) -> float:
        """Return what it has used of the processor so far."""
        ...


class TimeExceeded(Exception):
    """No answer within the limit; the text is what a seat did, `over_ms` how much over it was when that was seen.

    `answer` is the line that came too late, where one came.
    A program that has used up its processor time and not answered was late whatever we did: that is over without end.
    """

    def __init__(self, what: str, over_ms: float, answer: bytes | None = None) -> None:
        super().__init__(what)
        self.over_ms = over_ms
        self.answer = answer


Exchange = Callable[[Timed, bytes, float, float], Awaitable[tuple[bytes, float]]]


async def by_the_wall(program: Timed, question: bytes, limit_ms: float, _wall_factor: float) -> tuple[bytes, float]:
    """Write a question and read a line; return it and the milliseconds that took.

    Writing takes no time where the bot has read what it was sent before.  Who leaves its pipe full, or makes it
    small, to think between the halves of a question, pays for that.  Raises Late.
    """
    asked, line = trio.current_time(), None
    with trio.CancelScope(deadline=asked + limit_ms / _MS):
        await program.writer.send(question)
        line = await program.reader.line()
        ms = (trio.current_time() - asked) * _MS
        if ms <= limit_ms:
            return line, ms
    raise _late_by_the_wall(asked, limit_ms, line)


def _late_by_the_wall(asked: float, limit_ms: float, answer: bytes | None) -> TimeExceeded:
    over_ms = (trio.current_time() - asked) * _MS - limit_ms
    return TimeExceeded(f"did not answer within {limit_ms:.0f} ms", over_ms, answer)


async def by_the_processor(program: Timed, question: bytes, limit_ms: float, wall_factor: float) -> tuple[bytes, float]:
    """Write a question and read a line; return it and the milliseconds of processor time that the program used.

    On the wall it may take `wall_factor` times the limit.  Who uses up its time without an answer is not waited for
    that long: the limit is looked at whenever it can have been reached on one core.  Raises Late.
    """
    asked, before, used, line = trio.current_time(), program.cpu_ms(), 0.0, None
    end = asked + limit_ms * wall_factor / _MS
    with trio.CancelScope(deadline=end):
        await program.writer.send(question)
    while used <= limit_ms and (now := trio.current_time()) < end:
        line = None
        with trio.CancelScope(deadline=min(end, now + max(_SOONEST_S, (limit_ms - used) / _MS))):
            line = await program.reader.line()
        used = max(0.0, program.cpu_ms() - before)
        if line is not None and used <= limit_ms and trio.current_time() <= end:
            return line, used
    if used > limit_ms:
        over_ms = math.inf if line is None else used - limit_ms
        raise TimeExceeded(f"used more than {limit_ms:.0f} ms of processor time", over_ms, line)
    raise _late_by_the_wall(asked, limit_ms * wall_factor, line)


EXCHANGES: Final[Mapping[str, Exchange]] = {"wall": by_the_wall, "cpu": by_the_processor}


class MoveTimer:
    """The watch of a game."""

    def __init__(self, settings: TimeSettings, pulse: LagMonitor) -> None:
        self.pondering = settings.pondering
        self._pulse = pulse
        self._margin_ms = settings.margin_ms
        self._exchange = EXCHANGES[settings.clock]
        self._wall_factor = settings.wall_factor

    def exchange(self, program: Timed, question: bytes, limit_ms: float) -> Awaitable[tuple[bytes, float]]:
        """Write a question and read a line, on the clock; return it and what it costs in ms.  Awaiting raises Late."""
        return self._exchange(program, question, limit_ms, self._wall_factor)

    def excuse_ms(self, late: TimeExceeded, since: float) -> float:
        """Return for how long the arbiter stood still since then, if that may be why a bot is late, else 0.

        Less than the margin is what the margin is for; and who is more over than we stood still was late anyway.
        """
        lag = self._pulse.longest_ms(since)
        return lag if lag > self._margin_ms and lag >= late.over_ms else 0.0

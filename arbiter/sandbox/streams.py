"""The pipes of a bot: lines of limited length as bytes, and what it writes on stderr, which is always read."""

import contextlib
import fcntl
import math
import os
import select
import sys
import termios
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from time import perf_counter
from typing import Final

import trio
from msgspec import Struct

from arbiter.sandbox.beat import find_alarm
from protocol.words import MAX_LINE

_CHUNK: Final = 65536
_FAILURES: Final = 2  # in a row, after which a faster way to read is not tried for a while
_RETRY_AFTER: Final = 32  # slower reads
_AT_ONCE: Final = 2  # answers of a bot in a row that are read before other tasks run
_LOOKS: Final = 30  # for an answer, before the arbiter sleeps; this takes 10 to 20 us
# If no other task waits for an answer: both together are shorter than what counts as a stall of the arbiter.
_SHORT_WAIT_MS: Final = 1  # for an answer, before other tasks run
_ALONE_S: Final = 0.002  # after other tasks have run, in which such a wait may begin


class StreamEnd(Exception):
    """The other side closed the stream or ended; `rest` is an unfinished last line."""

    def __init__(self, rest: bytes = b"") -> None:
        super().__init__("the stream has ended")
        self.rest = rest


class LineTooLong(Exception):
    """A line is longer than the protocol allows; `start` is its beginning."""

    def __init__(self, start: bytes) -> None:
        super().__init__(f"a line of more than {MAX_LINE} bytes")
        self.start = start


class LineReader:
    """Reads lines from a descriptor; never holds more than 64 KiB."""

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self.arrived_at = 0.0
        """Time of trio's clock at which the line that was returned last has arrived."""
        self.deadline = math.inf
        """The end of the wait for a line; the alarm reads it."""
        self.next_look = math.inf
        """Time at which the alarm looks at the deadline again."""
        self._fd = fd
        self._buffer = b""
        self._over = False
        self._tries_at_once = _FAILURES
        """Number of further reads at once, if they fail."""
        self._tries_soon = _FAILURES
        """The same for reads after other tasks have run."""
        self._read_at_once = 0
        """Number of answers in a row that were read at once."""
        self._slept = 0
        """Number of answers in a row before which the arbiter slept."""
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)
        self._alarm = find_alarm()
        self._slower_reads = 0
        self._now = trio.lowlevel.current_clock().current_time  # trio.current_time, which takes longer to find it

    async def line(self) -> bytes:
        """Wait for a whole line and return it without its newline.

        Raises StreamEnd and LineTooLong.
        """
        while (line := self._split_line()) is None:
            if not self._fill():
                with suppress(trio.ClosedResourceError):  # stopped while waiting: what is left is read once more
                    await trio.lowlevel.wait_readable(self._fd)
        self.arrived_at = self._now()
        return line

    async def rest(self, most: int) -> bytes:
        """Wait for the end of the output, and return all of it.  Raises LineTooLong if there are more bytes."""
        found = bytearray()
        with suppress(StreamEnd):
            while len(found) <= most:
                if not self._buffer and not self._fill():
                    with suppress(trio.ClosedResourceError):
                        await trio.lowlevel.wait_readable(self._fd)
                found += self._buffer
                self._buffer = b""
        if len(found) > most:
            raise LineTooLong(bytes(found[:_CHUNK]))
        return bytes(found)

    async def line_before(self, deadline: float) -> bytes | None:
        """Wait for a line until a time of trio's clock; return None if it is not whole by then, and keep its part.

        Call this after a question.  The answer of a fast bot may be there at once, or when other tasks have run; to
        read it then takes less time than to wait for the pipe in the event loop.  A bot that thinks is waited for at
        once.  Other tasks do not run at each call, but soon enough: after 3 ms at most, if no other task waits for an
        answer.
        Raises StreamEnd and LineTooLong.
        """
        alarm = self._alarm
        self.deadline = deadline
        if deadline < self.next_look:
            alarm.set(self)
        alarm.waits += 1
        try:
            while not self._buffer or (line := self._split_line()) is None:
                if self.deadline != deadline:  # the alarm has rung
                    return None
                if self._over:
                    self._fill()
                elif not self._tries_at_once or not self._fill_at_once():
                    await self._fill_later()
                    alarm.others_ran_at = perf_counter()
        finally:
            alarm.waits -= 1
            self.deadline = math.inf
        self.arrived_at = self._now()
        return line

    def _fill_at_once(self) -> bool:
        """Read before other tasks run; return False if nothing has arrived, or if it is time for other tasks."""
        alarm = self._alarm
        if alarm.waits == 1:  # no other task waits
            if perf_counter() - alarm.others_ran_at >= _ALONE_S:
                return False
            may_be_there = self._arrives_soon()
        else:
            if self._read_at_once >= _AT_ONCE:
                return False
            may_be_there = True
        self._read_at_once += 1
        if may_be_there and self._fill():
            self._tries_at_once = _FAILURES
            return True
        self._tries_at_once -= 1
        self._read_at_once = _AT_ONCE
        return False

    def _arrives_soon(self) -> bool:
        """Wait a moment for an answer; look for it without sleeping first, if the last ones came as early as that.

        A few looks take less time than to sleep and to be woken up.
        """
        poll = self._poll.poll
        if self._slept < _FAILURES or not self._slept % _RETRY_AFTER:
            for _ in range(_LOOKS):
                if poll(0):
                    self._slept = 0
                    return True
        self._slept += 1
        return bool(poll(_SHORT_WAIT_MS))

    async def _fill_later(self) -> None:
        """Let other tasks run, and read what has arrived; wait for it if that has failed before."""
        self._read_at_once = 0
        self._slower_reads += 1
        if self._slower_reads == _RETRY_AFTER:
            self._slower_reads = 0
            self._tries_at_once = self._tries_soon = _FAILURES
        if self._tries_soon:
            await trio.lowlevel.checkpoint()
            if self._alarm.waits > 1 or not self._tries_at_once:  # else the next try at once waits a moment
                self._tries_soon = _FAILURES if self._fill() else self._tries_soon - 1
            return
        try:
            await trio.lowlevel.wait_readable(self._fd)
        except trio.ClosedResourceError:  # the alarm has rung, or the program has ended
            return
        self._fill()

    def _split_line(self) -> bytes | None:
        """Return the next line, or None if it is not whole yet.  Raises LineTooLong."""
        buffer = self._buffer
        newline = buffer.find(b"\n")
        if newline < 0:
            if len(buffer) >= MAX_LINE:
                raise LineTooLong(self.take())
            return None
        line, self._buffer = buffer[:newline], buffer[newline + 1 :]
        if newline >= MAX_LINE:
            raise LineTooLong(line)
        return line

    def wake(self) -> None:
        """Wake the task that waits for a line."""
        trio.lowlevel.notify_closing(self._fd)

    def unsolicited(self) -> bytes:
        """Return what has arrived without being waited for."""
        if not self._buffer and not self._over and self._poll.poll(0):
            self._fill_quietly()
        return self._buffer

    def take(self) -> bytes:
        """Return what has arrived, up to 64 KiB, and forget it: no more lines will be read."""
        if not self._buffer:
            self._fill_quietly()
        rest, self._buffer = self._buffer, b""
        return rest

    def stop_waiting(self) -> None:
        """Wake the task that waits for a line: the program has ended, even if a child of it holds the pipe."""
        self._over = True  # what is left is read once more
        self.wake()

    def _fill_quietly(self) -> None:
        try:
            self._fill()
        except StreamEnd:
            self._over = True

    def _fill(self) -> bool:
        """Read what has arrived; return False if nothing has."""
        try:
            chunk = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            if self._over:
                raise StreamEnd(self._buffer) from None
            return False
        except OSError:
            raise StreamEnd(self._buffer) from None
        if not chunk:
            raise StreamEnd(self._buffer)
        self._buffer += chunk
        return True


class LineWriter:
    """Writes lines to a descriptor."""

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self.unsent = b""
        """The rest of what is to be written, for which the pipe had no room."""

    async def send(self, data: bytes) -> None:
        """Write all data; wait if the pipe is full.  If this is cancelled, the next call writes the rest first.

        Raises StreamEnd if the other side can no longer read.
        """
        while not self.send_now(data):
            data = b""
            await trio.lowlevel.wait_writable(self._fd)

    def send_now(self, data: bytes) -> bool:
        """Write what the pipe has room for; return True if that is all.  If not, the next call writes the rest first.

        Raises StreamEnd if the other side can no longer read.
        """
        if self.unsent:
            data = self.unsent + data
        try:
            self.unsent = data[os.write(self._fd, data) :]
        except BlockingIOError:
            self.unsent = data
        except OSError:
            raise StreamEnd from None
        return not self.unsent

    def unread(self) -> int:
        """Return the number of bytes that were written but not read yet."""
        count = bytearray(4)  # a C int
        with suppress(OSError):
            fcntl.ioctl(self._fd, termios.FIONREAD, count)
        return int.from_bytes(count, sys.byteorder)


# --- stderr: never read faster than is good for other games, kept up to a limit -------------------


_PAUSE_S: Final = 0.02
_LAST_CHUNKS: Final = 16
_HEAD: Final = 16 * 1024
_TAIL: Final = 48 * 1024
_BEFORE_QUESTION: Final = 4096  # bytes that are read during the pause when a bot is asked


class ChunkMark(Struct, frozen=True):
    """The moment at which a part of stderr was read."""

    start: int
    """Bytes before it."""
    at: float
    """Time of trio's clock."""
    ask: int
    """Number of the last question that the bot had been asked, 0 before the first."""


class ErrorLog:
    """The beginning and the end of what a bot wrote on stderr, with the times at which it was read."""

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""
        self._dropped = 0
        self._head_marks: list[ChunkMark] = []
        self._tail_marks: deque[ChunkMark] = deque()
        self._ask = 0
        self.pausing_fd: int | None = None
        """The descriptor of stderr while the reader pauses."""

    def add(self, data: bytes, at: float) -> None:
        """Keep data that was read at a time of trio's clock; drop from the middle if there is too much."""
        start = len(self._head) + self._dropped + len(self._tail)
        room = _HEAD - len(self._head)
        self._head += data[:room]
        tail = self._tail + data[room:] if room < len(data) else self._tail
        self._dropped += max(0, len(tail) - _TAIL)
        self._tail = tail[-_TAIL:]
        (self._head_marks if start < _HEAD else self._tail_marks).append(ChunkMark(start, at, self._ask))
        while len(self._tail_marks) > 1 and self._tail_marks[1].start <= _HEAD + self._dropped:
            self._tail_marks.popleft()

    @property
    def is_empty(self) -> bool:
        """True if nothing was written."""
        return not self._head

    def take(self) -> "ErrorLog":
        """Return what was written so far as a log of its own, and begin with an empty one."""
        taken = ErrorLog()
        for name in ("_head", "_tail", "_dropped", "_head_marks", "_tail_marks", "_ask"):
            fresh = getattr(taken, name)
            setattr(taken, name, getattr(self, name))
            setattr(self, name, fresh)
        return taken

    def begin_question(self, ask: int) -> None:
        """Note that the bot is asked a question; what it wrote before belongs to earlier ones."""
        if self.pausing_fd is not None:
            with contextlib.suppress(BlockingIOError):
                if data := os.read(self.pausing_fd, _BEFORE_QUESTION):
                    self.add(data, trio.current_time())
        self._ask = ask

    def text(self) -> str:
        """Return what was kept, with a line in place of what was dropped."""
        return (self._head + self._gap() + self._tail).decode("utf-8", "backslashreplace")

    def _gap(self) -> bytes:
        return f"\n... {self._dropped} bytes left out ...\n".encode() if self._dropped else b""

    def marks(self) -> Iterator[tuple[int, ChunkMark]]:
        """Yield each line of the text that begins with another mark than the line before, with its mark."""
        gap = self._gap()
        kept = self._head + gap + self._tail
        marks = [*self._head_marks, *self._tail_marks]
        number = start = 0
        current = -1
        while start < len(kept):
            # Bytes that the bot had written before the line; those of the gap are not its own.
            written = start if start <= len(self._head) else start - len(gap) + self._dropped
            before = current
            while current + 1 < len(marks) and marks[current + 1].start <= written:
                current += 1
            if current > before:
                yield number, marks[current]
            start = kept.find(b"\n", start) + 1 or len(kept)
            number += 1

    def last_line(self) -> str:
        """Return the last line that is not empty, or ''."""
        kept = self._tail if self._dropped else self._head + self._tail
        lines = kept.decode("utf-8", "backslashreplace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


async def drain(fd: int, log: ErrorLog) -> None:
    """Read a bot's stderr to its end, 64 KiB at a time with a pause after each.

    Without the pause, one bot that writes without end takes half a core of the referee and slows every other game.
    """
    os.set_blocking(fd, False)
    while True:
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            await trio.lowlevel.wait_readable(fd)
            continue
        if not data:
            return
        log.add(data, trio.current_time())
        log.pausing_fd = fd
        try:
            await trio.sleep(_PAUSE_S)
        finally:
            log.pausing_fd = None


def drain_rest(fd: int, log: ErrorLog) -> None:
    """Read what is left after the program is dead."""
    with contextlib.suppress(BlockingIOError):
        for _ in range(_LAST_CHUNKS):  # limited: a process that escaped may still be writing
            data = os.read(fd, _CHUNK)
            if not data:
                return
            log.add(data, trio.current_time())

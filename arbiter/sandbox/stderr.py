"""A bot's stderr: always read, never faster than is good for other games, kept up to a limit."""

import contextlib
import os
from collections import deque
from collections.abc import Iterator
from typing import Final

import trio
from msgspec import Struct

_CHUNK: Final = 65536
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
        number, start, current = 0, 0, -1
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

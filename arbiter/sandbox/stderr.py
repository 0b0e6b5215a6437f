"""A bot's stderr: always read, never faster than is good for other games, kept up to a limit."""

import contextlib
import os
from typing import Final

import trio

_CHUNK: Final = 65536
_PAUSE_S: Final = 0.02
_LAST_CHUNKS: Final = 16
_HEAD: Final = 16 * 1024
_TAIL: Final = 48 * 1024


class ErrorLog:
    """The beginning and the end of what a bot wrote on stderr."""

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Keep data; drop from the middle if there is too much."""
        room = _HEAD - len(self._head)
        self._head += data[:room]
        tail = self._tail + data[room:] if room < len(data) else self._tail
        self._dropped += max(0, len(tail) - _TAIL)
        self._tail = tail[-_TAIL:]

    def text(self) -> str:
        """Return what was kept, with a line in place of what was dropped."""
        gap = f"\n... {self._dropped} bytes left out ...\n".encode() if self._dropped else b""
        return (self._head + gap + self._tail).decode("utf-8", "backslashreplace")

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
        log.add(data)
        await trio.sleep(_PAUSE_S)


def drain_rest(fd: int, log: ErrorLog) -> None:
    """Read what is left after the program is dead."""
    with contextlib.suppress(BlockingIOError):
        for _ in range(_LAST_CHUNKS):  # limited: a process that escaped may still be writing
            data = os.read(fd, _CHUNK)
            if not data:
                return
            log.add(data)

"""Lines of limited length through the pipes of a bot, as bytes.

A read is tried before waiting: if the answer has already arrived, this halves the cost of the event loop.
"""

import fcntl
import os
import sys
import termios
from typing import Final

import trio

from protocol.words import MAX_LINE

_CHUNK: Final = 65536
_INT: Final = 4  # bytes of a C int


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
        self._fd = fd
        self._buffer = b""
        self._over = False

    async def line(self) -> bytes:
        """Wait for a whole line and return it without its newline.

        Raises StreamEnd and LineTooLong.
        """
        while True:
            if (newline := self._buffer.find(b"\n")) >= 0:
                line, self._buffer = self._buffer[:newline], self._buffer[newline + 1 :]
                if newline >= MAX_LINE:
                    raise LineTooLong(line)
                return line
            if len(self._buffer) >= MAX_LINE:
                raise LineTooLong(self.take())
            if not self._fill():
                try:
                    await trio.lowlevel.wait_readable(self._fd)
                except trio.ClosedResourceError:
                    self._over = True  # stopped while waiting: what is left is read once more

    def unsolicited(self) -> bytes:
        """Return what has arrived without being waited for."""
        if not self._buffer and not self._over:
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
        self._over = True
        trio.lowlevel.notify_closing(self._fd)

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
        self._unsent = b""

    async def send(self, data: bytes) -> None:
        """Write all data; wait if the pipe is full.  If this is cancelled, the next call writes the rest first.

        Raises StreamEnd if the other side can no longer read.
        """
        self._unsent += data
        while True:
            try:
                self._unsent = self._unsent[os.write(self._fd, self._unsent) :]
            except BlockingIOError:
                pass
            except OSError:
                raise StreamEnd from None
            if not self._unsent:
                return
            await trio.lowlevel.wait_writable(self._fd)

    def unread(self) -> int:
        """Return the number of bytes that were written but not read yet."""
        try:
            return int.from_bytes(fcntl.ioctl(self._fd, termios.FIONREAD, bytes(_INT)), sys.byteorder)
        except OSError:
            return 0

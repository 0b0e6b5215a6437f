"""The lines that were sent to a remote program, for a client that has lost its program and starts it again.

The latest lines are kept as they are, earlier ones compressed.
"""

import zlib
from collections import deque
from itertools import islice
from typing import Final

from msgspec import Struct, msgpack

MOST_KEPT: Final = 4 << 20  # bytes of compressed lines; earlier ones are dropped
MOST_LATE: Final = 1 << 18  # bytes of lines as they are, and of those that were not acknowledged
_BLOCK: Final = 1 << 16  # bytes of lines that are compressed together
_FAST: Final = 1  # a game must not wait for the compression


class SentLine(Struct, frozen=True, array_like=True):
    """A line that was sent; None is the end of the program's input."""

    line: bytes | None
    times: tuple[float, float] | None
    """Milliseconds of the last answer that the clock was charged, and those that it was not."""

    @property
    def size(self) -> int:
        """The length of the line in bytes."""
        return len(self.line or b"")


class KeptLines:
    """The lines of one link, numbered from 1."""

    def __init__(self) -> None:
        self._blocks: deque[tuple[int, bytes]] = deque()
        """Compressed lines, with the number of the first one."""
        self._packed = 0
        self._late: deque[SentLine] = deque()
        self._start = 1
        """Number of the first line of these."""
        self._size = 0
        self._opened: tuple[int, list[SentLine]] = 0, []
        """The block that was read last."""

    @property
    def first(self) -> int:
        """Number of the first line that is kept."""
        return self._blocks[0][0] if self._blocks else self._start

    @property
    def last(self) -> int:
        """Number of the last line."""
        return self._start + len(self._late) - 1

    def append(self, sent: SentLine, acknowledged: int) -> None:
        """Add a line; lines up to the number `acknowledged` may be compressed or dropped."""
        self._late.append(sent)
        self._size += sent.size
        while self._size > MOST_LATE and self._pack(acknowledged):
            pass

    def replace(self, number: int, sent: SentLine) -> None:
        """Replace a line, unless it is compressed already."""
        if number >= self._start:
            self._size += sent.size - self._late[number - self._start].size
            self._late[number - self._start] = sent

    def __getitem__(self, number: int) -> SentLine:
        """Return the line with a number."""
        if number >= self._start:
            return self._late[number - self._start]
        first, lines = self._opened
        if not first <= number < first + len(lines):
            first, packed = next(block for block in reversed(self._blocks) if block[0] <= number)
            lines = msgpack.decode(zlib.decompress(packed), type=list[SentLine])
            self._opened = first, lines
        return lines[number - first]

    def _pack(self, acknowledged: int) -> bool:
        """Compress the first lines; return False if there are not enough that were acknowledged."""
        count = size = 0
        for sent in islice(self._late, acknowledged - self._start + 1):
            count += 1
            size += sent.size
            if size >= _BLOCK:
                break
        else:
            return False
        block = zlib.compress(msgpack.encode([self._late.popleft() for _ in range(count)]), _FAST)
        self._blocks.append((self._start, block))
        self._start += count
        self._size -= size
        self._packed += len(block)
        while self._packed > MOST_KEPT:
            self._packed -= len(self._blocks.popleft()[1])
        return True

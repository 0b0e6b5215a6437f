"""What passes between the referee and the bots of a game, held until it is over.  It knows bytes and no message.

It stands in the path of every line: noting one must cost next to nothing, and no bot may make it big.
"""

from collections.abc import Mapping
from typing import Final

import trio

from arbiter.sandbox.stderr import ErrorLog
from arbiter.transcript import GameLog, LogLine, Transcript
from protocol.words import MAX_LINE, SEATS, Seat

HEAD: Final = 64 * 1024
TAIL: Final = 192 * 1024
OVERHEAD: Final = 128  # bytes that a line costs beside its text
_SLACK: Final = 64 * 1024  # so much more than the tail is held for a while, so that room is seldom made
_MS: Final = 1000.0

_Noted = tuple[float, bool, bytes, bool, int]  # the fields of a Line, its time still trio's


class BotLog:
    """The first and the last lines of one bot; times are trio's, in seconds."""

    def __init__(self, begun: float) -> None:
        self._begun = begun
        self._head: list[_Noted] = []
        self._tail: list[_Noted] = []
        self._lines = self._head  # where the next one goes
        self._room = HEAD
        self._dropped = 0
        self._dropped_bytes = 0

    def sent(self, line: bytes, at: float) -> None:
        """Note a line of the arbiter's, newline included."""
        self._lines.append((at, True, line, True, 0))
        self._room -= len(line) + OVERHEAD
        if self._room < 0:
            self._make_room()

    def heard(self, line: bytes, at: float) -> None:
        """Note a bot's line."""
        self._lines.append((at, False, line, True, 0))
        self._room -= len(line) + OVERHEAD
        if self._room < 0:
            self._make_room()

    def left(self, rest: bytes, at: float) -> None:
        """Note what is no line of its own: half of one, or what a bot wrote unasked; nothing where it is empty."""
        if rest:
            kept = rest[:MAX_LINE]
            self._lines.append((at, False, kept, False, len(rest) - len(kept)))
            self._room -= len(kept) + OVERHEAD
            if self._room < 0:
                self._make_room()

    def _make_room(self) -> None:
        if self._lines is self._tail:
            self._drop()
            return
        self._lines = self._tail  # what comes after a line without room is no part of the beginning
        self._tail.append(self._head.pop())
        self._room = TAIL + _SLACK - _size(self._tail[0])

    def _drop(self) -> None:
        """Let go of the oldest lines of the tail until it is no larger than it may be."""
        count = 0
        while self._room < _SLACK:
            line = self._tail[count]
            self._room += _size(line)
            self._dropped_bytes += len(line[2])
            count += 1
        del self._tail[:count]
        self._dropped += count

    def transcript(self) -> Transcript:
        """Return what has been kept so far."""
        if self._lines is self._tail:
            self._drop()
        first, last = (tuple(map(self._line, lines)) for lines in (self._head, self._tail))
        return Transcript(first, last, self._dropped, self._dropped_bytes)

    def _line(self, noted: _Noted) -> LogLine:
        at, sent, text, whole, cut = noted
        bare = text.removesuffix(b"\n") if sent else text
        return LogLine(round((at - self._begun) * _MS, 3), sent, bare, whole, cut)


def _size(noted: _Noted) -> int:
    return len(noted[2]) + OVERHEAD


class GameLogWriter:
    """All that is heard of a game but its acts.  Who holds it has it whatever becomes of the game."""

    def __init__(self) -> None:
        begun = trio.current_time()
        self.wires: dict[Seat, BotLog] = {seat: BotLog(begun) for seat in SEATS}
        self.errors: dict[Seat, ErrorLog] = {}

    def finish(self, unheard: Mapping[Seat, bytes]) -> None:
        """Note what was found unread when the bots were dead, such as an answer that came too late."""
        for seat, rest in unheard.items():
            self.wires[seat].left(rest, trio.current_time())

    def log(self) -> GameLog:
        """Return what has been heard so far."""
        return GameLog(
            wire={seat: wire.transcript() for seat, wire in self.wires.items()},
            stderr={seat: text for seat, errors in self.errors.items() if (text := errors.text())},
        )

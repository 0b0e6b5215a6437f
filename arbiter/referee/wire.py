"""What passes between the referee and the bots of a game, held until it is over.  It knows bytes and no message.

It stands in the path of every line: noting one must cost next to nothing, and no bot may make it big.
"""

from collections import deque
from collections.abc import Mapping
from typing import Final

import trio

from arbiter.referee.stderr import ErrorLog
from arbiter.transcript import GameLog, Line, Transcript
from protocol.words import MAX_LINE, SEATS, Seat

HEAD: Final = 64 * 1024
TAIL: Final = 192 * 1024
OVERHEAD: Final = 128  # bytes that a line costs beside its text
_MS: Final = 1000.0


class Wire:
    """The first and the last lines of one bot; times are trio's, in seconds."""

    def __init__(self, begun: float) -> None:
        self._begun = begun
        self._head: list[Line] = []
        self._tail: deque[Line] = deque()
        self._head_room = HEAD
        self._tail_room = TAIL
        self._dropped = 0
        self._dropped_bytes = 0

    def sent(self, line: bytes, at: float) -> None:
        """Note a line of the arbiter's, newline included."""
        self._note(Line((at - self._begun) * _MS, True, line))  # noqa: FBT003 - a value's field

    def heard(self, line: bytes, at: float) -> None:
        """Note a bot's line."""
        self._note(Line((at - self._begun) * _MS, False, line))  # noqa: FBT003 - a value's field

    def left(self, rest: bytes, at: float) -> None:
        """Note what is no line of its own: half of one, or what a bot wrote unasked; nothing where it is empty."""
        if rest:
            kept = rest[:MAX_LINE]
            self._note(Line((at - self._begun) * _MS, sent=False, text=kept, whole=False, cut=len(rest) - len(kept)))

    def _note(self, line: Line) -> None:
        size = len(line.text) + OVERHEAD
        if self._head_room >= size:
            self._head_room -= size
            self._head.append(line)
            return
        self._head_room = 0  # what comes after a line without room is no part of the beginning
        self._tail_room -= size
        self._tail.append(line)
        while self._tail_room < 0:
            self._drop()

    def _drop(self) -> None:
        size = len(self._tail.popleft().text)
        self._tail_room += size + OVERHEAD
        self._dropped += 1
        self._dropped_bytes += size

    def transcript(self) -> Transcript:
        """Return what has been kept so far."""
        return Transcript(
            tuple(map(_bare, self._head)), tuple(map(_bare, self._tail)), self._dropped, self._dropped_bytes
        )


def _bare(line: Line) -> Line:
    text = line.text.removesuffix(b"\n") if line.sent else line.text
    return Line(round(line.ms, 3), line.sent, text, line.whole, line.cut)


class Tape:
    """All that is heard of a game but its acts.  Who holds it has it whatever becomes of the game."""

    def __init__(self) -> None:
        begun = trio.current_time()
        self.wires: dict[Seat, Wire] = {seat: Wire(begun) for seat in SEATS}
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

"""The log of a game, kept in memory until the game is over.

Every line passes through here: to note one must cost very little, and no bot may make the log large.
"""

from collections import deque
from typing import Final

import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter.clock import MS_PER_S, THOUSANDTHS, round_ms
from arbiter.games.contest import Contest
from arbiter.sandbox.streams import ErrorLog
from arbiter.transcript import AnswerTime, GameLog, LogLine, Silence, StderrMark, Transcript
from protocol.words import MAX_LINE, SEATS, Seat

HEAD: Final = 64 * 1024
TAIL: Final = 192 * 1024
OVERHEAD: Final = 128  # bytes that a line costs besides its text
_SLACK: Final = 64 * 1024  # the tail may exceed its size by this much, so that lines are dropped seldom

_MOST_ANSWERS: Final = 10_000

_Entry = tuple[float, bool, bytes, bool, int]  # the fields of a LogLine, with a time of trio's clock


class BotLog:
    """The first and the last lines of one bot; times are those of trio's clock, in seconds."""

    def __init__(self, start: float) -> None:
        self._start = start
        self._head: list[_Entry] = []
        self._tail: list[_Entry] = []
        self._current = self._head
        """The list that the next line is added to."""
        self._room = HEAD
        self._dropped_lines = 0
        self._dropped_bytes = 0
        self._answers: deque[AnswerTime] = deque(maxlen=_MOST_ANSWERS)
        self.silence: Silence | None = None
        """Set if the last question was not answered in time."""

    def note_times(self, times: AnswerTime) -> None:
        """Note the times of a question; its time is still that of trio's clock, in seconds."""
        self._answers.append(times)

    def note(self, line: bytes, at: float, *, sent: bool) -> None:
        """Note a line that the arbiter sent, with its newline, or one that the bot sent, without."""
        self._current.append((at, sent, line, True, 0))
        self._room -= len(line) + OVERHEAD
        if self._room < 0:
            self._make_room()

    def leftover(self, rest: bytes, at: float) -> None:
        """Note output that is not a line waited for, such as a part of one; nothing if it is empty."""
        if rest:
            kept = rest[:MAX_LINE]
            self._current.append((at, False, kept, False, len(rest) - len(kept)))
            self._room -= len(kept) + OVERHEAD
            if self._room < 0:
                self._make_room()

    def _make_room(self) -> None:
        if self._current is self._tail:
            self._drop()
            return
        self._current = self._tail  # from the line that does not fit on, all lines belong to the tail
        self._tail.append(self._head.pop())
        self._room = TAIL + _SLACK - len(self._tail[0][2]) - OVERHEAD

    def _drop(self) -> None:
        """Drop the oldest lines of the tail until it has its normal size."""
        count = 0
        while self._room < _SLACK:
            size = len(self._tail[count][2])
            self._room += size + OVERHEAD
            self._dropped_bytes += size
            count += 1
        del self._tail[:count]
        self._dropped_lines += count

    def transcript(self) -> Transcript:
        """Return what has been kept so far."""
        if self._current is self._tail:
            self._drop()
        first, last = self._log_lines(self._head), self._log_lines(self._tail)
        answers = tuple(
            replace(
                times,
                ms=round((times.ms - self._start) * MS_PER_S, 3),
                elapsed_ms=round(times.elapsed_ms, 3),
                charged_ms=times.charged_ms and round(times.charged_ms, 3),
                stalled_ms=round(times.stalled_ms, 3),
                cpu_ms=times.cpu_ms and round(times.cpu_ms, 3),
                measured_ms=round(times.measured_ms, 3),
            )
            for times in self._answers
        )
        return Transcript(first, last, self._dropped_lines, self._dropped_bytes, answers, self.silence)

    def _log_lines(self, entries: list[_Entry]) -> tuple[LogLine, ...]:
        start = self._start
        lines = [
            LogLine(round_ms((at - start) * MS_PER_S, THOUSANDTHS), sent, text[:-1] if sent else text, is_whole, cut)
            for at, sent, text, is_whole, cut in entries
        ]
        return tuple(lines)


class GameProgress(Struct, frozen=True):
    """The progress of a game."""

    plies: int = 0
    seat: Seat | None = None
    """The seat whose turn it is; None before the first turn and after the last."""


class GameLogWriter:
    """Collects the log of a game; it stays readable if the game is voided or fails."""

    def __init__(self) -> None:
        self._start = trio.current_time()
        self.bot_logs: dict[Seat, BotLog] = {seat: BotLog(self._start) for seat in SEATS}
        self._error_logs: dict[Seat, ErrorLog] = {}
        self.contest: Contest | None = None
        """The game, once it has begun."""

    def finish(self, seat: Seat, errors: ErrorLog, unread: bytes = b"") -> None:
        """Add what a bot wrote on stderr, and output found when it was dead, such as an answer that came too late."""
        self._error_logs[seat] = errors
        self.bot_logs[seat].leftover(unread, trio.current_time())

    @property
    def progress(self) -> GameProgress:
        """The progress of the game."""
        if self.contest is None:
            return GameProgress()
        to_act = self.contest.to_act
        return GameProgress(self.contest.play.plies, to_act[0] if len(to_act) == 1 else None)

    def log(self, *, messages: bool = True) -> GameLog:
        """Return what has been collected so far, with or without messages."""
        marks = {
            seat: tuple(
                StderrMark(line, round((mark.at - self._start) * MS_PER_S, 3), mark.ask)
                for line, mark in errors.marks()
            )
            for seat, errors in self._error_logs.items()
        }
        return GameLog(
            wire={seat: bot_log.transcript() for seat, bot_log in self.bot_logs.items()} if messages else {},
            stderr={seat: text for seat, errors in self._error_logs.items() if (text := errors.text())},
            stderr_marks={seat: found for seat, found in marks.items() if found},
        )

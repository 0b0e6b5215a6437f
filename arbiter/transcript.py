"""The log of a game: the lines between the arbiter and its bots, and what the bots wrote on stderr."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from arbiter.games.base import FORFEITS
from protocol.words import Seat

LOGGED: Final = FORFEITS - {"walkover", "disqualified"}
"""Endings of games whose lines are always kept; in a walkover there are none."""


class LogLine(Struct, frozen=True):
    """A line without its newline."""

    ms: float
    """Milliseconds since the start of the game."""
    sent: bool
    """True if the arbiter wrote the line."""
    text: bytes
    whole: bool = True
    """False if this is not a line that the arbiter waited for.

    It can be a part of a line, or all that a bot wrote unasked or too late, with its newlines.
    """
    cut: int = 0
    """Number of bytes left out at the end."""


class AnswerTime(Struct, frozen=True, array_like=True):
    """The times of a question that took longer than a beat of the arbiter, 20 ms; all are in milliseconds."""

    ask: int
    """Number of the question."""
    ms: float
    """From the start of the game to the question."""
    elapsed_ms: float
    """From the question to the answer, or to the end of the wait for it."""
    charged_ms: float | None
    """Time that the clock was charged; None without an answer in time."""
    stalled_ms: float
    """Longest stall of the arbiter during the wait."""
    cpu_ms: float | None
    """Processor time that the bot used in the last `measured_ms`; None if it was not measured."""
    measured_ms: float
    """Length of the end of the wait in which the processor time was measured: all but the first 20 ms at most."""


class Silence(Struct, frozen=True, array_like=True):
    """Activity of a bot that had not answered when its time was over."""

    unread_bytes: int
    """Bytes of the question that it had not read."""
    uses_cpu: bool


class Transcript(Struct, frozen=True):
    """The lines of one bot.  If there are too many, those between `first` and `last` are left out."""

    first: tuple[LogLine, ...] = ()
    last: tuple[LogLine, ...] = ()
    lines_left_out: int = 0
    bytes_left_out: int = 0
    answers: tuple[AnswerTime, ...] = ()
    """Times of the last questions that took longer than a beat of the arbiter, at most 10,000."""
    silence: Silence | None = None
    """Known if the last question was not answered in time."""

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """All lines that are kept, in order."""
        return self.first + self.last


class StderrMark(Struct, frozen=True, array_like=True):
    """The time of a line of stderr and of those after it, up to the next mark."""

    line: int
    """Number of the line, from 0."""
    ms: float
    """Milliseconds from the start of the game to the moment at which the arbiter read its beginning."""
    ask: int
    """Number of the last question that the bot had been asked, 0 before the first."""


class StderrLine(Struct, frozen=True):
    """A line that a bot wrote to stderr."""

    text: str
    mark: StderrMark | None
    """Its time; None if not known."""


class GameLog(Struct, frozen=True):
    """The lines between the arbiter and each bot, and the stderr of each bot."""

    wire: dict[Seat, Transcript] = {}
    stderr: dict[Seat, str] = {}
    stderr_marks: dict[Seat, tuple[StderrMark, ...]] = {}

    def stderr_lines(self, seat: Seat) -> Iterator[StderrLine]:
        """Yield the lines that the bot of a seat wrote to stderr, with their times."""
        marks = iter(self.stderr_marks.get(seat, ()))
        mark, following = None, next(marks, None)
        for number, text in enumerate(self.stderr.get(seat, "").removesuffix("\n").split("\n")):
            while following is not None and following.line <= number:
                mark, following = following, next(marks, None)
            yield StderrLine(text.removesuffix("\r"), mark)

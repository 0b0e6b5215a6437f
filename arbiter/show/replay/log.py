"""The log of a game in readable form: the lines between the arbiter and each bot, and the stderr of the bots."""

from collections.abc import Iterator
from heapq import merge
from operator import attrgetter
from pathlib import Path
from typing import Any

from msgspec import Struct

from arbiter.errors import write_command
from arbiter.show.text import plain
from arbiter.transcript import GameLog, LogLine, Transcript
from protocol.words import Seat


class BotLine(Struct, frozen=True):
    """A line between the arbiter and the bot of a seat."""

    ms: float
    seat: Seat
    line: LogLine


class Gap(Struct, frozen=True):
    """Lines of a seat that were not kept because there were too many."""

    ms: float
    """Time of the first line after the gap."""
    seat: Seat
    lines: int
    bytes: int


class ErrorLine(Struct, frozen=True):
    """A line that the bot of a seat wrote to stderr."""

    ms: float
    seat: Seat
    ask: int
    """Number of the last question that the bot had been asked."""
    text: str


def log_hint(results: Path, game_id: str = "ID") -> str:
    """Return the command that shows the log of a game."""
    return f"line by line: {plain(write_command('games', results, '--id', game_id, '--log'))}"


def write_log(log: GameLog) -> Iterator[str]:
    """Write a log as lines of text that are safe to print."""
    if log.wire or log.stderr_marks:
        yield "--- milliseconds since the start of the game, direction, line"
    for entry in _merge(log):
        match entry:
            case Gap():
                lines = f"{entry.lines} lines to and from {entry.seat}, {entry.bytes} bytes"
                yield f"{'...':>12}  {lines}, are left out here"
            case ErrorLine():
                yield f"{entry.ms:12.3f}  {f'stderr {entry.seat}':11}  {plain(entry.text)}"
            case BotLine():
                direction = f"{'to' if entry.line.sent else 'from'} {entry.seat}"
                yield f"{entry.ms:12.3f}  {direction:11}  {plain(_decode(entry.line))}{_describe_flaw(entry.line)}"
    for seat in _list_untimed(log):
        yield f"--- stderr of {seat}"
        yield from map(plain, log.stderr[seat].splitlines())


def log_objects(log: GameLog) -> Iterator[dict[str, Any]]:
    """Return a log as JSON objects: one for each line or gap, then one for each stderr without times."""
    for entry in _merge(log):
        match entry:
            case Gap():
                yield {"ms": entry.ms, "seat": entry.seat, "left_out": {"lines": entry.lines, "bytes": entry.bytes}}
            case ErrorLine():
                yield {"ms": entry.ms, "seat": entry.seat, "ask": entry.ask, "stderr": entry.text}
            case BotLine():
                line, sender = entry.line, "arbiter" if entry.line.sent else entry.seat
                flaws = {"whole": line.whole, "cut": line.cut}
                yield {"ms": entry.ms, "seat": entry.seat, "from": sender, "line": _decode(line), **flaws}
    for seat in _list_untimed(log):
        yield {"seat": seat, "stderr": log.stderr[seat]}


def _list_untimed(log: GameLog) -> list[Seat]:
    """List the seats whose stderr was kept without times."""
    return [seat for seat in log.stderr if seat not in log.stderr_marks]


def _merge(log: GameLog) -> Iterator[BotLine | Gap | ErrorLine]:
    """Yield the lines of both seats in the order of their times."""
    errors = (_read_errors(log, seat) for seat in log.stderr_marks)
    lines = (_read(seat, kept) for seat, kept in log.wire.items())
    return merge(*errors, *lines, key=attrgetter("ms"))


def _read_errors(log: GameLog, seat: Seat) -> Iterator[ErrorLine]:
    for line in log.stderr_lines(seat):
        if line.mark is not None:
            yield ErrorLine(line.mark.ms, seat, line.mark.ask, line.text)


def _read(seat: Seat, kept: Transcript) -> Iterator[BotLine | Gap]:
    for line in kept.first:
        yield BotLine(line.ms, seat, line)
    if kept.lines_left_out:
        end = kept.last[0].ms if kept.last else kept.first[-1].ms
        yield Gap(end, seat, kept.lines_left_out, kept.bytes_left_out)
    for line in kept.last:
        yield BotLine(line.ms, seat, line)


def _describe_flaw(line: LogLine) -> str:
    if line.whole:
        return ""
    if line.cut:
        return f"... and {line.cut} bytes more"
    return " (not waited for)" if b"\n" in line.text else " (without an end)"


def _decode(line: LogLine) -> str:
    return line.text.decode("utf-8", "backslashreplace")

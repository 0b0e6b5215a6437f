"""The log of a game in readable form: the lines between the arbiter and each bot, and the stderr of the bots."""

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

from arbiter.errors import write_command
from arbiter.show.text import plain
from arbiter.transcript import GameLog, LogLine, StderrLine, Transcript
from protocol.words import Seat


def log_hint(results: Path, game_id: str = "ID") -> str:
    """Return the command that shows the log of a game."""
    return f"line by line: {plain(write_command('games', results, '--id', game_id, '--log'))}"


def write_log(log: GameLog) -> Iterator[str]:
    """Write a log as lines of text that are safe to print."""
    if log.wire or log.stderr_marks:
        yield "--- milliseconds since the start of the game, direction, line"
    for ms, seat, entry in _merge(log):
        match entry:
            case Transcript():
                lines = f"{entry.lines_left_out} lines to and from {seat}, {entry.bytes_left_out} bytes"
                yield f"{'...':>12}  {lines}, are left out here"
            case StderrLine():
                yield f"{ms:12.3f}  {f'stderr {seat}':11}  {plain(entry.text)}"
            case LogLine():
                direction = f"{'to' if entry.sent else 'from'} {seat}"
                flaw = "" if entry.whole else f"... and {entry.cut} bytes more"
                if not entry.whole and not entry.cut:
                    flaw = " (not waited for)" if b"\n" in entry.text else " (without an end)"
                yield f"{ms:12.3f}  {direction:11}  {plain(_decode(entry))}{flaw}"
    for seat in _list_untimed(log):
        yield f"--- stderr of {seat}"
        yield from map(plain, log.stderr[seat].splitlines())


def log_objects(log: GameLog) -> Iterator[dict[str, Any]]:
    """Return a log as JSON objects: one for each line or gap, then one for each stderr without times."""
    for ms, seat, entry in _merge(log):
        match entry:
            case Transcript():
                left_out = {"lines": entry.lines_left_out, "bytes": entry.bytes_left_out}
                yield {"ms": ms, "seat": seat, "left_out": left_out}
            case StderrLine():
                yield {"ms": ms, "seat": seat, "ask": entry.mark and entry.mark.ask, "stderr": entry.text}
            case LogLine():
                line = {"from": "arbiter" if entry.sent else seat, "line": _decode(entry)}
                yield {"ms": ms, "seat": seat, **line, "whole": entry.whole, "cut": entry.cut}
    for seat in _list_untimed(log):
        yield {"seat": seat, "stderr": log.stderr[seat]}


def _list_untimed(log: GameLog) -> list[Seat]:
    """List the seats whose stderr was kept without times."""
    return [seat for seat in log.stderr if seat not in log.stderr_marks]


def _merge(log: GameLog) -> list[tuple[float, Seat, LogLine | StderrLine | Transcript]]:
    """List the lines of both seats in the order of their times; a transcript stands for the gap in it."""
    found: list[tuple[float, Seat, LogLine | StderrLine | Transcript]] = []
    for seat in log.stderr_marks:
        found += ((one.mark.ms, seat, one) for one in log.stderr_lines(seat) if one.mark)
    for seat, kept in log.wire.items():
        found += ((line.ms, seat, line) for line in kept.first)
        if kept.lines_left_out:
            found.append(((kept.last or kept.first[-1:])[0].ms, seat, kept))
        found += ((line.ms, seat, line) for line in kept.last)
    return sorted(found, key=itemgetter(0))


def _decode(line: LogLine) -> str:
    return line.text.decode("utf-8", "backslashreplace")

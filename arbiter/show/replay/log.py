"""A game's log made readable: what passed between the arbiter and each bot, and what the bots wrote on stderr."""

from collections.abc import Iterator
from heapq import merge
from operator import attrgetter
from pathlib import Path
from typing import Any

from msgspec import Struct

from arbiter.show.text import plain
from arbiter.transcript import GameLog, LogLine, Transcript
from protocol.words import Seat


class Passed(Struct, frozen=True):
    """A line that passed between the arbiter and a seat's bot."""

    ms: float
    seat: Seat
    line: LogLine


class LeftOut(Struct, frozen=True):
    """Lines of a seat's that were too many to be kept; `ms` is when they were over."""

    ms: float
    seat: Seat
    lines: int
    bytes: int


def log_hint(results: Path, game_id: str = "ID") -> str:
    """Say which command shows a game's log."""
    return f"line by line: arbiter games {plain(str(results))} --id {plain(game_id)} --log"


def write_log(log: GameLog) -> Iterator[str]:
    """Write a log as lines of text, fit for a terminal."""
    if log.wire:
        yield "--- milliseconds since the game's start, to or from whom, the line"
    for one in _in_order(log.wire):
        yield _left_out(one) if isinstance(one, LeftOut) else _passed(one)
    for seat, text in log.stderr.items():
        yield f"--- stderr of {seat}"
        yield from map(plain, text.splitlines())


def log_objects(log: GameLog) -> Iterator[dict[str, Any]]:
    """Make the objects that a program is given instead: one a line or gap, then one for each stderr."""
    for one in _in_order(log.wire):
        if isinstance(one, LeftOut):
            yield {"ms": one.ms, "seat": one.seat, "left_out": {"lines": one.lines, "bytes": one.bytes}}
        else:
            line, sender = one.line, "arbiter" if one.line.sent else one.seat
            flaws = {"whole": line.whole, "cut": line.cut}
            yield {"ms": one.ms, "seat": one.seat, "from": sender, "line": _text(line), **flaws}
    for seat, text in log.stderr.items():
        yield {"seat": seat, "stderr": text}


def _in_order(wire: dict[Seat, Transcript]) -> Iterator[Passed | LeftOut]:
    """Bring the lines of both seats into the order of their times."""
    return merge(*(_of(seat, kept) for seat, kept in wire.items()), key=attrgetter("ms"))


def _of(seat: Seat, kept: Transcript) -> Iterator[Passed | LeftOut]:
    for line in kept.first:
        yield Passed(line.ms, seat, line)
    if kept.lines_left_out:
        over = kept.last[0].ms if kept.last else kept.first[-1].ms
        yield LeftOut(over, seat, kept.lines_left_out, kept.bytes_left_out)
    for line in kept.last:
        yield Passed(line.ms, seat, line)


def _passed(one: Passed) -> str:
    way = f"{'to' if one.line.sent else 'from'} {one.seat}"
    return f"{one.ms:12.3f}  {way:9}  {plain(_text(one.line))}{_flaw(one.line)}"


def _flaw(line: LogLine) -> str:
    if line.whole:
        return ""
    if line.cut:
        return f"... and {line.cut} bytes more"
    return " (not waited for)" if b"\n" in line.text else " (without an end)"


def _left_out(one: LeftOut) -> str:
    return f"{'...':>12}  {one.lines} lines to and from {one.seat}, {one.bytes} bytes, are left out here"


def _text(line: LogLine) -> str:
    return line.text.decode("utf-8", "backslashreplace")

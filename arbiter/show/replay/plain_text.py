"""A record shown frame by frame as plain text, from red's seat, from blue's or from the arbiter's."""

from collections.abc import Iterator
from typing import cast

from arbiter.record import Record
from arbiter.show.boards import board_grid, draw_grid, write_captured
from arbiter.show.cards import CardTable, card_grid
from arbiter.show.grid import Grid
from arbiter.show.names import DEFAULT_LANGUAGE
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.replay import Replay
from arbiter.show.text import number, plain
from protocol.messages import BoardShape
from protocol.words import RED, SEATS, Seat


def frames(
    record: Record,
    viewer: Viewer,
    *,
    first: int = 0,
    last: int | None = None,
    lang: str = DEFAULT_LANGUAGE,
    under_way: bool = False,
) -> Iterator[Frame]:
    """Yield the frames of plies `first` to `last`, as the viewer may see them.

    Raises RecordError where the record departs from the rules before it has come so far, and ConfigError where it
    names rules that do not exist or `first` lies behind its end.
    """
    reel = Replay(record, lang, under_way=under_way)
    for at in range(reel.of_ply(first), len(reel)):
        if last is not None and reel.ply(at) > last:
            return
        if reel.ply(at) >= first:
            yield reel.frame(at, viewer)
    if (fault := reel.fault(viewer)) and (last is None or reel.ply(reel.last) < last):
        raise fault
    reel.checked(first)


def introduce(record: Record) -> str:
    """Say in a line who plays what."""
    seats = " against ".join(f"{plain(one.name)} ({seat})" for seat in SEATS if (one := record.header.seats.get(seat)))
    return ", ".join(part for part in (seats, about(record)) if part)


def about(record: Record) -> str:
    """Say in a line what is played: the rules, the game's id, when it began."""
    header = record.header
    parts = (header.rules, *header.options, header.id, header.started or "")
    return ", ".join(plain(part) for part in parts if part)


def write_frame(frame: Frame, *, colour: bool = False) -> str:
    """Write a frame as text of at most 80 columns, but for long notes; with `colour`, in ANSI colours."""
    return "\n".join(
        [
            write_heading(frame),
            *frame.story,
            draw_grid(grid_of(frame), colour=colour),
            write_captured(frame.view.captured),
            *(f"{seat} notes: {note}" for seat, note in frame.notes.items()),
            *frame.ending,
        ]
    )


def grid_of(frame: Frame, bottom: Seat = RED) -> Grid:
    """Lay out the board or the cards of a frame, the bottom seat's at the bottom."""
    if isinstance(frame.view, CardTable):
        return card_grid(frame.view, frame.seat, frame.marks, bottom=bottom)
    return board_grid(frame.view.pieces, cast("BoardShape", frame.shape), frame.marks, bottom=bottom)


def write_heading(frame: Frame, of_all: str = "") -> str:
    """Write a frame's first line: its ply, and of how many; its act; what the clock charged."""
    act = f"{frame.seat} {frame.action}" if frame.seat else frame.action
    times = [f"{'' if seat == frame.seat else f'{seat} '}{number(round(ms, 1))} ms" for seat, ms in frame.ms.items()]
    return f"ply {frame.ply}{of_all}: {act}" + (f" ({', '.join(times)})" if times else "")

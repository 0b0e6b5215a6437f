"""A record shown frame by frame as plain text, from red's seat, from blue's or from the arbiter's."""

from collections.abc import Iterator
from typing import cast

from arbiter.errors import ConfigError
from arbiter.record import Record
from arbiter.show.boards import draw_board, write_captured
from arbiter.show.cards import CardTable, draw_cards
from arbiter.show.frame import Frame
from arbiter.show.names import DEFAULT_LANGUAGE
from arbiter.show.reel import Reel
from arbiter.show.sight import Viewer
from arbiter.show.text import number, plain
from protocol.messages import BoardShape
from protocol.words import SEATS


def frames(
    record: Record, viewer: Viewer, *, first: int = 0, last: int | None = None, lang: str = DEFAULT_LANGUAGE
) -> Iterator[Frame]:
    """Yield the frames of plies `first` to `last`, as the viewer may see them.

    Raises RecordError where the record departs from the rules before it has come so far, and ConfigError where it
    names rules that do not exist or `first` lies behind its end.
    """
    reel = Reel(record, lang)
    for at in range(reel.of_ply(first), len(reel)):
        if last is not None and reel.ply(at) > last:
            return
        if reel.ply(at) >= first:
            yield reel.frame(at, viewer)
    end = reel.ply(reel.last)
    if (fault := reel.fault(viewer)) and (last is None or end < last):
        raise fault
    if end < first:
        raise ConfigError(f"ply {first}: the game has plies 0 to {end}")


def introduce(record: Record) -> str:
    """Say in a line who plays what."""
    header = record.header
    seats = " against ".join(f"{plain(header.seats[seat].name)} ({seat})" for seat in SEATS if seat in header.seats)
    about = [plain(part) for part in (header.rules, *header.options, header.id, header.started or "") if part]
    return ", ".join([seats, *about] if seats else about)


def write_frame(frame: Frame, *, colour: bool = False) -> str:
    """Write a frame as text of at most 80 columns, but for long notes; with `colour`, in ANSI colours."""
    return "\n".join(
        [
            _heading(frame),
            *frame.story,
            _drawing(frame, colour=colour),
            write_captured(frame.view.captured),
            *(f"{seat} notes: {note}" for seat, note in frame.notes.items()),
            *frame.ending,
        ]
    )


def _drawing(frame: Frame, *, colour: bool) -> str:
    if isinstance(frame.view, CardTable):
        return draw_cards(frame.view, frame.seat, frame.marks, colour=colour)
    return draw_board(frame.view.pieces, cast("BoardShape", frame.shape), frame.marks, colour=colour)


def _heading(frame: Frame) -> str:
    act = f"{frame.seat} {frame.action}" if frame.seat else frame.action
    times = [f"{'' if seat == frame.seat else f'{seat} '}{number(round(ms, 1))} ms" for seat, ms in frame.ms.items()]
    return f"ply {frame.ply}: {act}" + (f" ({', '.join(times)})" if times else "")

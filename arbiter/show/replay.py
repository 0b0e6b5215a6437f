"""A record shown frame by frame, from red's seat, from blue's or from the arbiter's."""

from collections.abc import Iterator
from typing import cast

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.base import FORFEITS, Outcome
from arbiter.games.notation import write_action
from arbiter.games.table import Table
from arbiter.record import ActEntry, GameResult, Record, RecordError
from arbiter.show.boards import NO_MARKS, Marks, draw_board, write_captured
from arbiter.show.cards import CardTable, draw_cards
from arbiter.show.sight import Sight, Viewer
from arbiter.show.story import tell
from arbiter.show.text import number, plain
from arbiter.tournament.stored import forfeiters
from arbiter.verify import Disagreement, begin, replay
from protocol.messages import BoardShape, BoardView, Rules
from protocol.words import (
    SEATS,
    AnyAction,
    AnyFact,
    Attacked,
    Deploy,
    Guessed,
    Looked,
    Moved,
    Peeked,
    Placed,
    Rescue,
    Seat,
    Struck,
)


class Frame(Struct, frozen=True, kw_only=True):
    """What is to be seen after an act, when `ply` plies have been played; 0 is the setup.

    `shape` is the board of a board game.  `ms` is what the clock charged whom, `notes` what the bots wrote (already fit to be shown),
    `ending` tells the result in the last frame of a game.
    """

    ply: int
    seat: Seat | None
    action: str
    story: tuple[str, ...] = ()
    shape: BoardShape | None
    view: BoardView | CardTable
    marks: Marks = NO_MARKS
    ms: dict[Seat, float] = {}
    notes: dict[Seat, str] = {}
    ending: tuple[str, ...] = ()


def frames(record: Record, viewer: Viewer, *, first: int = 0, last: int | None = None) -> Iterator[Frame]:
    """Yield the frames of plies `first` to `last`, as the viewer may see them.

    Raises RecordError where the record departs from the rules, and ConfigError where it names rules that
    do not exist or `first` lies behind its end.
    """
    frame = None
    try:
        for frame in _all_frames(record, viewer):
            if last is not None and frame.ply > last:
                return
            if frame.ply >= first:
                yield frame
    except Disagreement as error:
        # A refusal may name the piece that cannot do it.
        why = str(error) if viewer == "arbiter" else "it is against the rules"
        raise RecordError(f"act {error.act} cannot be shown: {why}") from None
    if frame is not None and frame.ply < first:
        raise ConfigError(f"ply {first}: the game has plies 0 to {frame.ply}")


def _all_frames(record: Record, viewer: Viewer) -> Iterator[Frame]:
    # Draw limits are for whoever referees; here the record itself says when the game was over.
    table, luck = begin(record, draw_limits=False)
    rules = record.header.game().terms(table.play.first)
    frame, sight = _opening(table, rules, viewer)
    for entry, told in replay(table, luck, record):
        sight.did(entry.seat, entry.action)
        facts = sight.hear(told)
        if isinstance(entry.action, Deploy) and not table.play.plies:
            frame = _joined(frame, entry, sight)
        else:
            yield frame
            frame = _next(frame, entry, facts, sight, table.play.plies)
    yield replace(frame, ending=_ending(record, table.outcome, sight))


def _opening(table: Table, rules: Rules, viewer: Viewer) -> tuple[Frame, Sight]:
    sight = Sight(viewer, rules)
    sight.hear(table.play.opening)
    shape = None if rules.board is UNSET else rules.board
    return Frame(ply=0, seat=None, action="the setup", shape=shape, view=sight.view()), sight


def _joined(frame: Frame, entry: ActEntry, sight: Sight) -> Frame:
    """Add a deployment to the frame of the setup: both are seen as one."""
    return replace(frame, view=sight.view(), ms=frame.ms | _charged(entry), notes=frame.notes | _notes(entry, sight))


def _next(before: Frame, entry: ActEntry, facts: list[AnyFact], sight: Sight, ply: int) -> Frame:
    view = sight.view()
    return Frame(
        ply=ply,
        seat=entry.seat,
        action=write_action(_as_seen(entry, sight)),
        story=tell(facts, before.view, view, sight.viewer),
        shape=before.shape,
        view=view,
        marks=_marks(facts),
        ms=_charged(entry),
        notes=_notes(entry, sight),
    )


def _as_seen(entry: ActEntry, sight: Sight) -> AnyAction:
    """Leave out of an opponent's act the one thing that facts may keep hidden: whom it rescues."""
    if isinstance(entry.action, Rescue) and not sight.has_eyes_of(entry.seat):
        return Rescue("a piece", entry.action.dst)
    return entry.action


def _marks(facts: list[AnyFact]) -> Marks:
    for fact in facts:
        if isinstance(fact, Moved | Attacked | Struck | Looked | Guessed):
            return Marks(fact.src, fact.dst, attack=isinstance(fact, Attacked | Struck))
        if isinstance(fact, Peeked):
            return Marks(fact.src)
        if isinstance(fact, Placed):
            return Marks(dst=fact.place)
    return NO_MARKS


def _charged(entry: ActEntry) -> dict[Seat, float]:
    return {} if entry.ms is None else {entry.seat: entry.ms}


def _notes(entry: ActEntry, sight: Sight) -> dict[Seat, str]:
    return {entry.seat: plain(entry.note)} if entry.note and sight.has_eyes_of(entry.seat) else {}


# --- the end --------------------------------------------------------------------------------------


def _ending(record: Record, outcome: Outcome | None, sight: Sight) -> tuple[str, ...]:
    """Tell how a game ended, and why as far as the viewer may know."""
    end = record.result or outcome
    if end is None:
        return ("the record ends here, without a result",)
    lines = [f"{_winner(end)} ({end.ending.replace('_', ' ')})"]
    # What a forfeit was for may name the loser's own pieces.
    if all(sight.has_eyes_of(seat) for seat in forfeiters(end.winner, end.ending)) and end.why:
        lines.append(plain(end.why))
    if record.result is not None and record.result.points:
        lines.append("points: " + ", ".join(f"{seat} {number(won)}" for seat, won in record.result.points.items()))
    return tuple(lines)


def _winner(end: GameResult | Outcome) -> str:
    if end.winner:
        return f"{end.winner} wins"
    if end.ending == "void":
        return "the game does not count"
    return "both lose" if end.ending in FORFEITS else "a draw"


# --- as text --------------------------------------------------------------------------------------


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

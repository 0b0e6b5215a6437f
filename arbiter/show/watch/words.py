"""What is said around the board, as plain text: every foreign text in it has been made fit to be shown."""

from datetime import timedelta
from typing import Final

from arbiter.record import Record
from arbiter.show.boards import OWNER, write_lost
from arbiter.show.grid import Square
from arbiter.show.names import Naming
from arbiter.show.replay.acts import is_attack, is_capture
from arbiter.show.replay.frame import Frame, action_seen
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.plain_text import write_heading
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.story import whose
from arbiter.show.text import plain
from arbiter.show.watch.state import ReplayState
from protocol.words import Seat

_MS_OF_HOUR: Final = 3_600_000


def clock(ms: float) -> str:
    """Write what is left on a clock: `1:02.3`, from an hour on `1:00:02`."""
    if ms >= _MS_OF_HOUR:
        return str(timedelta(seconds=int(ms / 1000)))
    tenths = int(ms / 100)
    return f"{tenths // 600}:{tenths // 10 % 60:02}.{tenths % 10}"


def count_games(shown: int, finished: int, under_way: int) -> str:
    """Say how many games there are, and how many of them are shown if not all."""
    if shown < finished + under_way:
        return f"{shown} of {finished + under_way} games"
    return f"{finished} games" + (f" and {under_way} under way" if under_way else "")


def explain_list(*, is_live: bool, is_followed: bool) -> str:
    """Say beneath the list of games how it changes, or what is followed."""
    if is_followed:
        what = "games are shown while they are played" if is_live else "the next game is played once it is finished"
        return f"Following: {what}. Press f to stop."
    if is_live:
        return "Games join the list as they begin, and can be watched while they are played."
    return "Games can be watched once they are finished; if run with --live, before that."


def title_state(viewing: ReplayState, pace: str) -> str:
    """Say in the title how a game is seen: how fast it plays, whether it is under way, from which seat."""
    if not viewing.is_under_way:
        under_way = ""
    elif viewing.is_at_end:
        under_way = "under way, "
    else:
        under_way = "under way (End follows), "
    return f"{pace}{under_way}seen by {viewing.viewer}"


def player(record: Record, seat: Seat) -> str:
    """Say who plays a seat: the tournament's name, and the program's own where it differs."""
    one = record.header.seats.get(seat)
    if one is None:
        return seat
    program = " ".join(part for part in (one.program, one.version) if part)
    own = f" ({program})" if program and program != one.name else ""
    return f"{seat} {plain(one.name + own)}"


def player_lines(record: Record, frame: Frame, seat: Seat) -> tuple[str, str, str]:
    """Say who plays a seat, what is left on its clock, and what it has lost."""
    left = f"{clock(frame.banks[seat])} left" if seat in frame.banks else ""
    return player(record, seat), left, f"lost {write_lost(frame.view.captured.get(seat, {}))}"


def ply_line(reel: Replay, number: int, viewer: Viewer) -> str:
    """Write a frame's line in the list of plies, `*` for an attack and `x` for a capture."""
    act = reel.act(number)
    if act is None:
        return f"{0:>4} the setup"
    sign = "x" if is_capture(act) else "*" if is_attack(act) else ""
    return f"{act.ply:>4} {OWNER[act.entry.seat]} {action_seen(act.entry, viewer)} {sign}"


def tale(frame: Frame, reel: Replay, seen: str) -> tuple[str, ...]:
    """Tell a frame beneath the board: the act, what is looked at, what came of it, the end, what the bots noted."""
    of_all = f" of {reel.ply(reel.last)}"
    notes = (f"{seat} notes: {note}" for seat, note in frame.notes.items())
    return (write_heading(frame, of_all), *filter(None, [seen]), *frame.story, *frame.ending, *notes)


def seen_on(square: Square, viewer: Viewer, naming: Naming) -> str:
    """Say what a viewer sees on a square."""
    where = f"{square.seat} {square.place}" if square.seat else square.place
    piece = square.piece
    if piece is None:
        return f"{where}: {'a lake' if square.is_lake else 'empty'}"
    what = naming(piece.seat, piece.rank) if piece.rank else "unknown piece"
    return f"{where}: {whose(piece.seat, viewer)} {what}{', which has moved' if piece.moved else ''}"

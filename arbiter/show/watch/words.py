"""The texts around the board.  All foreign text in them is escaped, so that it is safe to print."""

from datetime import timedelta
from typing import Final

from arbiter.record import Record
from arbiter.show.boards import OWNER, write_lost
from arbiter.show.grid import Square
from arbiter.show.keys import VIEWS
from arbiter.show.names import PieceNaming
from arbiter.show.replay.acts import is_attack, is_capture
from arbiter.show.replay.evaluations import find_column, plot_evaluations
from arbiter.show.replay.frame import Frame, write_visible_action
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.plain_text import list_remarks, write_heading
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.story import possessive
from arbiter.show.text import plain
from arbiter.show.watch.state import ReplayState
from protocol.words import RED, Seat

_MS_OF_HOUR: Final = 3_600_000
_PLOT_LABEL: Final = "eval {:<4}  "


def write_clock(ms: float) -> str:
    """Write the time left on a clock: `1:02.3`, from an hour on `1:00:02`."""
    if ms >= _MS_OF_HOUR:
        return str(timedelta(seconds=int(ms / 1000)))
    tenths = int(ms / 100)
    return f"{tenths // 600}:{tenths // 10 % 60:02}.{tenths % 10}"


def count_games(shown: int, finished: int, ongoing: int) -> str:
    """Write how many games there are, and how many of them the filter shows."""
    if shown < finished + ongoing:
        return f"{shown} of {finished + ongoing} games"
    return f"{finished} games" + (f" and {ongoing} in progress" if ongoing else "")


def explain_list(*, is_live: bool, is_followed: bool) -> str:
    """Explain below the list of games what can be watched, or what is followed."""
    if is_followed:
        what = "each game is shown while it is played" if is_live else "each game is replayed after it has finished"
        return f"Following: {what}. Press f to stop."
    if is_live:
        return "New games appear in the list, and can be watched while they are played."
    return "Games can be watched after they finish; run with --live to watch them before."


def write_title_state(state: ReplayState, pace: str) -> str:
    """Write the right part of the title: the speed, whether the game is in progress, the viewer."""
    if not state.in_progress:
        progress = ""
    elif state.is_at_end:
        progress = "in progress, "
    else:
        progress = "in progress (End follows), "
    return f"{pace}{progress}view: {VIEWS[state.viewer]}"


def write_player(record: Record, seat: Seat) -> str:
    """Write the seat and name of a player, and the name and version of its program if they differ."""
    one = record.header.seats.get(seat)
    if one is None:
        return seat
    program = " ".join(part for part in (one.program, one.version) if part)
    own = f" ({program})" if program and program != one.name else ""
    return f"{seat} {plain(one.name + own)}"


def write_player_lines(record: Record, frame: Frame, seat: Seat) -> tuple[str, str, str]:
    """Write the name of a player, the time left on its clock, and its losses."""
    left = f"{write_clock(frame.banks[seat])} left" if seat in frame.banks else ""
    return write_player(record, seat), left, f"lost {write_lost(frame.view.captured.get(seat, {}))}"


def write_ply(replay: Replay, number: int, viewer: Viewer) -> str:
    """Write the line of a frame in the list of plies: `*` marks an attack, `x` a capture."""
    act = replay.act(number)
    if act is None:
        return f"{0:>4} the setup"
    sign = "x" if is_capture(act) else "*" if is_attack(act) else ""
    return f"{act.ply:>4} {OWNER[act.entry.seat]} {write_visible_action(act.entry, viewer)} {sign}"


def write_description(frame: Frame, replay: Replay, selected: str) -> tuple[str, ...]:
    """Describe a frame below the board: the act, the selected square, the facts, the ending, the remarks of the bots."""
    of_all = f" of {replay.ply(replay.last)}"
    remarks = list_remarks(frame)
    return (write_heading(frame, of_all), *filter(None, [selected]), *frame.story, *frame.ending, *remarks)


def write_plots(replay: Replay, number: int, viewer: Viewer, width: int) -> tuple[str, ...]:
    """Plot the evaluations of the bots over the game in lines of a width, and mark the frame below."""
    columns = width - len(_PLOT_LABEL.format(RED))
    plots = plot_evaluations(replay, viewer, columns)
    lines = [_PLOT_LABEL.format(seat) + line for seat, line in plots.items()]
    if lines:
        lines.append(
            " "
            * (len(_PLOT_LABEL.format(RED)) + find_column(replay.ply(number), columns, max(1, replay.ply(replay.last))))
            + "^"
        )
    return tuple(lines)


def describe_square(square: Square, viewer: Viewer, naming: PieceNaming) -> str:
    """Describe what a viewer sees on a square."""
    place = f"{square.seat} {square.place}" if square.seat else square.place
    piece = square.piece
    if piece is None:
        return f"{place}: {'a lake' if square.is_lake else 'empty'}"
    name = naming(piece.seat, piece.rank) if piece.rank else "unknown piece"
    return f"{place}: {possessive(piece.seat, viewer)} {name}{', which has moved' if piece.moved else ''}"

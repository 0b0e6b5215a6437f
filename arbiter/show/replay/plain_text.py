"""A record as plain text, frame by frame, and the evaluations of the bots, plotted with block characters."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, cast

from arbiter.errors import shorten
from arbiter.games.base import FORFEITS
from arbiter.record import GameResult, Record
from arbiter.show.boards import CardTable, Grid, draw_grid, make_board_grid, make_card_grid, write_captured
from arbiter.show.language import DEFAULT_LANGUAGE
from arbiter.show.replay.frame import Frame, describe_ending, get_evaluation
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.replay import NO_LOG, Replay
from arbiter.show.text import number, plain, write_evaluation
from arbiter.transcript import GameLog
from protocol.messages import BoardShape
from protocol.words import BLUE, RED, SEATS, Seat

MOST_ERRORS: Final = 8  # lines of stderr of one bot that a frame shows
LONGEST_ERROR: Final = 400  # characters of such a line
PLOT_WIDTH: Final = 60


def make_frames(
    record: Record,
    viewer: Viewer,
    *,
    first: int = 0,
    last: int | None = None,
    lang: str = DEFAULT_LANGUAGE,
    log: GameLog = NO_LOG,
    in_progress: bool = False,
) -> Iterator[Frame]:
    """Yield the frames of plies `first` to `last`, as the viewer may see them.

    Raises RecordError if an act before `last` cannot be shown, and ConfigError for unknown rules or if the game has
    fewer plies than `first`.
    """
    replay = Replay(record, lang, log, in_progress=in_progress)
    for at in range(replay.find_ply(first), len(replay)):
        if last is not None and replay.ply(at) > last:
            return
        if replay.ply(at) >= first:
            yield replay.frame(at, viewer)
    if (fault := replay.fault(viewer)) and (last is None or replay.ply(replay.last) < last):
        raise fault
    replay.check_ply(first)


def describe_outcome(record: Record, *, in_progress: bool = False) -> list[str]:
    """Describe the result of a game in a line, if it has one."""
    return [] if in_progress or record.result is None else [describe_ending(record, "spectator")[0]]


def describe_players(record: Record) -> str:
    """Write the players and the game in one line."""
    seats = " against ".join(f"{plain(one.name)} ({seat})" for seat in SEATS if (one := record.header.seats.get(seat)))
    return ", ".join(part for part in (seats, describe_game(record)) if part)


def describe_game(record: Record) -> str:
    """Write the rules, the id and the start of a game in one line."""
    header = record.header
    parts = (header.rules, *header.options, header.id, header.started or "")
    return ", ".join(plain(part) for part in parts if part)


_DATE: Final = len("2026-11-22")


def write_title(replay: Replay) -> str:
    """Write the players, the score as in chess, the rules and the id of a game."""
    header = replay.record.header
    names = [plain(header.seats[seat].name) if seat in header.seats else seat for seat in (RED, BLUE)]
    result = None if replay.in_progress else replay.record.result
    parts = (
        " \N{EN DASH} ".join(names),
        "" if result is None else _write_score(result),
        " ".join((header.rules, *header.options)),
        header.id,
        (header.started or "")[:_DATE],
    )
    return " · ".join(plain(part) for part in parts if part)


def _write_score(result: GameResult) -> str:
    """Write a result as in chess, red's score first; empty if the game does not count."""
    if result.ending in {"void", "annulled"}:
        return ""
    both_lose = result.ending in FORFEITS or result.ending == "double_loss"
    scores = {"red": ("1", "0"), "blue": ("0", "1"), None: ("0", "0") if both_lose else ("½", "½")}
    return "\N{EN DASH}".join(scores[result.winner])


def write_frame(frame: Frame, *, colour: bool = False) -> str:
    """Write a frame as text of at most 80 columns, apart from long notes; with `colour`, in ANSI colours."""
    return "\n".join(
        [
            write_heading(frame),
            *frame.story,
            draw_grid(make_grid(frame), colour=colour),
            write_captured(frame.view.captured),
            *list_remarks(frame),
            *frame.ending,
        ]
    )


def list_remarks(frame: Frame) -> list[str]:
    """List the notes, the evaluations and the last lines of stderr of both bots."""
    remarks = [f"{seat} notes: {note}" for seat, note in frame.notes.items()]
    remarks += [f"{seat} evaluates: {write_evaluation(value)}" for seat, value in frame.evals.items()]
    for seat, lines in frame.stderr.items():
        remarks += [f"{seat} stderr: {line}" for line in shorten_stderr(lines)]
    return remarks


def shorten_stderr(lines: Sequence[str]) -> list[str]:
    """Return the last lines that a bot wrote to stderr, long ones cut; the first states how many are left out."""
    left_out = len(lines) - MOST_ERRORS
    head = [f"... {left_out} lines before"] if left_out > 0 else []
    return head + [shorten(line, LONGEST_ERROR) for line in lines[-MOST_ERRORS:]]


def write_plots(record: Record, viewer: Viewer) -> list[str]:
    """Write the evaluations over the whole game, one line for each bot that sends any.  Raises RecordError."""
    replay = Replay(record)
    return [f"evaluation of {seat:<4}  {line}" for seat, line in plot_evaluations(replay, viewer, PLOT_WIDTH).items()]


def make_grid(frame: Frame, bottom: Seat = RED) -> Grid:
    """Lay out the board or the cards of a frame, with the given seat at the bottom."""
    if isinstance(frame.view, CardTable):
        return make_card_grid(frame.view, frame.seat, frame.marks, bottom=bottom)
    return make_board_grid(frame.view.pieces, cast("BoardShape", frame.shape), frame.marks, bottom=bottom)


def write_heading(frame: Frame, of_all: str = "") -> str:
    """Write the first line of a frame: its ply (`of_all` is appended to it), its act, the time it was charged."""
    act = f"{frame.seat} {frame.action}" if frame.seat else frame.action
    times = [f"{'' if seat == frame.seat else f'{seat} '}{number(round(ms, 1))} ms" for seat, ms in frame.ms.items()]
    return f"ply {frame.ply}{of_all}: {act}" + (f" ({', '.join(times)})" if times else "")


_BLOCKS: Final = "▁▂▃▄▅▆▇█"


def plot_evaluations(replay: Replay, viewer: Viewer, width: int) -> dict[Seat, str]:
    """Plot the evaluations of each seat that sent any in one line of at most `width` characters, over all plies."""
    found: dict[Seat, dict[int, float]] = {}
    last = max(1, replay.ply(replay.last))
    for act in filter(None, map(replay.act, range(1, len(replay)))):
        for seat, value in get_evaluation(act.entry, viewer).items():
            found.setdefault(seat, {})[act.ply] = value
    return {seat: _plot(found[seat], width, last) for seat in SEATS if seat in found}


def find_column(ply: int, width: int, last: int) -> int:
    """Return the column of a ply in a plot of at most `width` columns; `last` is the last ply."""
    columns = max(1, min(width, last))
    return min(columns - 1, max(0, ply - 1) * columns // last)


def scale_evaluations(values: Collection[tuple[int, float]], columns: int) -> list[float | None]:
    """Return a value from 0 to 1 for each column of a plot, by the evaluations in the columns; None before the first.

    The scale is that of the largest evaluation, and the middle is 0.  A column shows its last evaluation, or the one
    before if it contains none.
    """
    largest = max(abs(value) for _, value in values) or 1.0
    line: list[float | None] = [None] * columns
    for column, value in values:
        line[column] = (value / largest + 1) / 2
    for column in range(1, columns):
        if line[column] is None:
            line[column] = line[column - 1]
    return line


def _plot(values: dict[int, float], width: int, last: int) -> str:
    found = [(find_column(ply, width, last), value) for ply, value in values.items()]
    line = scale_evaluations(found, max(1, min(width, last)))
    return "".join(" " if value is None else _BLOCKS[round(value * (len(_BLOCKS) - 1))] for value in line)

"""A record as plain text, frame by frame, and the evaluations of the bots, plotted with block characters."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, cast

from arbiter.errors import shorten
from arbiter.games.base import FORFEITS
from arbiter.languages.catalogue import DEFAULT_LANGUAGE
from arbiter.record import Record
from arbiter.show.boards import CardLabels, CardTable, Grid, draw_grid, make_board_grid, make_card_grid, write_lost
from arbiter.show.language import ENGLISH, SentenceWriter
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


def describe_outcome(record: Record, sentences: SentenceWriter = ENGLISH, *, in_progress: bool = False) -> list[str]:
    """Describe the result of a game in a line, if it has one."""
    return [] if in_progress or record.result is None else [describe_ending(record, "spectator", sentences)[0]]


def describe_players(record: Record, sentences: SentenceWriter = ENGLISH) -> str:
    """Write the players and the game in one line."""
    names = [
        f"{plain(one.name)} ({sentences.write_seat(seat)})" for seat in SEATS if (one := record.header.seats.get(seat))
    ]
    players = sentences.write("players", red=names[0], blue=names[1]) if len(names) > 1 else "".join(names)
    return ", ".join(part for part in (players, describe_game(record)) if part)


def describe_game(record: Record) -> str:
    """Write the rules, the id and the start of a game in one line."""
    header = record.header
    parts = (header.rules, *header.options, header.id, header.started or "")
    return ", ".join(plain(part) for part in parts if part)


_DATE: Final = len("2026-11-22")


def write_title(replay: Replay) -> str:
    """Write the players, the score as in chess, the rules and the id of a game."""
    header = replay.record.header
    names = [
        plain(header.seats[seat].name) if seat in header.seats else replay.sentences.write_seat(seat)
        for seat in (RED, BLUE)
    ]
    result = None if replay.in_progress else replay.record.result
    score = ""
    if result is not None and result.ending not in {"void", "annulled"}:  # those do not count
        both_lose = result.ending in FORFEITS or result.ending == "double_loss"
        scores = {"red": ("1", "0"), "blue": ("0", "1"), None: ("0", "0") if both_lose else ("½", "½")}
        score = "\N{EN DASH}".join(scores[result.winner])
    parts = (
        " \N{EN DASH} ".join(names),
        score,
        " ".join((header.rules, *header.options)),
        header.id,
        (header.started or "")[:_DATE],
    )
    return " · ".join(plain(part) for part in parts if part)


def write_frame(frame: Frame, sentences: SentenceWriter = ENGLISH, *, colour: bool = False) -> str:
    """Write a frame as text of at most 80 columns, apart from long notes; with `colour`, in ANSI colours."""
    return "\n".join(
        [
            write_heading(frame, sentences),
            *frame.story,
            draw_grid(make_grid(frame, sentences=sentences), colour=colour),
            *(
                sentences.write(
                    "side_lost",
                    seat=sentences.write_seat(seat),
                    pieces=write_losses(frame, seat, sentences),
                )
                for seat in SEATS
            ),
            *list_remarks(frame, sentences),
            *frame.ending,
        ]
    )


def write_losses(frame: Frame, seat: Seat, sentences: SentenceWriter = ENGLISH) -> str:
    """Write how many pieces a seat has lost and which."""
    counts = frame.view.captured.get(seat, {})
    return write_lost(counts) if counts else sentences.write("nothing")


def list_remarks(frame: Frame, sentences: SentenceWriter = ENGLISH) -> list[str]:
    """List the notes, the evaluations and the last lines of stderr of both bots."""
    remarks = [("note", seat, note) for seat, note in frame.notes.items()]
    remarks += [("eval", seat, write_evaluation(value)) for seat, value in frame.evals.items()]
    for seat, lines in frame.stderr.items():
        remarks += [("stderr", seat, line) for line in shorten_stderr(lines, sentences)]
    return [
        sentences.write(f"remark_{kind}", seat=sentences.write_seat(seat), text=text) for kind, seat, text in remarks
    ]


def shorten_stderr(lines: Sequence[str], sentences: SentenceWriter = ENGLISH) -> list[str]:
    """Return the last lines that a bot wrote to stderr, long ones cut; the first states how many are left out."""
    left_out = len(lines) - MOST_ERRORS
    head = [sentences.write("lines_before", count=str(left_out))] if left_out > 0 else []
    return head + [shorten(line, LONGEST_ERROR) for line in lines[-MOST_ERRORS:]]


def write_plots(record: Record, viewer: Viewer, sentences: SentenceWriter = ENGLISH) -> list[str]:
    """Write the evaluations over the whole game, one line for each bot that sends any.  Raises RecordError."""
    heads = {seat: sentences.write("evaluation_of", seat=sentences.write_seat(seat)) for seat in SEATS}
    width = max(map(len, heads.values()))
    plots = plot_evaluations(Replay(record), viewer, PLOT_WIDTH)
    return [f"{heads[seat]:<{width}}  {line}" for seat, line in plots.items()]


def make_grid(frame: Frame, bottom: Seat = RED, sentences: SentenceWriter = ENGLISH) -> Grid:
    """Lay out the board or the cards of a frame, with the given seat at the bottom."""
    if isinstance(frame.view, CardTable):
        labels = CardLabels(
            {seat: sentences.write("row_line", seat=sentences.write_seat(seat)) for seat in SEATS},
            {seat: sentences.write("row_hand", seat=sentences.write_seat(seat)) for seat in SEATS},
            sentences.write("deck", count="{count}"),
        )
        return make_card_grid(frame.view, frame.seat, frame.marks, bottom=bottom, labels=labels)
    return make_board_grid(frame.view.pieces, cast("BoardShape", frame.shape), frame.marks, bottom=bottom)


def write_act(frame: Frame, sentences: SentenceWriter = ENGLISH) -> str:
    """Write the act of a frame with its player."""
    return f"{sentences.write_seat(frame.seat)} {frame.action}" if frame.seat else frame.action


def write_heading(frame: Frame, sentences: SentenceWriter = ENGLISH, last: int | None = None) -> str:
    """Write the first line of a frame: its ply, also that of the `last` one, its act, the time it was charged."""
    times = [
        f"{'' if seat == frame.seat else f'{sentences.write_seat(seat)} '}{number(round(ms, 1))} ms"
        for seat, ms in frame.ms.items()
    ]
    act = write_act(frame, sentences) + (f" ({', '.join(times)})" if times else "")
    return sentences.write("heading" if last is None else "heading_of", ply=str(frame.ply), last=str(last), act=act)


_BLOCKS: Final = "▁▂▃▄▅▆▇█"


def plot_evaluations(replay: Replay, viewer: Viewer, width: int) -> dict[Seat, str]:
    """Plot the evaluations of each seat that sent any in one line of at most `width` characters, over all plies."""
    found: dict[Seat, dict[int, float]] = {}
    last = max(1, replay.ply(replay.last))
    for act in filter(None, map(replay.act, range(1, len(replay)))):
        for seat, value in get_evaluation(act.entry, viewer).items():
            found.setdefault(seat, {})[act.ply] = value
    plots: dict[Seat, str] = {}
    for seat in filter(found.get, SEATS):
        points = [(find_column(ply, width, last), value) for ply, value in found[seat].items()]
        line = scale_evaluations(points, max(1, min(width, last)))
        plots[seat] = "".join(" " if one is None else _BLOCKS[round(one * (len(_BLOCKS) - 1))] for one in line)
    return plots


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

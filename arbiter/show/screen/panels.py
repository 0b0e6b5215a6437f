"""The parts of a screen around its board: title, players, list of moves, text, keys.

All foreign text in them is escaped, so that it is safe to print.
"""

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Final

from rich.cells import cell_len
from rich.style import Style

from arbiter.clock import write_clock
from arbiter.show.boards import Square, write_counts, write_rank
from arbiter.show.keys import IN_GAME, select_keys
from arbiter.show.language import SentenceWriter
from arbiter.show.replay.frame import Frame, write_visible_action
from arbiter.show.replay.knowledge import SPECTATOR, Viewer, is_attack, is_capture, sees_secrets_of
from arbiter.show.replay.likelihood import find_certain_plies, find_likelihoods, list_doubted
from arbiter.show.replay.plain_text import list_remarks, make_grid, write_heading, write_losses, write_title
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import ShownFight, count_possible_ranks, describe_square
from arbiter.show.screen.board import ScreenMoment, write_piece
from arbiter.show.screen.canvas import Box, Canvas, wrap
from arbiter.show.text import plain
from arbiter.show.theme import ATTACK, KNOWN
from arbiter.show.theme import SEATS as SHAPES
from protocol.messages import BoardView
from protocol.words import OPPONENT, RED, SEATS, Seat

LEAST_WIDTH: Final = 24
"""Columns of the list of moves."""
_PAIR_WIDTH: Final = 28
_NUMBER_WIDTH: Final = 4
_SEATS: Final = 2


def write_player(replay: Replay, seat: Seat) -> str:
    """Write the name of a player, and the name and version of its program if they differ."""
    one = replay.record.header.seats.get(seat)
    if one is None:
        return replay.sentences.write_seat(seat)
    program = " ".join(part for part in (one.program, one.version) if part)
    return plain(one.name + (f" ({program})" if program and program != one.name else ""))


def list_hidden(replay: Replay, number: int, viewer: Viewer) -> Iterator[str]:
    """List the ranks that the hidden pieces of each seat can still have for its opponent."""
    for seat in SEATS:
        foe = OPPONENT[seat]
        if sees_secrets_of(viewer, foe) or viewer == SPECTATOR:
            counts = count_possible_ranks(replay.view(number, foe), replay.rules, seat)
            write = replay.sentences.write
            pieces = write_counts(counts) or write("nothing")
            yield write("hides", seat=write(seat), foe=write(foe), pieces=pieces)


def describe_likelihood(replay: Replay, number: int, viewer: Viewer, square: Square) -> Iterator[str]:
    """Describe how likely each rank of a hidden piece is for its opponent, if the viewer may know that."""
    piece = square.piece
    if piece is None or piece.seat not in list_doubted(viewer):
        return
    view = replay.view(number, OPPONENT[piece.seat])
    if isinstance(view, BoardView):
        shares = find_likelihoods(view, replay.rules, piece.seat, replay.runner_places(number)).get(piece.place, {})
        ordered = sorted(shares.items(), key=lambda one: -one[1])
        if ordered:
            text = ", ".join(f"{write_rank(rank)} {round(100 * share)} %" for rank, share in ordered)
            yield replay.sentences.write("likelihood", shares=text)


def paint_title(canvas: Canvas, box: Box, replay: Replay, moment: ScreenMoment) -> None:
    """Paint the first line: the game on the left, the state of the replay on the right."""
    look = canvas.look
    canvas.fill(box, look.title)
    write = replay.sentences.write
    state = (
        f"{moment.state}{write('view_of', view=write('everything' if moment.viewer == 'arbiter' else moment.viewer))} "
    )
    left = max(box.x, box.right - cell_len(state))
    canvas.write(box.x + 1, box.y, write_title(replay), look.title, right=left - 2)
    canvas.write(left, box.y, state, look.title)


def paint_player(canvas: Canvas, box: Box, replay: Replay, frame: Frame, seat: Seat) -> None:
    """Paint the line of a player: a sign if it has just acted, its name, its losses, its clock."""
    look = canvas.look
    clock = f" {write_clock(frame.banks[seat])} " if seat in frame.banks else ""
    right = box.right - len(clock)
    has_acted = frame.seat == seat
    canvas.write(right, box.y, clock, look.target if has_acted else look.title)
    losses = replay.sentences.write("own_lost", pieces=write_losses(frame, seat, replay.sentences))
    name = f"{'▸' if has_acted else ' '}{SHAPES[seat]} {write_player(replay, seat)}"
    # A long name leaves at least half of the line to the losses.
    edge = max(box.x + (right - box.x) // 2, right - cell_len(losses) - 3)
    x = canvas.write(box.x, box.y, name, look.names[seat] + Style(bold=True), right=edge)
    canvas.write(x + 2, box.y, losses, look.soft, right=right - 1)


class MoveList:
    """The part of the list of moves that fits in a box: from a turn on, or with the turn of a ply near its middle.

    Each turn has one line, with one column for each player.
    """

    def __init__(self, box: Box, ply: int, last_ply: int, first: int | None = None) -> None:
        self._heading = box.y
        rows, columns = max(1, box.height - 1), max(1, box.width // _PAIR_WIDTH)
        capacity = rows * columns
        turns = (last_ply + 1) // _SEATS
        wanted = max(0, ply - 1) // _SEATS - capacity // 2 if first is None else first
        self.first: Final = max(0, min(wanted, turns - capacity))
        self.cells: Final[dict[int, Box]] = {}
        """The places of the visible moves by ply."""
        turn_width = box.width // columns
        width = (turn_width - _NUMBER_WIDTH - 1) // _SEATS
        last = min(last_ply, _SEATS * (self.first + capacity))
        for place, visible in enumerate(range(_SEATS * self.first + 1, last + 1)):
            column, row = divmod(place // _SEATS, rows)
            x = box.x + column * turn_width + _NUMBER_WIDTH + 1 + place % _SEATS * width
            self.cells[visible] = Box(x, box.y + 1 + row, width, 1)

    def ply_at(self, x: int, y: int) -> int | None:
        """Return the ply at a position of the screen, if there is one."""
        return next((ply for ply, box in self.cells.items() if box.contains(x, y)), None)

    def paint(self, canvas: Canvas, replay: Replay, viewer: Viewer, current: int) -> None:
        """Paint the list, with a mark after plies that made a rank certain; `current` is the current ply."""
        look = canvas.look
        certain = find_certain_plies(replay, viewer)
        first: Seat = replay.record.header.first or RED
        for ply, box in self.cells.items():
            begins_turn = ply % _SEATS == 1
            seat = first if begins_turn else OPPONENT[first]
            if begins_turn:
                turn = str((ply + 1) // _SEATS)
                canvas.write(box.x - 1 - len(turn), box.y, turn, look.soft)
            if box.y == self._heading + 1:
                canvas.write(
                    box.x,
                    self._heading,
                    f"{SHAPES[seat]} {replay.sentences.write_seat(seat)}",
                    look.names[seat],
                    right=box.right - 1,
                )
            style = look.names[seat]
            if ply == current:
                style = look.target
                canvas.fill(Box(box.x, box.y, box.width - 1, 1), style)
            x = canvas.write(box.x, box.y, write_ply(replay, ply, viewer), style, right=box.right - 1)
            for owner in sorted(certain.get(ply, ()), reverse=True):
                mark = style if ply == current else look.names[owner]
                x = canvas.write(x + 1, box.y, KNOWN, mark, right=box.right - 1)


def write_ply(replay: Replay, ply: int, viewer: Viewer) -> str:
    """Write a ply for the list: its first act, and a mark if one of its acts is an attack or loses a piece."""
    number = replay.find_ply(ply)
    first = replay.act(number)
    if first is None:
        return ""
    text = write_visible_action(first.entry, viewer).partition(" by ")[0]  # the text below the board names the scout
    more = filter(None, map(replay.act, range(number + 1, len(replay))))
    acts = [first, *takewhile(lambda act: act.ply == ply, more)]
    mark = ATTACK if any(map(is_attack, acts)) else "x" if any(map(is_capture, acts)) else ""
    return f"{text} {mark}".rstrip()


def paint_text(
    canvas: Canvas, box: Box, replay: Replay, moment: ScreenMoment, frame: Frame, *, fight: ShownFight | None
) -> int:
    """Paint the text below a board: the act in bold, the fight, the facts, the selected square, the remarks.

    What is hidden from each seat follows only if it fits.  Returns how many lines are above the first visible one: at
    most as many as make room for the last line.
    """
    look = canvas.look
    width = box.width - 2

    def make_rows(texts: Iterable[str], style: Style) -> list[list[tuple[str, Style]]]:
        return [[(line, style)] for text in texts for line in wrap(text, width)]

    selected = moment.selected and make_grid(frame, moment.bottom).find(moment.selected)
    asked = [
        *([describe_square(replay, moment.number, moment.viewer, selected)] if selected else ()),
        *(describe_likelihood(replay, moment.number, moment.viewer, selected) if selected else ()),
    ]
    texts = [*frame.story, *asked, *frame.ending, *list_remarks(frame, replay.sentences)]
    if moment.shows_reports and moment.number > 1:
        before = replay.frame(moment.number - 1, moment.viewer)
        remarks = list_remarks(before, replay.sentences)
        texts += [replay.sentences.write("at_ply", ply=str(before.ply), text=remark) for remark in remarks]
    rows = make_rows([write_heading(frame, replay.sentences, replay.ply(replay.last))], look.strong)
    if fight is not None:
        row = [(f"{ATTACK} ", look.key)]
        outcome = replay.sentences.write(f"outcome_{fight.outcome.replace(' ', '_')}")
        for piece, after in ((fight.attacker, f" {outcome} "), (fight.defender, "   ")):
            style = (look.unknown if piece.rank is None else look.known)[piece.seat]
            row += [(f" {write_piece(piece, is_known=False)} ", style), (after, look.strong)]
        if texts and sum(cell_len(text) for text, _ in row) + cell_len(texts[0]) <= width:
            row.append((texts.pop(0), look.page))
        rows.append(row)
    rows += make_rows(texts, look.page)
    hidden = make_rows(list_hidden(replay, moment.number, moment.viewer), look.soft)
    if len(rows) + len(hidden) <= box.height:
        rows += hidden
    first = max(0, min(moment.text_scrolled, len(rows) - box.height))
    shown = rows[first : first + box.height]
    for y, row in enumerate(shown, start=box.y):
        x = box.x + 1
        for text, style in row:
            x = canvas.write(x, y, text, style)
    if left_out := len(rows) - first - len(shown):
        note = f" {replay.sentences.write('more_lines', count=str(left_out))} "
        canvas.write(box.right - len(note), box.bottom - 1, note, look.key)
    return first


def paint_footer(canvas: Canvas, box: Box, sentences: SentenceWriter) -> None:
    """Paint the most important keys, as far as there is room."""
    x = box.x + 1
    for key in select_keys(IN_GAME, "terminal"):
        written = key.written.split()[0]
        if not key.has_footer:
            continue
        text = sentences.write_key(f"footer_{key.text}")
        if x + cell_len(f"{written} {text}") > box.right:
            continue
        x = canvas.write(x, box.y, written, canvas.look.key)
        x = canvas.write(x + 1, box.y, text, canvas.look.page) + 2

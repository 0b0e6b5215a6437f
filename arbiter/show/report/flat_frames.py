"""Frames of the viewer on the page of a game, as flat tables of short texts."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Final, Literal

from arbiter.clock import write_clock
from arbiter.show.boards import CardTable, Marks
from arbiter.show.language import ENGLISH, SentenceWriter
from arbiter.show.replay.frame import Frame, get_evaluation, get_notes
from arbiter.show.replay.knowledge import Banks, PlayedAct, Viewer, name_place
from arbiter.show.replay.plain_text import shorten_stderr
from protocol.messages import Captured, ViewPiece
from protocol.view import UNKNOWN, hand_place
from protocol.words import RankId, Seat

Table = dict[str, str]
Texts = Sequence[str | Literal[0] | None]
"""A text for each viewer, None if nothing changes for it; 0 stands for the text of the first viewer."""
Change = dict[str, str | Texts]
"""The texts that change, by their keys, and those of the act."""
UNSEEN: Final = "?"  # a piece of unknown rank
MOVED: Final = "'"  # a piece that has moved
RAN: Final = "~"  # a piece that has moved over several squares at once
KNOWN: Final = "*"  # a piece whose rank the opponent knows, if its owner's secrets are shown
_MOVES: Final = MOVED + RAN


def flatten_position(frame: Frame) -> Table:
    """Write what remains until it changes: pieces, losses, decks and clocks.

    The key of a piece is its square (`@a4`), of a card its place (`@red/line:0`).  The text is the initial of the
    owner, the rank, and marks if the opponent knows the rank, and if the piece has moved.
    """
    return flatten_pieces(frame) | flatten_clocks(frame.banks)


def flatten_pieces(frame: Frame) -> Table:
    view = frame.view
    table: Table = {}
    known = frozenset(frame.known)
    if isinstance(view, CardTable):
        for seat, count in view.hand_counts.items():
            table.update(flatten_piece(f"{seat}/{hand_place(number)}", seat, None) for number in range(count))
        for card in view.pieces:
            place = name_place(card)
            table.update([flatten_piece(place, card.seat, card.rank, KNOWN * (place in known))])
        table.update({f"deck/{seat}": str(count) for seat, count in view.deck_counts.items()})
    else:
        ran = frame.ran
        table.update(
            [
                flatten_board_piece(piece, is_known=piece.place in known, has_run=piece.place in ran)
                for piece in view.pieces
            ]
        )
    return table | flatten_losses(view.captured)


def flatten_losses(captured: Captured) -> Table:
    return {
        f"lost/{seat}/{UNSEEN if rank == UNKNOWN else rank}": str(count)
        for seat, lost in captured.items()
        for rank, count in lost.items()
    }


def flatten_clocks(banks: Banks) -> Table:
    return {f"clock/{seat}": write_clock(ms) for seat, ms in banks.items()}


def flatten_act(frame: Frame, sentences: SentenceWriter = ENGLISH) -> Table:
    """Write the act of a frame, and in the last frame the ending; `act` only if it is more than a move."""
    texts = {
        **flatten_move(frame.marks, frame.action, frame.story),
        "end": "\n".join(frame.ending),
        **write_thoughts(frame.notes, frame.evals),
        **{f"stderr/{seat}": "\n".join(shorten_stderr(lines, sentences)) for seat, lines in frame.stderr.items()},
    }
    return {key: text for key, text in texts.items() if text}


def flatten_move(marks: Marks, action: str, story: Sequence[str]) -> Table:
    move = f"{marks.src or ''} {marks.dst or ''}".rstrip()
    return {
        "go": move,
        "attack": "1" if marks.attack else "",
        "act": "" if action == move.replace(" ", "-") else action,
        "story": "\n".join(story),
    }


def write_thoughts(notes: Mapping[Seat, str], evals: Mapping[Seat, float]) -> Table:
    return {f"note/{seat}": note for seat, note in notes.items()} | {
        f"eval/{seat}": f"{value:g}" for seat, value in evals.items()
    }


def flatten_thoughts(act: PlayedAct, viewer: Viewer) -> Table:
    if not act.entry.note and act.entry.eval is None:  # most acts
        return {}
    return write_thoughts(get_notes(act.entry, viewer), get_evaluation(act.entry, viewer))


@cache
def flatten_piece(place: str, seat: Seat, rank: RankId | None, marks: str = "") -> tuple[str, str]:
    return f"@{place}", f"{seat[0]}{rank or UNSEEN}{marks}"


def flatten_board_piece(piece: ViewPiece, *, is_known: bool, has_run: bool) -> tuple[str, str]:
    marks = KNOWN * is_known + (RAN if has_run else MOVED * piece.moved)
    return flatten_piece(piece.place, piece.seat, piece.rank, marks)


def merge(tables: Sequence[Table]) -> Change:
    """Merge the changes or texts of each viewer."""
    merged: Change = {}
    for key in sorted(set(chain.from_iterable(tables))):
        merged[key] = join_texts([table.get(key) for table in tables])
    return merged


def join_texts(texts: Sequence[str | None]) -> str | Texts:
    """Return the text that all viewers see, or a text for each."""
    first = texts[0]
    if first is not None and texts.count(first) == len(texts):
        return first
    return (first, *[0 if text == first else text for text in texts[1:]])


@cache
def mark_move(text: str, runs: bool) -> str:
    return text and text.rstrip(_MOVES) + (RAN if runs or text[-1] == RAN else MOVED)

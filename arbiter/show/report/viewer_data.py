"""The data of the viewer on the page of a game.

A frame is written as a flat table of short texts, and as the difference from the frame before.  The replay decides
what a frame shows, so the viewer needs no rules.
"""

import base64
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final, cast

import msgspec
from msgspec import UNSET

from arbiter.clock import write_clock
from arbiter.games.ranks import RANKS, Trait
from arbiter.show.boards import CardTable, Marks, write_rank
from arbiter.show.replay.disagreements import find_disagreements
from arbiter.show.replay.frame import (
    Frame,
    describe_act,
    find_marks,
    get_evaluation,
    get_notes,
    write_visible_action,
)
from arbiter.show.replay.knowledge import (
    VIEWERS,
    Banks,
    PlayedAct,
    Viewer,
    combine_losses,
    find_piece,
    is_visible,
    list_names,
    name_place,
)
from arbiter.show.replay.moments import are_neighbours
from arbiter.show.replay.plain_text import shorten_stderr
from arbiter.show.replay.replay import Replay
from protocol.messages import Captured, ViewPiece
from protocol.view import UNKNOWN, hand_place
from protocol.words import BLUE, RED, SEATS, Move, Place, RankId, Seat

Table = dict[str, str]
UNSEEN: Final = "?"  # a piece of unknown rank
MOVED: Final = "'"  # a piece that has moved
RAN: Final = "~"  # a piece that has moved over several squares at once
KNOWN: Final = "*"  # a piece whose rank the opponent knows, if its owner's secrets are shown
_MOVES: Final = MOVED + RAN
CARRY: Final = ">"  # the key of a change: the piece moved
_COLUMNS: Final = (CARRY, "go", *(f"clock/{seat}" for seat in SEATS))
_NO_HTML: Final = str.maketrans("<>&", ",.:")
_SEAT: Final[Mapping[str, Seat]] = {"r": RED, "b": BLUE}  # by the initials of pieces
_TENTHS_BELOW_MS: Final = 10.0


def flatten_position(frame: Frame) -> Table:
    """Write what remains until it changes: pieces, losses, decks and clocks.

    The key of a piece is its square (`@a4`), of a card its place (`@red/line:0`).  The text is the initial of the
    owner, the rank, and marks if the opponent knows the rank, and if the piece has moved.
    """
    view = frame.view
    table: Table = {}
    known = frozenset(frame.known)
    if isinstance(view, CardTable):
        for seat, count in view.hand_counts.items():
            table.update(_flatten_piece(f"{seat}/{hand_place(number)}", seat, None) for number in range(count))
        for card in view.pieces:
            place = name_place(card)
            table.update([_flatten_piece(place, card.seat, card.rank, KNOWN * (place in known))])
        table.update({f"deck/{seat}": str(count) for seat, count in view.deck_counts.items()})
    else:
        ran = frame.ran
        table.update([_flatten_board_piece(piece, piece.place in known, piece.place in ran) for piece in view.pieces])
    return table | _flatten_losses(view.captured) | _flatten_clocks(frame.banks)


def _flatten_losses(captured: Captured) -> Table:
    return {
        f"lost/{seat}/{UNSEEN if rank == UNKNOWN else rank}": str(count)
        for seat, lost in captured.items()
        for rank, count in lost.items()
    }


def _flatten_clocks(banks: Banks) -> Table:
    return {f"clock/{seat}": write_clock(ms) for seat, ms in banks.items()}


def flatten_act(frame: Frame) -> Table:
    """Write the act of a frame, and in the last frame the ending; `act` only if it is more than a move."""
    texts = {
        **_flatten_move(frame.marks, frame.action, frame.story),
        "end": "\n".join(frame.ending),
        **_flatten_thoughts(frame.notes, frame.evals),
        **{f"stderr/{seat}": "\n".join(shorten_stderr(lines)) for seat, lines in frame.stderr.items()},
    }
    return {key: text for key, text in texts.items() if text}


def _flatten_move(marks: Marks, action: str, story: Sequence[str]) -> Table:
    move = f"{marks.src or ''} {marks.dst or ''}".rstrip()
    return {
        "go": move,
        "attack": "1" if marks.attack else "",
        "act": "" if action == move.replace(" ", "-") else action,
        "story": "\n".join(story),
    }


def _flatten_thoughts(notes: Mapping[Seat, str], evals: Mapping[Seat, float]) -> Table:
    return {f"note/{seat}": note for seat, note in notes.items()} | {
        f"eval/{seat}": f"{value:g}" for seat, value in evals.items()
    }


@cache
def _flatten_piece(place: str, seat: Seat, rank: RankId | None, marks: str = "") -> tuple[str, str]:
    return f"@{place}", f"{seat[0]}{rank or UNSEEN}{marks}"


def _flatten_board_piece(piece: ViewPiece, is_known: bool, has_run: bool) -> tuple[str, str]:
    marks = KNOWN * is_known + (RAN if has_run else MOVED * piece.moved)
    return _flatten_piece(piece.place, piece.seat, piece.rank, marks)


def _read_ranks(table: Table, places: Iterable[Place]) -> dict[tuple[Seat, Place], RankId | None]:
    """Read the ranks of the pieces on some squares of a position."""
    texts = {place: text for place in places if (text := table.get(f"@{place}"))}
    ranks = {place: text[1:].rstrip(f"{KNOWN}{MOVED}{RAN}") for place, text in texts.items()}
    return {
        (_SEAT[texts[place][0]], place): None if rank == UNSEEN else cast("RankId", rank)
        for place, rank in ranks.items()
    }


def _apply(found: Table, table: Table, move: str) -> Table:
    """Put what a position shows now into its table, and return the changes; an empty text removes an entry.

    CARRY stands for the most frequent change: a piece moved, of whatever rank.
    """
    changes: Table = {}
    src, _, dst = move.partition(" ")
    owner = table.get(f"@{src}", "")[:1]
    if owner and not found.get(f"@{src}", owner) and found.get(f"@{dst}", "")[:1] == owner:
        _carry(table, src, dst)
        changes[CARRY] = "1"
    changes.update(sorted((key, "") for key, text in found.items() if not text and key in table))
    changes.update(sorted((key, text) for key, text in found.items() if text and table.get(key) != text))
    for key, text in changes.items():
        if text and key != CARRY:
            table[key] = text
        else:
            table.pop(key, None)
    return changes


def carry(table: Table, move: str) -> Table:
    """Move the piece of a table."""
    moved = dict(table)
    src, _, dst = move.partition(" ")
    _carry(moved, src, dst)
    return moved


def _carry(table: Table, src: Place, dst: Place) -> None:
    text = table.pop(f"@{src}")
    mark = RAN if text[-1] == RAN or not are_neighbours(src, dst) else MOVED
    table[f"@{dst}"] = (text[:-1] if text[-1] in _MOVES else text) + mark


class ViewerDataWriter:
    """Makes the viewer data of a game frame by frame, as far as some viewers may see it.

    The data has one entry per frame in `frames` (changes: one table for each viewer, or a single one if they are
    equal), `seats` (initial of the player that acted), `plies` (plies since the frame before) and `ms` (thinking
    time).  Frames that no viewer can notice are left out.
    """

    def __init__(self, replay: Replay, viewers: Sequence[Viewer]) -> None:
        self.replay: Final = replay
        self._positions: dict[Viewer, Table] = {viewer: {} for viewer in viewers}
        self._losses: dict[Viewer, Table] = {}
        self._banks: Banks = {}
        self._next = 0
        self._numbers: list[int] = []  # of the frames in the replay
        self._ply = 0
        self._frames: list[Table | list[Table]] = []
        self._seats = ""
        self._plies = ""
        self._ms: list[float | None] = []

    def add_frames(self, last: int) -> None:
        """Add the missing frames up to number `last`."""
        for number in range(self._next, last + 1):
            if self.replay.is_noticed(number, *self._positions):
                self._numbers.append(number)
                self._add_frame(number)
        self._next = max(self._next, last + 1)

    def _add_frame(self, number: int) -> None:
        act = self.replay.act(number)
        ply = self.replay.ply(number)
        ms = None if act is None else act.entry.ms
        self._seats += act.entry.seat[0] if act else "-"
        self._plies += str(ply - self._ply)
        self._ply = ply
        self._ms.append(None if ms is None else round(ms) if ms >= _TENTHS_BELOW_MS else round(ms, 1))
        move = self.replay.plain_move(number)
        if move is not None and move.banks:
            self._frames.append(self._move_piece(move))
            return
        on_board = self.replay.board_act(number)
        if on_board is None:
            changes = [self._compare_frames(number, viewer) for viewer in self._positions]
        else:
            changes = self._apply_act(number, on_board)
        self._frames.append(changes[0] if all(change == changes[0] for change in changes) else changes)

    def _move_piece(self, act: PlayedAct) -> Table | list[Table]:
        """Return the changes by a plain move, without making its frame: most acts are such moves."""
        move = cast("Move", act.entry.action)
        clocks = self._find_clock_changes(act.banks)
        for table in self._positions.values():
            _carry(table, move.src, move.dst)
            table.update(clocks)
        change = {CARRY: "1", **clocks, "go": f"{move.src} {move.dst}"}
        if not act.entry.note and act.entry.eval is None:
            return change
        changes = [
            change | _flatten_thoughts(get_notes(act.entry, viewer), get_evaluation(act.entry, viewer))
            for viewer in self._positions
        ]
        return changes[0] if all(one == changes[0] for one in changes) else changes

    def _find_clock_changes(self, banks: Banks) -> Table:
        """Return the clocks that differ from those of the frame before, which are the same for all viewers."""
        changed = _flatten_clocks({seat: ms for seat, ms in banks.items() if ms != self._banks.get(seat)})
        self._banks = banks
        before = next(iter(self._positions.values()))
        return {key: text for key, text in sorted(changed.items()) if before.get(key) != text}

    def _apply_act(self, number: int, act: PlayedAct) -> list[Table]:
        """Return the changes by an act on a board, without making its frame: only squares that it names can change."""
        places = list(dict.fromkeys(chain.from_iterable(map(list_names, act.facts))))
        ran = self.replay.runner_places(number)
        clocks = self._find_clock_changes(act.banks)
        known = self.replay.wind_board(number)
        captured = {seat: knowledge.captured for seat, knowledge in known.items()}
        changes = []
        told: Any = None  # the facts and ranks of the story for those who do not play, and this story
        for viewer, table in self._positions.items():
            losses = _flatten_losses(combine_losses(viewer, captured))
            found = dict.fromkeys(self._losses[viewer].keys() - losses.keys(), "") | losses | clocks
            self._losses[viewer] = losses
            for place in places:
                piece, is_known = find_piece(viewer, known, place)
                found[f"@{place}"] = "" if piece is None else _flatten_board_piece(piece, is_known, place in ran)[1]
            facts = tuple(one.fact for one in act.facts if is_visible(viewer, one))
            ranks = _read_ranks(found, places) | _read_ranks(table, places)
            if told is not None and viewer not in SEATS and told[0] == (facts, ranks):
                story = told[1]
            else:
                story = describe_act(facts, ranks, viewer, self.replay.sentences)
                told = told if viewer in SEATS else ((facts, ranks), story)
            texts = {
                **_flatten_move(find_marks(facts), write_visible_action(act.entry, viewer), story),
                "end": "\n".join(self.replay.ending(number, viewer)),
                **_flatten_thoughts(get_notes(act.entry, viewer), get_evaluation(act.entry, viewer)),
            }
            changes.append(_apply(found, table, texts["go"]) | {key: text for key, text in texts.items() if text})
        return changes

    def _compare_frames(self, number: int, viewer: Viewer) -> Table:
        """Return the changes from the frame before to any frame."""
        frame = self.replay.frame(number, viewer)
        table = self._positions[viewer]
        act_texts = flatten_act(frame)
        found = dict.fromkeys(table, "") | flatten_position(frame)
        self._banks = frame.banks
        self._losses[viewer] = _flatten_losses(frame.view.captured)
        return _apply(found, table, act_texts.get("go", "")) | act_texts

    def latest_table(self) -> Table:
        """Return the position after the last frame as the first viewer sees it, with its act."""
        viewer = next(iter(self._positions))
        last = self._frames[-1]
        change = last if isinstance(last, dict) else last[0]
        return self._positions[viewer] | {key: change[key] for key in ("go", "attack", "act") if key in change}

    def data(self) -> dict[str, Any]:
        """Return the data of the frames so far; frames that are added later do not change it."""
        rules = self.replay.rules
        labels = self.replay.labels
        board = rules.board
        return {
            "layout": {"slots": rules.line}
            if board is UNSET
            else {"files": board.files, "rows": board.rows, "lakes": board.lakes},
            "ranks": {
                rank.id: {
                    "sign": write_rank(rank.id),
                    "army": rules.army.get(rank.id, 0),
                    **({"fixed": True} if RANKS[rank.id].has(Trait.IMMOVABLE) else {}),
                    **({"runs": True} if RANKS[rank.id].has(Trait.RUNNER) else {}),
                    **{seat: labels[seat][rank.id] for seat in SEATS},
                }
                for rank in rules.ranks
            },
            "seats": self._seats,
            "plies": self._plies,
            "ms": list(self._ms),
            "lang": self.replay.sentences.lang,
            "viewers": list(self._positions),
            "frames": list(self._frames),
            "fault": "",
            "story": self._list_story(),
            "disagreements": self._list_disagreements(),
        }

    def _list_story(self) -> list[tuple[int, str] | tuple[int, str, list[Viewer]]]:
        """Return the turning points: the frame, a sentence and, unless these are all, the viewers that may read it."""
        readers: dict[tuple[int, str], list[Viewer]] = {}
        for viewer in self._positions:
            for number, point in self.replay.turning_points(viewer, self._next - 1):
                key = self._numbers.index(number), point.describe(self.replay.sentences)
                readers.setdefault(key, []).append(viewer)
        everyone = len(self._positions)
        return [key if len(those) == everyone else (*key, those) for key, those in sorted(readers.items())]

    def _list_disagreements(self) -> list[int]:
        """Return the frames at which the bots evaluate the game differently, if a viewer sees both evaluations."""
        if "arbiter" not in self._positions:
            return []
        return find_disagreements(self.replay, self._next - 1)  # the arbiter notices every act


def make_viewer_data(replay: Replay, viewers: Sequence[Viewer] = VIEWERS) -> dict[str, Any]:
    """Make the viewer data of a whole game for some viewers."""
    writer = ViewerDataWriter(replay, viewers)
    writer.add_frames(replay.last)
    fault = replay.fault(viewers[0])
    return writer.data() | {"fault": "" if fault is None else str(fault)}


def pack(data: Mapping[str, Any]) -> str:
    """Write viewer data for a page: JSON, compressed with zlib, in base85 with three other signs for those of HTML.

    What changes in most frames is taken out of them and becomes a column with a text for each frame, which takes less
    space, unless viewers see different texts.
    """
    frames = [frame if isinstance(frame, list) else [frame] for frame in data["frames"]]
    columns = {key: [_find_common(tables, key) for tables in frames] for key in _COLUMNS}
    for number, tables in enumerate(frames):
        taken = [key for key, texts in columns.items() if texts[number]]
        frames[number] = [{key: text for key, text in table.items() if key not in taken} for table in tables]
    packed = {**data, "frames": [tables if len(tables) > 1 else tables[0] for tables in frames], "columns": columns}
    return base64.b85encode(zlib.compress(msgspec.json.encode(packed), 9)).decode().translate(_NO_HTML)


def _find_common(tables: Sequence[Table], key: str) -> str:
    """Return the text that all tables have for a key; empty if they differ or have none."""
    text = tables[0].get(key, "")
    return text if all(table.get(key) == text for table in tables) else ""

"""The data of the viewer on the page of a game.

A frame is written as a flat table of short texts, and as the difference from the frame before.  If viewers see
different texts, the change has a list with one for each viewer, or None if nothing changes for that viewer.  The replay
decides what a frame shows, so the viewer needs no rules.
"""

import base64
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final, cast

import msgspec
from msgspec import UNSET, Struct

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
    is_visible,
    list_names,
    name_place,
    sees_secrets_of,
)
from arbiter.show.replay.moments import are_neighbours
from arbiter.show.replay.plain_text import shorten_stderr
from arbiter.show.replay.replay import Replay
from protocol.messages import Captured, ViewPiece
from protocol.view import UNKNOWN, hand_place
from protocol.words import BLUE, OPPONENT, RED, SEATS, Move, Place, RankId, Revealed, Seat

Table = dict[str, str]
Change = dict[str, str | Sequence[str | None]]
"""The texts that change, by their keys, and those of the act."""
UNSEEN: Final = "?"  # a piece of unknown rank
MOVED: Final = "'"  # a piece that has moved
RAN: Final = "~"  # a piece that has moved over several squares at once
KNOWN: Final = "*"  # a piece whose rank the opponent knows, if its owner's secrets are shown
_MOVES: Final = MOVED + RAN
CARRY: Final = ">"  # the key of a change: the piece moved
_CLOCK: Final = "clock"  # the column of the clock of the player that acted
_NO_HTML: Final = str.maketrans("<>&", ",.:")
_COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    initial: {CARRY: CARRY, "go": "go", _CLOCK: f"{_CLOCK}/{seat}"}
    for initial, seat in (("-", ""), ("r", RED), ("b", BLUE))
}
"""The keys that become columns, by the column and by the initial of the player that acted."""
_TENTHS_BELOW_MS: Final = 10.0
_COMPRESSION: Final = 7  # 9 takes twice as long for 1 % less
_Looks = Mapping[Place, Mapping[Seat, ViewPiece | None]]


class _Shown(Struct, frozen=True, gc=False):
    """A piece on a square, or a number of lost pieces; a text is empty if there is none."""

    seat: Seat
    own: str
    """The text for its owner."""
    seen: str
    """The text for the opponent of its owner."""


@cache
def _choose(own: str, seen: str, sees: tuple[bool, ...]) -> str | tuple[str, ...]:
    """Return the texts of several viewers; `sees` marks those that see the secrets of the owner."""
    texts = tuple(own if each else seen for each in sees)
    return texts[0] if len(set(texts)) == 1 else texts


def flatten_position(frame: Frame) -> Table:
    """Write what remains until it changes: pieces, losses, decks and clocks.

    The key of a piece is its square (`@a4`), of a card its place (`@red/line:0`).  The text is the initial of the
    owner, the rank, and marks if the opponent knows the rank, and if the piece has moved.
    """
    return _flatten_pieces(frame) | _flatten_clocks(frame.banks)


def _flatten_pieces(frame: Frame) -> Table:
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
        table.update(
            [
                _flatten_board_piece(piece, is_known=piece.place in known, has_run=piece.place in ran)
                for piece in view.pieces
            ]
        )
    return table | _flatten_losses(view.captured)


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
        **_write_thoughts(frame.notes, frame.evals),
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


def _write_thoughts(notes: Mapping[Seat, str], evals: Mapping[Seat, float]) -> Table:
    return {f"note/{seat}": note for seat, note in notes.items()} | {
        f"eval/{seat}": f"{value:g}" for seat, value in evals.items()
    }


def _flatten_thoughts(act: PlayedAct, viewer: Viewer) -> Table:
    return _write_thoughts(get_notes(act.entry, viewer), get_evaluation(act.entry, viewer))


@cache
def _flatten_piece(place: str, seat: Seat, rank: RankId | None, marks: str = "") -> tuple[str, str]:
    return f"@{place}", f"{seat[0]}{rank or UNSEEN}{marks}"


def _flatten_board_piece(piece: ViewPiece, *, is_known: bool, has_run: bool) -> tuple[str, str]:
    marks = KNOWN * is_known + (RAN if has_run else MOVED * piece.moved)
    return _flatten_piece(piece.place, piece.seat, piece.rank, marks)


def _merge(tables: Sequence[Table]) -> Change:
    """Merge the changes or texts of each viewer."""
    merged: Change = {}
    for key in sorted(set(chain.from_iterable(tables))):
        texts = [table.get(key) for table in tables]
        merged[key] = texts if any(text != texts[0] for text in texts) else tables[0][key]
    return merged


def carry(table: Table, move: str) -> Table:
    """Move the piece of a table."""
    src, _, dst = move.partition(" ")
    moved = table | {f"@{dst}": _mark_move(table[f"@{src}"], not are_neighbours(src, dst))}
    del moved[f"@{src}"]
    return moved


@cache
def _mark_move(text: str, runs: bool) -> str:
    return text and text.rstrip(_MOVES) + (RAN if runs or text[-1] == RAN else MOVED)


class ViewerDataWriter:
    """Makes the viewer data of a game frame by frame, as far as some viewers may see it.

    The data has one entry per frame in `frames` (its change), `seats` (initial of the player that acted), `plies`
    (plies since the frame before) and `ms` (thinking time).  Frames that no viewer can notice are left out.
    """

    def __init__(self, replay: Replay, viewers: Sequence[Viewer]) -> None:
        self.replay: Final = replay
        self._viewers = viewers
        self._sees = {seat: tuple(sees_secrets_of(viewer, seat) for viewer in viewers) for seat in SEATS}
        self._board: dict[str, _Shown] = {}  # pieces and losses
        self._lost: set[str] = set()  # keys of all losses so far
        self._cards: dict[Viewer, Table] = {viewer: {} for viewer in viewers}  # all but the clocks
        self._banks: Banks = {}
        self._clocks: Table = {}
        self._next = 0
        self._numbers: list[int] = []  # of the frames in the replay
        self._ply = 0
        self._frames: list[Change] = []
        self._seats = ""
        self._plies = ""
        self._ms: list[float | None] = []

    def add_frames(self, last: int) -> None:
        """Add the missing frames up to number `last`."""
        for number in range(self._next, last + 1):
            if self.replay.is_noticed(number, *self._viewers):
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
        if move is not None:
            self._frames.append(self._move_piece(move))
        elif self.replay.rules.board is UNSET:
            self._frames.append(self._change_cards(number))
        else:
            self._frames.append(self._change_board(number))

    def _move_piece(self, act: PlayedAct) -> Change:
        """Return the change by a plain move: most acts are such moves."""
        move = cast("Move", act.entry.action)
        self._carry(move.src, move.dst)
        change: Change = {CARRY: "1", **self._find_clock_changes(act.banks), "go": f"{move.src} {move.dst}"}
        if not act.entry.note and act.entry.eval is None:
            return change
        return change | _merge([_flatten_thoughts(act, viewer) for viewer in self._viewers])

    def _carry(self, src: Place, dst: Place) -> None:
        runs = not are_neighbours(src, dst)
        piece = self._board.pop(f"@{src}")
        self._board[f"@{dst}"] = _Shown(piece.seat, _mark_move(piece.own, runs), _mark_move(piece.seen, runs))

    def _find_clock_changes(self, banks: Banks) -> Table:
        """Return the clocks that differ from those of the frame before, which are the same for all viewers."""
        changed = [seat for seat, ms in banks.items() if ms != self._banks.get(seat)]
        texts = {f"{_CLOCK}/{seat}": write_clock(banks[seat]) for seat in changed}
        if not banks:
            texts = dict.fromkeys(self._clocks, "")
        self._banks = banks
        changes = {key: text for key, text in texts.items() if self._clocks.get(key) != text}
        self._clocks = self._clocks | changes if banks else {}
        return changes

    def _change_board(self, number: int) -> Change:
        """Return the change by any act, or the setup: only squares that the act names can change."""
        act = self.replay.act(number)
        if act is None:
            places = list(dict.fromkeys(chain(*[known.places for known in self.replay.wind_board(number).values()])))
            banks = self.replay.frame(number, self._viewers[0]).banks
        else:
            places = list(dict.fromkeys(chain.from_iterable(map(list_names, act.facts))))
            banks = act.banks
        before = {} if act is None else self._look(number - 1, places)
        after = self._look(number, places)
        texts = _merge(self._write_texts(number, before, after))
        found = self._flatten_board(number, after)
        change: Change = {}
        go = texts.get("go")
        src, _, dst = go.partition(" ") if isinstance(go, str) else ("", "", "")
        moved, arrived = self._board.get(f"@{src}"), found.get(f"@{dst}")
        if moved and arrived and moved.seat == arrived.seat and f"@{src}" not in found:
            self._carry(src, dst)
            change[CARRY] = "1"
        for key in sorted(self._lost.union(found, [f"@{place}" for place in places])):
            old, new = (
                "" if shown is None else _choose(shown.own, shown.seen, self._sees[shown.seat])
                for shown in (self._board.pop(key, None), found.get(key))
            )
            if old != new:
                change[key] = new
        self._board |= found
        return change | self._find_clock_changes(banks) | texts

    def _look(self, number: int, places: Iterable[Place]) -> _Looks:
        """Return the pieces on some squares at a frame, as both players know them."""
        known = self.replay.wind_board(number)
        return {place: {seat: known[seat].find_piece(place) for seat in SEATS} for place in places}

    def _flatten_board(self, number: int, looks: _Looks) -> dict[str, _Shown]:
        """Write these pieces and all losses."""
        found: dict[str, _Shown] = {}
        ran = self.replay.runner_places(number)
        for place, look in looks.items():
            for seat in SEATS:
                own, seen = (
                    piece if piece is not None and piece.seat == seat else None
                    for piece in (look[seat], look[OPPONENT[seat]])
                )
                if own or seen:
                    is_known = seen is not None and seen.rank is not None
                    found[f"@{place}"] = _Shown(
                        seat,
                        _flatten_board_piece(own, is_known=is_known, has_run=place in ran)[1] if own else "",
                        _flatten_board_piece(seen, is_known=False, has_run=place in ran)[1] if seen else "",
                    )
        lost = {seat: known.captured for seat, known in self.replay.wind_board(number).items()}
        for seat in SEATS:
            own_losses, seen_losses = (_flatten_losses({seat: lost[one][seat]}) for one in (seat, OPPONENT[seat]))
            for key in own_losses | seen_losses:
                found[key] = _Shown(seat, own_losses.get(key, ""), seen_losses.get(key, ""))
                self._lost.add(key)
        return found

    def _write_texts(self, number: int, before: _Looks, after: _Looks) -> list[Table]:
        """Write the act of a frame on a board for each viewer."""
        act = self.replay.board_act(number)
        if act is None:
            return [flatten_act(self.replay.frame(number, viewer)) for viewer in self._viewers]
        tables = []
        is_public = all(len(one.to) == len(SEATS) for one in act.facts)
        public = tuple(one.fact for one in act.facts)
        told: Any = None  # the facts and ranks of the story for those who do not play, and this story
        for viewer in self._viewers:
            facts = public if is_public else tuple(one.fact for one in act.facts if is_visible(viewer, one))
            ranks = {
                (piece.seat, place): piece.rank
                for looks in (after, before)
                for place, look in looks.items()
                for player, piece in look.items()
                if piece is not None and sees_secrets_of(viewer, piece.seat) == (piece.seat == player)
            } | {(fact.seat, fact.place): fact.rank for fact in facts if isinstance(fact, Revealed)}
            if told is not None and viewer not in SEATS and told[0] == (facts, ranks):
                story = told[1]
            else:
                story = describe_act(facts, ranks, viewer, self.replay.sentences)
                told = told if viewer in SEATS else ((facts, ranks), story)
            texts = {
                **_flatten_move(find_marks(facts), write_visible_action(act.entry, viewer), story),
                "end": "\n".join(self.replay.ending(number, viewer)),
                **_flatten_thoughts(act, viewer),
            }
            tables.append({key: text for key, text in texts.items() if text})
        return tables

    def _change_cards(self, number: int) -> Change:
        """Return the change from the frame before in a card game."""
        frames = [self.replay.frame(number, viewer) for viewer in self._viewers]
        changes: list[Table] = []
        for viewer, frame in zip(self._viewers, frames, strict=True):
            before, after = self._cards[viewer], _flatten_pieces(frame)
            found = dict.fromkeys(before, "") | after
            change = {key: text for key, text in found.items() if before.get(key) != text}
            changes.append(change | flatten_act(frame))
            self._cards[viewer] = after
        return _merge(changes) | self._find_clock_changes(frames[0].banks)

    def latest_table(self) -> Table:
        """Return the position after the last frame as the first viewer sees it, with its act."""
        pieces = {
            key: shown.own if self._sees[shown.seat][0] else shown.seen for key, shown in self._board.items()
        } or self._cards[self._viewers[0]]
        table = {key: text for key, text in pieces.items() if text} | self._clocks
        texts = {key: self._frames[-1].get(key) for key in ("go", "attack", "act")}
        acted = {key: text if text is None or isinstance(text, str) else text[0] for key, text in texts.items()}
        return table | {key: text for key, text in acted.items() if text}

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
            "viewers": list(self._viewers),
            "frames": list(self._frames),
            "fault": "",
            "story": self._list_story(),
            "disagreements": self._list_disagreements(),
        }

    def _list_story(self) -> list[tuple[int, str] | tuple[int, str, list[Viewer]]]:
        """Return the turning points: the frame, a sentence and, unless these are all, the viewers that may read it."""
        readers: dict[tuple[int, str], list[Viewer]] = {}
        for viewer in self._viewers:
            for number, point in self.replay.turning_points(viewer, self._next - 1):
                key = self._numbers.index(number), point.describe(self.replay.sentences)
                readers.setdefault(key, []).append(viewer)
        everyone = len(self._viewers)
        return [key if len(those) == everyone else (*key, those) for key, those in sorted(readers.items())]

    def _list_disagreements(self) -> list[int]:
        """Return the frames at which the bots evaluate the game differently, if a viewer sees both evaluations."""
        if "arbiter" not in self._viewers:
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
    space.
    """
    frames: list[Change] = []
    columns: dict[str, list[str]] = {column: [] for column in _COLUMNS["-"]}
    for initial, frame in zip(data["seats"], data["frames"], strict=True):
        left = dict(frame)
        for column, key in _COLUMNS[initial].items():
            text = frame.get(key)
            columns[column].append(text if isinstance(text, str) else "")
            if columns[column][-1]:
                del left[key]
        frames.append(left)
    packed = msgspec.json.encode({**data, "frames": frames, "columns": columns})
    return base64.b85encode(zlib.compress(packed, _COMPRESSION)).decode().translate(_NO_HTML)

"""The data of the viewer on the page of a game.

A frame is written as a flat table of short texts, and as the difference from the frame before.  If viewers see
different texts, the change has a list with one for each viewer, or None if nothing changes for that viewer.  The replay
decides what a frame shows, so the viewer needs no rules.
"""

from collections.abc import Collection, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final, cast

from msgspec import UNSET, Struct

from arbiter.clock import write_clock
from arbiter.games.ranks import RANKS, Trait
from arbiter.show.boards import write_rank
from arbiter.show.replay.disagreements import find_disagreements
from arbiter.show.replay.frame import describe_act, find_marks, write_visible_action
from arbiter.show.replay.knowledge import (
    VIEWERS,
    Banks,
    PlayedAct,
    Viewer,
    is_visible,
    list_names,
    sees_secrets_of,
)
from arbiter.show.replay.moments import are_neighbours
from arbiter.show.replay.replay import Replay
from arbiter.show.report.flat_frames import (
    Change,
    Table,
    flatten_act,
    flatten_board_piece,
    flatten_losses,
    flatten_move,
    flatten_pieces,
    flatten_thoughts,
    mark_move,
    merge,
)
from protocol.messages import ViewPiece
from protocol.words import OPPONENT, SEATS, Move, Place, Placed, RankId, Removed, Revealed, Seat

CARRY: Final = ">"  # the key of a change: the piece moved
CLOCK: Final = "clock"
_TENTHS_BELOW_MS: Final = 10.0
_Piece = tuple[Seat, Place]
_Looks = dict[_Piece, tuple[ViewPiece | None, ViewPiece | None]]
"""Pieces as their owner knows them, and as the opponent does."""
_CHANGE_LOSSES: Final = (Removed, Placed, Revealed)  # a rescued piece may be revealed


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
        ply, ms = (0, None) if act is None else (act.ply, act.entry.ms)
        self._seats += "-" if act is None else act.entry.seat[0]
        self._plies += str(ply - self._ply)
        self._ply = ply
        self._ms.append(None if ms is None else round(ms) if ms >= _TENTHS_BELOW_MS else round(ms, 1))
        if act is not None and self.replay.is_plain_move(number):
            self._frames.append(self._move_piece(act))
        elif self.replay.rules.board is UNSET:
            self._frames.append(self._change_cards(number))
        else:
            self._frames.append(self._change_board(number))

    def _move_piece(self, act: PlayedAct) -> Change:
        """Return the change by a plain move: most acts are such moves."""
        entry = act.entry
        move = cast("Move", entry.action)
        self._carry(move.src, move.dst)
        change: Change = {CARRY: "1", **self._find_clock_changes(act.banks), "go": f"{move.src} {move.dst}"}
        if not entry.note and entry.eval is None:
            return change
        return change | merge([flatten_thoughts(act, viewer) for viewer in self._viewers])

    def _carry(self, src: Place, dst: Place) -> None:
        runs = not are_neighbours(src, dst)
        piece = self._board.pop(f"@{src}")
        self._board[f"@{dst}"] = _Shown(piece.seat, mark_move(piece.own, runs), mark_move(piece.seen, runs))

    def _find_clock_changes(self, banks: Banks) -> Table:
        """Return the clocks that differ from those of the frame before, which are the same for all viewers."""
        changes: Table = {}
        for seat, ms in banks.items():
            if ms != self._banks.get(seat):
                key, text = f"{CLOCK}/{seat}", write_clock(ms)
                if self._clocks.get(key) != text:
                    self._clocks[key] = changes[key] = text
        if not banks:
            changes = dict.fromkeys(self._clocks, "")
            self._clocks = {}
        self._banks = banks
        return changes

    def _change_board(self, number: int) -> Change:
        """Return the change by any act, or the setup: only squares that the act names can change."""
        act = self.replay.act(number)
        if act is None:
            places = dict.fromkeys(chain(*[known.places for known in self.replay.wind_board(number).values()]))
            banks = self.replay.frame(number, self._viewers[0]).banks
        else:
            places = dict.fromkeys(chain.from_iterable(map(list_names, act.facts)))
            banks = act.banks
        before = {} if act is None else self._look(number - 1, places)
        after = self._look(number, places)
        texts = merge(self._write_texts(number, before, after))
        found = self._write_pieces(number, after)
        keys = [f"@{place}" for place in places]
        if act is None or any(isinstance(one.fact, _CHANGE_LOSSES) for one in act.facts):
            found |= self._write_losses(number)
            keys.extend([key for key in self._lost if self._board.get(key) != found.get(key)])
        change: Change = {}
        go = texts.get("go")
        src, _, dst = go.partition(" ") if isinstance(go, str) else ("", "", "")
        moved, arrived = self._board.get(f"@{src}"), found.get(f"@{dst}")
        if moved and arrived and moved.seat == arrived.seat and f"@{src}" not in found:
            self._carry(src, dst)
            change[CARRY] = "1"
        for key in sorted(keys):
            old, new = (
                "" if shown is None else _choose(shown.own, shown.seen, self._sees[shown.seat])
                for shown in (self._board.pop(key, None), found.get(key))
            )
            if old != new:
                change[key] = new
        self._board |= found
        return change | self._find_clock_changes(banks) | texts

    def _look(self, number: int, places: Collection[Place]) -> _Looks:
        """Return the pieces on some squares at a frame."""
        known = self.replay.wind_board(number)
        found: _Looks = {}
        for place in places:
            for seat in SEATS:
                own, seen = known[seat].find_piece(place), known[OPPONENT[seat]].find_piece(place)
                if own is not None and own.seat != seat:
                    own = None
                if seen is not None and seen.seat != seat:
                    seen = None
                if own or seen:
                    found[seat, place] = own, seen
        return found

    def _write_pieces(self, number: int, looks: _Looks) -> dict[str, _Shown]:
        found: dict[str, _Shown] = {}
        ran = self.replay.runner_places(number)
        for (seat, place), (own, seen) in looks.items():
            is_known = seen is not None and seen.rank is not None
            found[f"@{place}"] = _Shown(
                seat,
                flatten_board_piece(own, is_known=is_known, has_run=place in ran)[1] if own else "",
                flatten_board_piece(seen, is_known=False, has_run=place in ran)[1] if seen else "",
            )
        return found

    def _write_losses(self, number: int) -> dict[str, _Shown]:
        found: dict[str, _Shown] = {}
        lost = {seat: known.captured for seat, known in self.replay.wind_board(number).items()}
        for seat in SEATS:
            own, seen = (flatten_losses({seat: lost[one][seat]}) for one in (seat, OPPONENT[seat]))
            for key in own | seen:
                found[key] = _Shown(seat, own.get(key, ""), seen.get(key, ""))
        self._lost.update(found)
        return found

    def _write_texts(self, number: int, before: _Looks, after: _Looks) -> list[Table]:
        """Write the act of a frame on a board for each viewer."""
        act = self.replay.board_act(number)
        if act is None:
            return [flatten_act(self.replay.frame(number, viewer), self.replay.sentences) for viewer in self._viewers]
        tables = []
        actions = [write_visible_action(act.entry, viewer) for viewer in (act.entry.seat, OPPONENT[act.entry.seat])]
        told: Any = None  # the facts and ranks of the story for those who do not play, and this story
        for viewer in self._viewers:
            facts = tuple([one.fact for one in act.facts if len(one.to) == len(SEATS) or is_visible(viewer, one)])
            ranks: dict[_Piece, RankId | None] = {}
            for looks in (after, before):
                for key, (own, seen) in looks.items():
                    piece = own if sees_secrets_of(viewer, key[0]) else seen
                    if piece is not None:
                        ranks[key] = piece.rank
            for fact in facts:
                if isinstance(fact, Revealed):
                    ranks[fact.seat, fact.place] = fact.rank
            if told is not None and viewer not in SEATS and told[0] == (facts, ranks):
                story = told[1]
            else:
                story = describe_act(facts, ranks, viewer, self.replay.sentences)
                told = told if viewer in SEATS else ((facts, ranks), story)
            action = actions[0 if sees_secrets_of(viewer, act.entry.seat) else 1]
            texts = flatten_move(find_marks(facts), action, story) | flatten_thoughts(act, viewer)
            if ending := self.replay.ending(number, viewer):
                texts["end"] = "\n".join(ending)
            tables.append({key: text for key, text in texts.items() if text})
        return tables

    def _change_cards(self, number: int) -> Change:
        """Return the change from the frame before in a card game."""
        frames = [self.replay.frame(number, viewer) for viewer in self._viewers]
        changes: list[Table] = []
        for viewer, frame in zip(self._viewers, frames, strict=True):
            before, after = self._cards[viewer], flatten_pieces(frame)
            found = dict.fromkeys(before, "") | after
            change = {key: text for key, text in found.items() if before.get(key) != text}
            changes.append(change | flatten_act(frame, self.replay.sentences))
            self._cards[viewer] = after
        return merge(changes) | self._find_clock_changes(frames[0].banks)

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

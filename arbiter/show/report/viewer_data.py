"""The data of the viewer on the page of a game.

A frame is written as a flat table of short texts, and as the difference from the frame before.  If viewers see
different texts, the change has a list with one for each viewer: None if nothing changes for that viewer, and 0 if its
text is that of the first one.  The replay decides what a frame shows, so the viewer needs no rules.  What changes in
most frames is in columns, which take less time and space.
"""

from collections.abc import Collection, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final, cast

from msgspec import UNSET, Struct

from arbiter.clock import MS_OF_HOUR, write_clock
from arbiter.games.ranks import RANKS, Trait
from arbiter.show.boards import write_rank
from arbiter.show.replay.disagreements import find_disagreements
from arbiter.show.replay.frame import describe_act, find_marks, write_visible_action
from arbiter.show.replay.knowledge import (
    VIEWERS,
    Banks,
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
    Texts,
    flatten_act,
    flatten_board_piece,
    flatten_losses,
    flatten_move,
    flatten_pieces,
    flatten_position,
    flatten_thoughts,
    join_texts,
    mark_move,
    merge,
)
from protocol.messages import ViewPiece
from protocol.words import OPPONENT, RED, SEATS, AnyFact, Move, Place, Placed, RankId, Removed, Revealed, Seat

_TENTHS_BELOW_MS: Final = 10.0
_MS_OF_TENTH: Final = 100
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


_NOTHING: Final = _Shown(RED, "", "")


@cache
def _choose(own: str, seen: str, sees: tuple[bool, ...]) -> str | Texts:
    """Return the texts of several viewers; `sees` marks those that see the secrets of the owner."""
    return join_texts(tuple(own if each else seen for each in sees))


@cache
def _shorten_move(src: Place, dst: Place) -> str:
    """Write a move from one square to another as a word."""
    if not are_neighbours(src, dst):
        return f"{src}{dst}"
    if src[0] == dst[0]:
        return f"{src}{'u' if int(dst[1:]) > int(src[1:]) else 'd'}"
    return f"{src}{'r' if dst[0] > src[0] else 'l'}"


class ViewerDataWriter:
    """Makes the viewer data of a game frame by frame, as far as some viewers may see it.

    The data has one entry per frame in `frames` (its change, without what is in columns) and in the columns: `seats`
    (initial of the player that acted), `plies` (plies since the frame before), `ms` (thinking time), `moves` and
    `clocks`.  `moves` has a word, empty if no piece is carried from one square to another: the square and the direction
    (`e4u`), or both squares of a run (`e4e8`).  `clocks` has by how many tenths of a second the clock of the player
    that acted is behind its last one in the column, at first 0; it is 0 if the clock is still the same, or shows an
    hour and more.  Frames that no viewer can notice are left out.
    """

    def __init__(self, replay: Replay, viewers: Sequence[Viewer]) -> None:
        self.replay: Final = replay
        self._viewers = viewers
        self._sees = {seat: tuple(sees_secrets_of(viewer, seat) for viewer in viewers) for seat in SEATS}
        self._losses: dict[str, _Shown] = {}
        self._cards: dict[Viewer, Table] = {viewer: {} for viewer in viewers}  # all but the clocks
        self._clocks: dict[Seat, int | str] = {}  # tenths of a second; from an hour on, a text
        self._tenths = dict.fromkeys(SEATS, 0)  # the last clocks in the column
        self._next = 0
        self._numbers: list[int] = []  # of the frames in the replay
        self._ply = 0
        self._frames: list[Change] = []
        self._moves: list[str] = []
        self._behind: list[int] = []
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
        seat, ply, ms = (None, 0, None) if act is None else (act.entry.seat, act.ply, act.entry.ms)
        self._seats += seat[0] if seat else "-"
        self._plies += str(ply - self._ply)
        self._ply = ply
        self._ms.append(None if ms is None else round(ms) if ms >= _TENTHS_BELOW_MS else round(ms, 1))
        word = ""
        if act is not None and self.replay.is_plain_move(number):
            move = cast("Move", act.entry.action)
            word = _shorten_move(move.src, move.dst)
            change: Change = {}
            if act.entry.note or act.entry.eval is not None:  # few acts
                change = merge([flatten_thoughts(act, viewer) for viewer in self._viewers])
        elif self.replay.rules.board is UNSET:
            change = self._change_cards(number)
        else:
            word, change = self._change_board(number)
        self._moves.append(word)
        behind, clocks = self._change_clocks(seat, self.replay.banks(number))
        self._behind.append(behind)
        self._frames.append(change | clocks if clocks else change)

    def _change_clocks(self, seat: Seat | None, banks: Banks) -> tuple[int, Table]:
        """Return by how much the clock of a seat is behind, and the other changes: clocks that the column cannot show.

        All viewers see the same clocks.
        """
        behind = 0
        others: Table = {}
        for one, ms in banks.items():
            clock = int(ms) // _MS_OF_TENTH if ms < MS_OF_HOUR else write_clock(ms)
            if clock == self._clocks.get(one):
                continue
            self._clocks[one] = clock
            if one == seat and isinstance(clock, int) and clock != self._tenths[one]:
                behind = self._tenths[one] - clock
                self._tenths[one] = clock
            else:
                others[f"clock/{one}"] = write_clock(ms)
        if not banks and self._clocks:
            others = {f"clock/{one}": "" for one in self._clocks}
            self._clocks = {}
        return behind, others

    def _change_board(self, number: int) -> tuple[str, Change]:
        """Return the word of the column `moves`, and the change by any act or the setup.

        Only squares that the act names can change.
        """
        act = self.replay.act(number)
        if act is None:
            places = dict.fromkeys(chain(*[known.places for known in self.replay.wind_board(number).values()]))
        else:
            places = dict.fromkeys(chain.from_iterable(map(list_names, act.facts)))
        looks_before = {} if act is None else self._look(number - 1, places)
        before = self._write_pieces(number - 1, looks_before)
        looks = self._look(number, places)
        after = self._write_pieces(number, looks)
        texts = merge(self._write_texts(number, looks_before, looks))
        if act is None or any(isinstance(one.fact, _CHANGE_LOSSES) for one in act.facts):
            before |= self._losses
            self._losses = self._write_losses(number)
            after |= self._losses
        word = self._carry(texts.get("go"), before, after)
        if word:
            del texts["go"]
        change: Change = {}
        for key in sorted(before.keys() | after.keys()):
            old, new = (
                _choose(shown.own, shown.seen, self._sees[shown.seat])
                for shown in (before.get(key, _NOTHING), after.get(key, _NOTHING))
            )
            if old != new:
                change[key] = new
        return word, change | texts

    def _carry(self, go: object, before: dict[str, _Shown], after: dict[str, _Shown]) -> str:
        """Carry a piece before an act to the square where it is after it; return the word of the move, empty if none.

        `go` are both squares if all viewers see them.
        """
        src, _, dst = go.partition(" ") if isinstance(go, str) else ("", "", "")
        moved, arrived = before.get(f"@{src}"), after.get(f"@{dst}")
        if moved is None or arrived is None or moved.seat != arrived.seat or f"@{src}" in after:
            return ""
        runs = not are_neighbours(src, dst)
        del before[f"@{src}"]
        before[f"@{dst}"] = _Shown(moved.seat, mark_move(moved.own, runs), mark_move(moved.seen, runs))
        return _shorten_move(src, dst)

    def _look(self, number: int, places: Collection[Place]) -> _Looks:
        """Return the pieces on some squares at a frame."""
        known = self.replay.wind_board(number)
        red, blue = (known[seat] for seat in SEATS)
        found: _Looks = {}
        for place in places:
            of_red, of_blue = red.find_piece(place), blue.find_piece(place)
            for seat in SEATS:
                own, seen = (of_red, of_blue) if seat == RED else (of_blue, of_red)
                looks = (own if own and own.seat == seat else None, seen if seen and seen.seat == seat else None)
                if any(looks):
                    found[seat, place] = looks
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
        return found

    def _write_texts(self, number: int, before: _Looks, after: _Looks) -> list[Table]:
        """Write the act of a frame on a board for each viewer."""
        act = self.replay.board_act(number)
        if act is None:
            return [flatten_act(self.replay.frame(number, viewer), self.replay.sentences) for viewer in self._viewers]
        tables = []
        entry = act.entry
        actions = [write_visible_action(entry, viewer) for viewer in (entry.seat, OPPONENT[entry.seat])]
        # By the player that reads it, or None: the facts and ranks of a story, and the story.
        told: dict[Viewer | None, Any] = {}
        for at, viewer in enumerate(self._viewers):
            facts = tuple([one.fact for one in act.facts if one.to == SEATS or is_visible(viewer, one)])
            ranks = self._find_ranks(at, facts, before, after)
            reader = viewer if viewer in SEATS else None
            if reader not in told or told[reader][0] != (facts, ranks):
                told[reader] = (facts, ranks), describe_act(facts, ranks, viewer, self.replay.sentences)
            action = actions[0 if self._sees[entry.seat][at] else 1]
            texts = flatten_move(find_marks(facts), action, told[reader][1]) | flatten_thoughts(act, viewer)
            if ending := self.replay.ending(number, viewer):
                texts["end"] = "\n".join(ending)
            tables.append({key: text for key, text in texts.items() if text})
        return tables

    def _find_ranks(
        self, at: int, facts: Sequence[AnyFact], before: _Looks, after: _Looks
    ) -> dict[_Piece, RankId | None]:
        """Return the ranks that one of the viewers knows of the pieces that an act names."""
        ranks: dict[_Piece, RankId | None] = {}
        for looks in (after, before):
            for key, (own, seen) in looks.items():
                piece = own if self._sees[key[0]][at] else seen
                if piece is not None:
                    ranks[key] = piece.rank
        for fact in facts:
            if type(fact) is Revealed:
                ranks[fact.seat, fact.place] = fact.rank
        return ranks

    def _change_cards(self, number: int) -> Change:
        """Return the change from the frame before in a card game, without the clocks."""
        frames = [self.replay.frame(number, viewer) for viewer in self._viewers]
        changes: list[Table] = []
        for viewer, frame in zip(self._viewers, frames, strict=True):
            before = self._cards[viewer]
            after = flatten_pieces(frame)
            found = dict.fromkeys(before, "") | after
            change = {key: text for key, text in found.items() if before.get(key) != text}
            changes.append(change | flatten_act(frame, self.replay.sentences))
            self._cards[viewer] = after
        return merge(changes)

    def latest_table(self) -> Table:
        """Return the position after the last frame as the first viewer sees it, with its act."""
        frame = self.replay.frame(self._numbers[-1], self._viewers[0])
        act = flatten_act(frame, self.replay.sentences)
        return flatten_position(frame) | {key: act[key] for key in ("go", "attack", "act") if key in act}

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
            "moves": list(self._moves),
            "clocks": list(self._behind),
            "fault": "",
            "story": self._list_story(),
            # For viewers of both evaluations; the arbiter notices every act.
            "disagreements": find_disagreements(self.replay, self._next - 1) if "arbiter" in self._viewers else [],
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


def make_viewer_data(replay: Replay, viewers: Sequence[Viewer] = VIEWERS) -> dict[str, Any]:
    """Make the viewer data of a whole game for some viewers."""
    writer = ViewerDataWriter(replay, viewers)
    writer.add_frames(replay.last)
    fault = replay.fault(viewers[0])
    return writer.data() | {"fault": "" if fault is None else str(fault)}

"""A game as the viewer of its page shows it: each seat's frames as flat tables of short texts, written as differences.

What a frame shows is decided by the reel; here it is only written down, so the viewer needs no rule of any game.
"""

import base64
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import UNSET

from arbiter.show.boards import write_rank
from arbiter.show.cards import CardTable, list_cards
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import View, Viewer
from arbiter.show.replay.replay import Replay
from protocol.card_view import hand_place
from protocol.messages import Rules
from protocol.view import UNKNOWN
from protocol.words import SEATS, RankId, Seat

Flat = dict[str, str]
UNSEEN: Final = "?"  # for a piece whose rank is not known
MOVED: Final = "'"
CARRY: Final = ">"
ALL_SEATS: Final[tuple[Viewer, ...]] = ("arbiter", *SEATS)  # who may watch a game that is over
_PACKING: Final = 9
_S: Final = 1000.0
_SHORT_S: Final = 20.0  # below it tenths are told


def flatten(frame: Frame) -> Flat:
    """Write what a frame shows as a table of texts: what stands, and what is told of the last act."""
    return {**standing(frame), **told(frame)}


def standing(frame: Frame) -> Flat:
    """Write what stays until it changes: pieces, losses, decks and clocks.

    `@a4` is the piece on a square, `@red/line:0` a card: its owner's initial, its rank, a mark where it has moved.
    """
    clocks = {f"clock/{seat}": _clock(ms / _S) for seat, ms in frame.banks.items()}
    return {**_table(frame.view), **_lost(frame.view.captured), **clocks}


def told(frame: Frame) -> Flat:
    """Write what is told of a frame's act, and with the last how the game ended; `act` where it is more than a way."""
    way = f"{frame.marks.src or ''} {frame.marks.dst or ''}".rstrip()
    texts = {
        "go": way,
        "attack": "1" if frame.marks.attack else "",
        "act": "" if frame.action == way.replace(" ", "-") else frame.action,
        "story": "\n".join(frame.story),
        "end": "\n".join(frame.ending),
        **{f"note/{seat}": note for seat, note in frame.notes.items()},
    }
    return {key: text for key, text in texts.items() if text}


def _clock(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < _SHORT_S else f"{seconds:.0f}"


def _table(view: View) -> Flat:
    if isinstance(view, CardTable):
        return {**_cards(view), **{f"deck/{seat}": str(count) for seat, count in view.deck_counts.items()}}
    return dict(_piece(piece.place, piece.seat, piece.rank, piece.moved) for piece in view.pieces)


def _cards(table: CardTable) -> Flat:
    """Write both lines and both hands; of a hand that is not seen the backs of its cards."""
    backs = (
        _piece(f"{seat}/{hand_place(number)}", seat, None)
        for seat, count in table.hand_counts.items()
        for number in range(count)
    )
    return dict(backs) | dict(_piece(f"{card.seat}/{card.place}", card.seat, card.rank) for card in list_cards(table))


@cache
def _piece(place: str, seat: Seat, rank: RankId | None, moved: bool = False) -> tuple[str, str]:  # noqa: FBT002
    return f"@{place}", f"{seat[0]}{rank or UNSEEN}{MOVED * moved}"


def _lost(captured: Mapping[Seat, Mapping[str, int]]) -> Flat:
    return {
        f"lost/{seat}/{UNSEEN if rank == UNKNOWN else rank}": str(count)
        for seat, lost in captured.items()
        for rank, count in lost.items()
    }


def difference(before: Flat, after: Flat, way: str = "") -> Flat:
    """Tell what changes from what stood to what stands; an empty text takes an entry away.

    CARRY stands for the commonest of changes: the piece went the way, whatever its watcher knows of it.
    """
    if _went(before, after, way):
        return {CARRY: "1", **_changes(carry(before, way), after)}
    return _changes(before, after)


def _went(before: Flat, after: Flat, way: str) -> bool:
    src, _, dst = (f"@{place}" for place in way.partition(" "))
    return src in before and src not in after and after.get(dst, "")[:1] == before[src][:1]


def carry(table: Flat, way: str) -> Flat:
    """Move the piece of a table along a way."""
    src, _, dst = (f"@{place}" for place in way.partition(" "))
    moved = dict(table)
    moved[dst] = moved.pop(src).rstrip(MOVED) + MOVED
    return moved


def _changes(before: Flat, after: Flat) -> Flat:
    return dict.fromkeys(sorted(before.keys() - after.keys()), "") | dict(sorted(after.items() - before.items()))


def viewer_data(reel: Replay) -> dict[str, Any]:
    """Make all that the viewer is given of a game that is over."""
    filming = ViewerDataWriter(reel, ALL_SEATS)
    filming.shoot(reel.last)
    fault = reel.fault(ALL_SEATS[0])
    return filming.so_far() | {"fault": "" if fault is None else str(fault)}


class ViewerDataWriter:
    """Makes what the viewer is given of a game, frame by frame, as far as these viewers may see it.

    In the film, `seats` and `plies` hold a sign a frame: who acted, and how many plies it came after the frame
    before; `ms` what it was charged.  `frames` holds what changes: for each of the viewers, or once where it is the
    same for all.  What none of them notices is no frame.
    """

    def __init__(self, reel: Replay, viewers: Sequence[Viewer]) -> None:
        self._reel = reel
        self._stood: dict[Viewer, Flat] = {viewer: {} for viewer in viewers}
        self._looked_at = 0
        self._plies = 0
        self._frames: list[Flat | list[Flat]] = []
        self._ms: list[float | None] = []
        self._film: dict[str, Any] = {
            "layout": _layout(reel.rules),
            "ranks": {
                rank.id: {"sign": write_rank(rank.id), **{seat: reel.labels[seat][rank.id] for seat in SEATS}}
                for rank in reel.rules.ranks
            },
            "seats": "",
            "plies": "",
            "ms": self._ms,
            "viewers": list(viewers),
            "frames": self._frames,
            "fault": "",
        }

    def shoot(self, last: int) -> None:
        """Add the frames that are missing up to the last one wanted."""
        for number in range(self._looked_at, last + 1):
            if any(self._reel.is_noticed(number, viewer) for viewer in self._stood):
                self._add(number)
        self._looked_at = max(self._looked_at, last + 1)

    def _add(self, number: int) -> None:
        act, plies = self._reel.act(number), self._reel.ply(number)
        self._film["seats"] += act.entry.seat[0] if act else "-"
        self._film["plies"] += str(plies - self._plies)
        self._plies = plies
        self._ms.append(None if act is None or act.entry.ms is None else _brief(act.entry.ms))
        self._frames.append(self._frame(number))

    def so_far(self) -> dict[str, Any]:
        """Return the film as it is now; what is shot later is not in it."""
        return self._film | {"ms": list(self._ms), "frames": list(self._frames)}

    def _frame(self, number: int) -> Flat | list[Flat]:
        changes = [self._change(self._reel.frame(number, viewer), viewer) for viewer in self._stood]
        return changes[0] if all(change == changes[0] for change in changes) else changes

    def _change(self, frame: Frame, viewer: Viewer) -> Flat:
        stood, stands, news = self._stood[viewer], standing(frame), told(frame)
        self._stood[viewer] = stands
        return difference(stood, stands, news.get("go", "")) | news


def _brief(ms: float) -> float:
    return round(ms) if ms >= 10 else round(ms, 1)  # noqa: PLR2004 - two digits tell enough


def _layout(rules: Rules) -> dict[str, Any]:
    if rules.board is not UNSET:
        return {"files": rules.board.files, "rows": rules.board.rows, "lakes": rules.board.lakes}
    return {"slots": rules.line}


def packed(shown: Mapping[str, Any]) -> str:
    """Write what the viewer is given as base64 of a zlib stream of JSON: letters that a page can hold as they are."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(shown), _PACKING)).decode()

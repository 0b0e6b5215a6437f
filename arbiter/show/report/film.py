"""A game as the viewer of its page shows it: each seat's frames as flat tables of short texts, written as differences.

What a frame shows is decided by the reel; here it is only written down, so the viewer needs no rule of any game.
"""

import base64
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET

from arbiter.record import Record
from arbiter.show.boards import Marks, sign
from arbiter.show.cards import CardTable, cards_of
from arbiter.show.frame import Frame
from arbiter.show.names import DEFAULT_LANGUAGE
from arbiter.show.reel import Reel
from arbiter.show.sight import VIEWERS, View, Viewer
from protocol.card_view import hand_place
from protocol.messages import Rules
from protocol.view import UNKNOWN
from protocol.words import SEATS, RankId, Seat

Flat = dict[str, str]
UNSEEN: Final = "?"  # for a piece whose rank is not known
MOVED: Final = "'"
CARRY: Final = ">"
BOTH: Final[Viewer] = "arbiter"
_PACKING: Final = 9
_S: Final = 1000.0
_SHORT_S: Final = 20.0  # below it tenths are told
_LASTING: Final = ("@", "lost/", "deck/", "clock/")  # what stays from frame to frame; all else is told of one only


def flatten(frame: Frame) -> Flat:
    """Write what a frame shows as a table of texts: pieces, losses, decks, the last act and what is told of it.

    `@a4` is the piece on a square, `@red/line:0` a card: its owner's initial, its rank, a mark where it has moved.
    """
    told = {
        "go": _way(frame.marks),
        "attack": "1" if frame.marks.attack else "",
        "act": "" if frame.action == _way(frame.marks).replace(" ", "-") else frame.action,
        "story": "\n".join(frame.story),
        "end": "\n".join(frame.ending),
        **{f"note/{seat}": note for seat, note in frame.notes.items()},
        **{f"clock/{seat}": _clock(ms / _S) for seat, ms in frame.banks.items()},
    }
    return {key: text for key, text in {**_table(frame.view), **told}.items() if text}


def _clock(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < _SHORT_S else f"{seconds:.0f}"


def _way(marks: Marks) -> str:
    return f"{marks.src or ''} {marks.dst or ''}".rstrip()


def _table(view: View) -> Flat:
    if isinstance(view, CardTable):
        decks = {f"deck/{seat}": str(count) for seat, count in view.deck_counts.items()}
        return {**_cards(view), **_lost(view.captured), **decks}
    pieces = {f"@{piece.place}": _piece(piece.seat, piece.rank, moved=piece.moved) for piece in view.pieces}
    return {**pieces, **_lost(view.captured)}


def _cards(table: CardTable) -> Flat:
    """Write both lines and both hands; of a hand that is not seen the backs of its cards."""
    backs = {
        f"@{seat}/{hand_place(number)}": _piece(seat, None)
        for seat, count in table.hand_counts.items()
        for number in range(count)
    }
    return backs | {f"@{card.seat}/{card.place}": _piece(card.seat, card.rank) for card in cards_of(table)}


def _piece(seat: Seat, rank: RankId | None, *, moved: bool = False) -> str:
    return f"{seat[0]}{rank or UNSEEN}{MOVED * moved}"


def _lost(captured: Mapping[Seat, Mapping[str, int]]) -> Flat:
    return {
        f"lost/{seat}/{UNSEEN if rank == UNKNOWN else rank}": str(count)
        for seat, lost in captured.items()
        for rank, count in lost.items()
    }


def difference(before: Flat, after: Flat) -> Flat:
    """Tell what changes from one table to the next; an empty text takes a lasting entry away.

    CARRY stands for the commonest of changes: the piece goes along, whatever its watcher knows of it.
    """
    before = lasting(before)
    carried = carry(before, after.get("go", ""))
    if carried is not None and _distance(carried, after) < _distance(before, after):
        return {CARRY: "1", **_plain_difference(carried, after)}
    return _plain_difference(before, after)


def lasting(table: Flat) -> Flat:
    """Keep what a table passes on to the next."""
    return {key: text for key, text in table.items() if key.startswith(_LASTING)}


def carry(table: Flat, way: str) -> Flat | None:
    """Move the piece of a table along a way; None where none stands there."""
    src, _, dst = way.partition(" ")
    piece = table.get(f"@{src}")
    if piece is None or not dst:
        return None
    return {key: text for key, text in table.items() if key != f"@{src}"} | {f"@{dst}": piece.rstrip(MOVED) + MOVED}


def _distance(before: Flat, after: Flat) -> int:
    return len(_plain_difference(before, after))


def _plain_difference(before: Flat, after: Flat) -> Flat:
    gone = dict.fromkeys(sorted(before.keys() - after.keys()), "")
    return gone | {key: text for key, text in after.items() if before.get(key) != text}


def film(record: Record, lang: str = DEFAULT_LANGUAGE) -> dict[str, Any]:
    """Make all that the viewer is given of a game.

    `seats` and `plies` hold a sign a frame: who acted, and how many plies it came after the frame before; `ms` what
    it was charged.  `frames` holds what changes for the arbiter, and for red and blue where that is not the same.
    Raises RecordError where a record cannot be refereed at all, ConfigError where it names rules that do not exist.
    """
    reel = Reel(record, lang)
    fault = reel.fault(BOTH)
    numbers = range(len(reel))
    acts = [reel.act(number) for number in numbers]
    return {
        "layout": _layout(reel.rules),
        "ranks": {
            rank.id: {"sign": sign(rank.id), **{seat: reel.labels[seat][rank.id] for seat in SEATS}}
            for rank in reel.rules.ranks
        },
        "seats": "".join(act.entry.seat[0] if act else "-" for act in acts),
        "plies": "".join(str(reel.ply(number) - reel.ply(max(0, number - 1))) for number in numbers),
        "ms": [None if act is None or act.entry.ms is None else _brief(act.entry.ms) for act in acts],
        "frames": list(_frames(reel)),
        "fault": "" if fault is None else str(fault),
    }


def _brief(ms: float) -> float:
    return round(ms) if ms >= 10 else round(ms, 1)  # noqa: PLR2004 - two digits tell enough


def _layout(rules: Rules) -> dict[str, Any]:
    if rules.board is not UNSET:
        return {"files": rules.board.files, "rows": rules.board.rows, "lakes": rules.board.lakes}
    return {"slots": rules.line}


def _frames(reel: Reel) -> Iterator[Flat | list[Flat]]:
    seen: dict[Viewer, Flat] = {viewer: {} for viewer in VIEWERS}
    for number in range(len(reel)):
        now = {viewer: flatten(reel.frame(number, viewer)) for viewer in VIEWERS}
        changes = {viewer: difference(seen[viewer], now[viewer]) for viewer in VIEWERS}
        seen = now
        alike = all(changes[seat] == changes[BOTH] for seat in SEATS)
        yield changes[BOTH] if alike else [changes[viewer] for viewer in (BOTH, *SEATS)]


def packed(shown: Mapping[str, Any]) -> str:
    """Write what the viewer is given as base64 of a zlib stream of JSON: letters that a page can hold as they are."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(shown), _PACKING)).decode()

"""The data of the viewer as text in a page."""

import base64
import zlib
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import msgspec

from arbiter.show.replay.moments import are_neighbours
from arbiter.show.report.flat_frames import Change
from arbiter.show.report.viewer_data import CARRY, CLOCK
from protocol.words import SEATS

_NO_HTML: Final = str.maketrans("<>&", ",.:")
_COMPRESSION: Final = 7  # 9 takes twice as long for 1 % less
_CLOCKS: Final = {seat[0]: f"{CLOCK}/{seat}" for seat in SEATS}


def pack(data: Mapping[str, Any]) -> str:
    """Write viewer data for a page: JSON, compressed with zlib, in base85 with three other signs for those of HTML.

    What changes in most frames is taken out of them and becomes a column, which takes less space.  `moves` has a word
    for each frame, empty if its change does not carry a piece: the square and the direction (`e4u`), or both squares of
    a run (`e4e8`).  `clocks` has by how many tenths of a second the clock of the player that acted is behind the one in
    the column before, at first 0; it is 0 if the change shows no such clock, or a time of an hour and more.
    """
    frames: list[Change] = []
    moves: list[str] = []
    clocks: list[int] = []
    tenths: dict[str, int] = {}
    for initial, frame in zip(data["seats"], data["frames"], strict=True):
        left = dict(frame)
        go = left.get("go")
        if CARRY in left and isinstance(go, str):
            moves.append(_shorten_move(go))
            del left[CARRY], left["go"]
        else:
            moves.append("")
        clock = _CLOCKS.get(initial, "")
        now = _count_tenths(left.get(clock))
        behind = 0 if now is None else tenths.get(initial, 0) - now
        clocks.append(behind)
        if behind and now is not None:
            tenths[initial] = now
            del left[clock]
        frames.append(left)
    packed = msgspec.json.encode({**data, "frames": frames, "moves": " ".join(moves), "clocks": clocks})
    return base64.b85encode(zlib.compress(packed, _COMPRESSION)).decode().translate(_NO_HTML)


@cache
def _shorten_move(go: str) -> str:
    """Write a move from one square to another as a word."""
    src, _, dst = go.partition(" ")
    if not are_neighbours(src, dst):
        return f"{src}{dst}"
    if src[0] == dst[0]:
        return f"{src}{'u' if int(dst[1:]) > int(src[1:]) else 'd'}"
    return f"{src}{'r' if dst[0] > src[0] else 'l'}"


def _count_tenths(clock: object) -> int | None:
    """Count the tenths of a second on a clock; None without one, and if it shows no tenths."""
    if not isinstance(clock, str) or clock[-2:-1] != ".":
        return None
    return 600 * int(clock[:-5]) + 10 * int(clock[-4:-2]) + int(clock[-1])

"""Summaries of the first games of ladders, so that a long ladder starts quickly and needs little memory.

A summary follows from the games, and can be made again.  It is stored for a series in several rows: the first one is
the summary, the others contain the digests of the different games, and most of these stay as they are.
"""

import sqlite3
import zlib
from typing import Annotated, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from arbiter.packing import pack, unpack
from arbiter.tournament.results.integrity import changing
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.standings.digests import Digests
from arbiter.tournament.standings.history import Earlier, SavedLadder, find_kind
from arbiter.tournament.standings.stored_game import Ruling

LEAST_GAMES: Final = 250
"""Games after the last summary, from which on a new one is made."""
_Number = Annotated[int, Meta(ge=1, le=2**63 - 1)]


def read_summary(
    connection: sqlite3.Connection, manifest: Manifest, rulings: tuple[Ruling, ...]
) -> tuple[int, Earlier | None]:
    """Read the number of the last game in the summary of a series, and the summary; 0 and None without a valid one.

    A later ruling on a game that is in the summary makes it invalid, and so does another order of the bots.
    """
    if not manifest.tournament.is_ladder:
        return 0, None
    rows = connection.execute("SELECT packed FROM condensed WHERE series = ? ORDER BY block", (manifest.series,))
    (stage,) = manifest.schedule().stages
    try:
        blocks = [unpack(packed) for (packed,) in rows]
        if not blocks:
            return 0, None
        number, earlier = msgspec.msgpack.decode(blocks[0], type=tuple[_Number, Earlier])
        later = rulings[earlier.rulings :]
        is_valid = len(later) == len(rulings) - earlier.rulings
        is_valid &= all(  # other rulings change earlier games
            find_kind(one, rulings) == "withdraw" or (one.kind == "reinstate" and not one.replays) for one in later
        )
        if not is_valid or stage.source is None or not stage.source.fits(earlier.ladder):
            return 0, None
        Digests(blocks[1:])
    except (ValueError, LookupError, zlib.error):  # made by another program
        return 0, None
    return number, replace(earlier, ladder=SavedLadder(earlier.ladder.state, tuple(blocks[1:])))


def write_summary(
    connection: sqlite3.Connection, series: int, number: int, earlier: Earlier, before: Earlier | None = None
) -> None:
    """Write the summary of a series up to the game with a number, in a transaction.

    Blocks of digests that are those of the summary `before`, which is stored, stay as they are.
    """
    ladder = earlier.ladder
    stored = () if before is None else before.ladder.digests
    kept = 0
    while kept < min(len(stored), len(ladder.digests)) and stored[kept] is ladder.digests[kept]:
        kept += 1
    head = (number, replace(earlier, ladder=SavedLadder(ladder.state)))
    with changing(connection, "condensed"):
        connection.execute("DELETE FROM condensed WHERE series = ? AND block > ?", (series, kept))
        for block, content in enumerate((msgspec.msgpack.encode(head), *ladder.digests)):
            if block == 0 or block > kept:
                packed = pack(content, 0 if block else -1)  # digests cannot be compressed
                connection.execute("REPLACE INTO condensed VALUES (?, ?, ?)", (series, block, packed))

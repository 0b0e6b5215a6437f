"""Records of games: each is compressed alone while it is new, and later in a block with others, in less space.

The digest of a row covers the record itself and not its compressed form, so the hash chain proves it in both forms.
"""

import lzma
import sqlite3
import zlib
from contextlib import suppress
from functools import lru_cache
from typing import Final

import msgspec

from arbiter.packing import pack, unpack

IN_BLOCK: Final = b""
"""Stands for a record in a block."""
BLOCK: Final = 16
"""Records of a block: the newest ones, at least so many, are in none."""
_MOST_BYTES: Final = 2**21  # of the records of a block; a longer record stays alone
_FILTERS: Final = [{"id": lzma.FILTER_LZMA2, "preset": 3, "dict_size": _MOST_BYTES}]


def find_record(connection: sqlite3.Connection, number: int, stored: bytes) -> bytes:
    """Return what is stored for the record of a game or, if it is in a block, what could be stored without the block.

    If the block is damaged or missing, the record cannot be unpacked.
    """
    if stored != IN_BLOCK:
        return stored
    found = connection.execute("SELECT number, packed FROM block WHERE number >= ? ORDER BY number LIMIT 1", (number,))
    last, packed = found.fetchone() or (0, b"")
    record = _unpack_block(packed).get(last - number)
    return stored if record is None else pack(record, 0)


def move_records(connection: sqlite3.Connection) -> None:
    """Move the oldest records that are in no block into one, in a transaction, if enough newer ones follow.

    If many games are stored at a time, the rest follow with later games, so that storing takes no longer.
    """
    (last,) = connection.execute("SELECT coalesce(max(number), 0) FROM block").fetchone()
    newer = "FROM record WHERE number > ? ORDER BY number LIMIT ?"
    (count,) = connection.execute(f"SELECT count(*) FROM (SELECT 1 {newer})", (last, 2 * BLOCK)).fetchone()  # noqa: S608
    if count < 2 * BLOCK:
        return
    records: dict[int, bytes] = {}
    size = 0
    for number, stored in connection.execute(f"SELECT number, packed {newer}", (last, BLOCK)).fetchall():
        record = b""
        with suppress(zlib.error):  # a damaged record stays as it is
            record = unpack(stored)
        size += len(record)
        if records and size > _MOST_BYTES:
            break
        last = number
        if 0 < len(record) <= _MOST_BYTES:
            records[number] = record
    content = msgspec.msgpack.encode({last - number: record for number, record in records.items()})
    packed = lzma.compress(content, lzma.FORMAT_RAW, filters=_FILTERS)
    connection.execute("INSERT INTO block VALUES (?, ?)", (last, packed))
    connection.executemany("UPDATE record SET packed = ? WHERE number = ?", [(IN_BLOCK, number) for number in records])


@lru_cache(maxsize=1)
def _unpack_block(packed: bytes) -> dict[int, bytes]:
    """Return the records of a block by how far the numbers of their games are below its own; none if it is damaged."""
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_FILTERS)
    try:
        data = decompressor.decompress(packed, 2 * _MOST_BYTES)
        return msgspec.msgpack.decode(data if decompressor.eof else b"", type=dict[int, bytes])
    except (TypeError, lzma.LZMAError, msgspec.DecodeError):
        return {}

"""Compressed parts of results: pack them, and unpack them without trusting their size."""

import zlib
from typing import Final

SAFE_BYTES: Final = 64 * 2**20
SAFE_RATIO: Final = 50  # records and logs are compressed to a tenth


def pack(data: bytes) -> bytes:
    """Compress a part."""
    return zlib.compress(data)


def unpack(packed: object) -> bytes:
    """Decompress a part.

    Raises zlib.error if it is not one, or if a few bytes become so many that they were made to fill the memory.
    """
    if not isinstance(packed, bytes):
        raise zlib.error("it is not compressed data")
    decompressor = zlib.decompressobj()
    data = decompressor.decompress(packed, max(SAFE_BYTES, SAFE_RATIO * len(packed)))
    if decompressor.unconsumed_tail:
        raise zlib.error(f"{len(packed)} bytes of it become more than {len(data)}")
    if not decompressor.eof:
        raise zlib.error("it is cut off")
    if decompressor.unused_data:
        raise zlib.error("other data follows it")
    return data

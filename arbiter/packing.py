"""Compressed records and logs: pack them, and unpack them without trusting their size."""

import zlib
from typing import Final

from msgspec import Struct

SAFE_BYTES: Final = 64 * 2**20
SAFE_RATIO: Final = 50  # records and logs are compressed to a tenth


class Packed(Struct, frozen=True):
    """Data that is compressed already, as it is stored."""

    data: bytes


class PackedStart(Struct, frozen=True):
    """The compressed start of some data: the rest is appended without compressing the start again."""

    data: bytes
    """Start of a stream of zlib, up to the end of a byte."""
    checksum: int
    """Adler-32 of the start before it was compressed."""

    def finish(self, rest: bytes) -> Packed:
        """Append the rest of the data."""
        compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        end = compressor.compress(rest) + compressor.flush()
        return Packed(b"".join((self.data, end, zlib.adler32(rest, self.checksum).to_bytes(4, "big"))))


def pack(data: bytes, level: int = zlib.Z_DEFAULT_COMPRESSION) -> bytes:
    """Compress a part; level 0 only encloses data that cannot be compressed, such as digests."""
    return zlib.compress(data, level)


def pack_start(data: bytes) -> PackedStart:
    """Compress the start of a part."""
    compressor = zlib.compressobj()
    return PackedStart(compressor.compress(data) + compressor.flush(zlib.Z_SYNC_FLUSH), zlib.adler32(data))


def to_bytes(data: bytes | Packed) -> bytes:
    """Return data, decompressed if it is packed."""
    return unpack(data.data) if isinstance(data, Packed) else data


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

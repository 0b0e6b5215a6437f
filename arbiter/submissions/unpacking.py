"""The process that unpacks an archive which anyone may have made, within limits of time and memory."""

import resource
import sys
import zlib
from pathlib import Path
from typing import Final

from arbiter.sandbox.files.archive import BadArchive, unpack
from arbiter.sandbox.files.untrusted import MOST_BYTES, read_file

MOST_S: Final = 30  # of processor time; five times as long if the machine has other work
_MOST_MEMORY: Final = 2 << 30
_LONGEST: Final = 500  # letters of a reason: the name of a member may have millions
_GZIP: Final = b"\x1f\x8b"


def decompress(data: bytes) -> bytes:
    """Decompress an archive if it is compressed.  Raises BadArchive."""
    if not data.startswith(_GZIP):
        return data
    decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        found = decompressor.decompress(data, MOST_BYTES + 1)
    except zlib.error as error:
        raise BadArchive(f"it cannot be decompressed: {error}") from None
    if len(found) > MOST_BYTES:
        raise BadArchive(f"its files have more than {MOST_BYTES >> 20} MiB")
    if not decompressor.eof:
        raise BadArchive("its end is missing")
    if decompressor.unused_data.strip(b"\0"):
        raise BadArchive("something follows its end; compress it as a whole")
    return found


def main() -> None:
    """Unpack an archive into an empty folder; if it cannot be unpacked, print why, with status 1."""
    archive, folder = map(Path, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_S, MOST_S))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    try:
        unpack(decompress(read_file(archive)), folder, refuses_setuid=True)
    except BadArchive as error:
        sys.exit(_fail(str(error)))
    except MemoryError:
        sys.exit(_fail("it needs too much memory"))
    except OSError as error:
        sys.exit(_fail(error.strerror or str(error)))


def _fail(why: str) -> int:
    sys.stdout.write(why[:_LONGEST].encode("ascii", "backslashreplace").decode())
    return 1


if __name__ == "__main__":
    main()

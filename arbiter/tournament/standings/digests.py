"""Digests of the different games of a ladder, maybe millions: sorted blocks, and the new ones."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

_BYTES: Final = 8
_MOST: Final = 2**20
"""Digests of a block."""


class Digests:
    """Digests of 64 bits.  To look for one in the blocks takes no set of all of them."""

    def __init__(self, blocks: Iterable[bytes] = ()) -> None:
        """Continue with the blocks that `save` has returned.  Raises ValueError if one is cut off."""
        self._saved = tuple(blocks)
        if any(len(block) % _BYTES for block in self._saved):
            raise ValueError("a block of digests is cut off")
        self._blocks = [memoryview(block).cast("Q") for block in self._saved]
        self._new: set[int] = set()

    def __contains__(self, digest: int) -> bool:
        """Return True if a digest is known."""
        return digest in self._new or any(_has(block, digest) for block in self._blocks)

    def add(self, digest: int) -> None:
        """Add a digest that is not known."""
        self._new.add(digest)

    def save(self) -> tuple[bytes, ...]:
        """Return all digests as blocks; most of them are those with which these began.

        A block is at least twice as long as the next one, or as long as a block may be.
        """
        blocks = list(self._saved)
        new = array("Q", sorted(self._new))
        while new and blocks and len(blocks[-1]) // _BYTES < min(2 * len(new), _MOST - len(new)):
            new.frombytes(blocks.pop())
            new = array("Q", sorted(new))
        return (*blocks, new.tobytes()) if new else tuple(blocks)


def _has(block: "memoryview[int]", digest: int) -> bool:
    place = bisect_left(block, digest)
    return place < len(block) and block[place] == digest

"""How often something is looked at: never more often than what that costs allows."""

from collections.abc import Iterator
from contextlib import contextmanager

import trio
from msgspec import Struct


class RateLimit(Struct):
    """Looking every so many seconds at the most, and `share` times as long a rest as the last look took."""

    every_s: float
    share: float
    next: float = 0.0

    @property
    def is_time(self) -> bool:
        """Say whether it is time to look."""
        return trio.current_time() >= self.next

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Look; a look that fails costs no rest."""
        begun = trio.current_time()
        yield
        done = trio.current_time()
        self.next = done + max(self.every_s, (done - begun) * self.share)

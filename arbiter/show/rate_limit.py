"""Limit how often repeated work is done, by its cost."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final


class RateLimit:
    """Allows work every few seconds, and less often if it takes long: `rest` times as long as it took must pass."""

    def __init__(self, every_s: float, rest: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._every_s: Final = every_s
        self._rest: Final = rest
        self._clock = clock
        self._next = 0.0

    @property
    def is_due(self) -> bool:
        """Return True if the work may be done now."""
        return self._clock() >= self._next

    def run(self, work: Callable[[], object]) -> None:
        """Do the work if it is due."""
        if self.is_due:
            with self.measure():
                work()

    @contextmanager
    def measure(self) -> Iterator[None]:
        """Do the work; work that raises may be repeated at once."""
        started = self._clock()
        yield
        done = self._clock()
        self._next = done + max(self._every_s, (done - started) * self._rest)

"""Limit how often repeated work is done, by the processor time that it takes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final


class RateLimit:
    """Allows work every few seconds, and less often if it is costly: `rest` times its processor time must pass.

    Elapsed time would be wrong: on a busy machine, a process of low priority would rest for minutes.
    """

    def __init__(
        self,
        every_s: float,
        rest: float,
        clock: Callable[[], float] = time.monotonic,
        meter: Callable[[], float] = time.thread_time,
    ) -> None:
        self._every_s: Final = every_s
        self._rest: Final = rest
        self._clock = clock
        self._meter = meter  # the processor time of this thread, in seconds
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
        """Measure the work in the thread that does it; work that raises may be repeated at once."""
        before = self._meter()
        yield
        self._next = self._clock() + max(self._every_s, (self._meter() - before) * self._rest)

    @contextmanager
    def charge(self) -> Iterator[None]:
        """Measure other work that delays the next time, but is done whenever it is needed."""
        before = self._meter()
        yield
        self._next += (self._meter() - before) * self._rest

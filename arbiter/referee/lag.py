"""Whether the arbiter itself stood still: a beat that notes how late it comes.

A bot must not lose on time because its answer lay there and nobody read it.
"""

from collections import deque
from typing import Final

import trio

BEAT_S: Final = 0.02
STALL_S: Final = 0.005  # a beat that comes less late than this has only waited for its turn
_KEPT: Final = 256
_MS: Final = 1000.0


class RefereeStalled(Exception):
    """A game is nobody's: the arbiter stood still when a bot's time ran out.  The text says for how long."""


class LagMonitor:
    """The beat of one trio run, and the moments in which it failed."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._stalls: deque[tuple[float, float]] = deque(maxlen=_KEPT)

    def start(self) -> None:
        """Count from now, and beat until the run is over."""
        self._last = trio.current_time()
        trio.lowlevel.spawn_system_task(self._beat)

    async def _beat(self) -> None:
        while True:
            self._last = trio.current_time()
            await trio.sleep(BEAT_S)
            if stall := self._open_stall():
                self._stalls.append(stall)

    def longest_ms(self, since: float) -> float:
        """Return for how long the loop stood still at most, in one piece, since a time of trio's clock.

        This is never too short: nobody knows when between two beats it stood still.
        """
        stalls = list(self._stalls)
        if stall := self._open_stall():
            stalls.append(stall)
        return max((end - max(begin, since) for begin, end in stalls if end > since), default=0.0) * _MS

    def _open_stall(self) -> tuple[float, float] | None:
        """Return when the last beat was and what time it is, if the next one is late."""
        now = trio.current_time()
        if self._last is None or now - self._last < BEAT_S + STALL_S:
            return None
        return self._last, now


_RUNS: Final[trio.lowlevel.RunVar[LagMonitor]] = trio.lowlevel.RunVar("pulse")


def lag_monitor() -> LagMonitor:
    """Return the pulse of this trio run; the first who asks starts it, and it beats for all games."""
    try:
        return _RUNS.get()
    except LookupError:
        ours = LagMonitor()
        _RUNS.set(ours)
        ours.start()
        return ours

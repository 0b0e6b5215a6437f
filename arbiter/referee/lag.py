"""Event-loop lag monitor: a bot must not lose on time because its answer arrived while the arbiter stalled."""

from collections import deque
from typing import Final

import trio

from arbiter.clock import MS_PER_S
from arbiter.sandbox.beat import BEAT_S, find_beat

STALL_S: Final = 0.005  # a beat that is less late than this was only waiting for its turn
_KEPT: Final = 256


class LagMonitor:
    """The periods in which the beat of one trio run was late."""

    def __init__(self) -> None:
        self._last_beat: float | None = None
        self._stalls: deque[tuple[float, float]] = deque(maxlen=_KEPT)
        """The stalls that no later one exceeds; for every period, the longest one is among them."""

    def start(self) -> None:
        """Start to listen to the beat; this lasts until the trio run is over."""
        self._last_beat = trio.current_time()
        find_beat().add(self._note_beat)

    def _note_beat(self, now: float) -> None:
        if stall := self._current_stall():
            while self._stalls and _length(self._stalls[-1]) <= _length(stall):
                self._stalls.pop()
            self._stalls.append(stall)
        self._last_beat = now

    def longest_ms(self, since: float) -> float:
        """Return the longest single stall since a time of trio's clock, in milliseconds.

        It is never too short: a stall counts from the beat before it to the beat after it.
        """
        stalls = list(self._stalls)
        if stall := self._current_stall():
            stalls.append(stall)
        return max((end - max(begin, since) for begin, end in stalls if end > since), default=0.0) * MS_PER_S

    def _current_stall(self) -> tuple[float, float] | None:
        """Return the times of the last beat and of now if the next beat is late."""
        now = trio.current_time()
        if self._last_beat is None or now - self._last_beat < BEAT_S + STALL_S:
            return None
        return self._last_beat, now


def _length(stall: tuple[float, float]) -> float:
    begin, end = stall
    return end - begin


_MONITOR_OF_RUN: Final[trio.lowlevel.RunVar[LagMonitor]] = trio.lowlevel.RunVar("lag_monitor")


def lag_monitor() -> LagMonitor:
    """Return the monitor of this trio run, which all games share; the first call starts it."""
    try:
        return _MONITOR_OF_RUN.get()
    except LookupError:
        monitor = LagMonitor()
        _MONITOR_OF_RUN.set(monitor)
        monitor.start()
        return monitor

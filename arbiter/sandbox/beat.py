"""The beat of a trio run, for all that is looked at now and then.

A timer for each bot would cost more than most of the looks.
"""

from collections.abc import Callable
from typing import Final

import trio

BEAT_S: Final = 0.02

OnBeat = Callable[[float], object]
"""Receives the time of a beat, on trio's clock.  It must take very little time and raise nothing."""


class Beat:
    """The beat of one trio run."""

    def __init__(self) -> None:
        self._listeners: dict[OnBeat, None] = {}

    def add(self, listener: OnBeat) -> None:
        """Call a listener at each beat."""
        self._listeners[listener] = None

    def remove(self, listener: OnBeat) -> None:
        """Call a listener no more, if it is called."""
        self._listeners.pop(listener, None)

    async def beat(self) -> None:
        """Beat; this lasts until the trio run is over."""
        while True:
            await trio.sleep(BEAT_S)
            now = trio.current_time()
            for listener in tuple(self._listeners):
                listener(now)


_BEAT_OF_RUN: Final[trio.lowlevel.RunVar[Beat]] = trio.lowlevel.RunVar("beat")


def find_beat() -> Beat:
    """Return the beat of this trio run; the first call starts it."""
    try:
        return _BEAT_OF_RUN.get()
    except LookupError:
        beat = Beat()
        _BEAT_OF_RUN.set(beat)
        trio.lowlevel.spawn_system_task(beat.beat)
        return beat

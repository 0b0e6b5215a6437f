"""The beat and the alarm of a trio run, for all that is looked at now and then.

A timer for each bot would cost more than most of the looks.
"""

import math
from collections.abc import Callable
from typing import Final, Protocol, TypeVar
from weakref import WeakSet

import trio

BEAT_S: Final = 0.02

_Part = TypeVar("_Part")


def find_in_run(variable: trio.lowlevel.RunVar[_Part], make: Callable[[], _Part]) -> _Part:
    """Return the value that a variable has in this trio run; the first call makes it."""
    try:
        return variable.get()
    except LookupError:
        made = make()
        variable.set(made)
        return made


# --- the beat -------------------------------------------------------------------------------------


OnBeat = Callable[[float], object]
"""Receives the time of a beat, on trio's clock.  It must take very little time and raise nothing."""


class Beat:
    """The beat of one trio run, which begins at once."""

    def __init__(self) -> None:
        self._listeners: dict[OnBeat, None] = {}
        trio.lowlevel.spawn_system_task(self.beat)

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
    return find_in_run(_BEAT_OF_RUN, Beat)


# --- the alarm ------------------------------------------------------------------------------------


class Waiter(Protocol):
    """An object for which at most one task waits."""

    deadline: float
    """Time of trio's clock at which the wait has to end; infinity if no task waits."""
    next_look: float
    """Time at which the alarm looks at the deadline again; infinity at first."""

    def wake(self) -> None:
        """End the wait of the task."""


class Alarm:
    """The alarm of one trio run, set at once: it ends waits whose time is over.

    A cancel scope for each wait would cost more than reading the line that is waited for.  Almost all waits end in
    time; they cost the alarm nothing, because it looks at a wait only when the time of an earlier one of the same
    waiter is over.
    """

    def __init__(self) -> None:
        self.waits = 0
        """Number of waits for answers that are in progress."""
        self.others_ran_at = -math.inf
        """Time of `time.perf_counter` at which a task that waits for an answer let other tasks run."""
        self._waiters: WeakSet[Waiter] = WeakSet()
        self._sleep = trio.CancelScope()
        trio.lowlevel.spawn_system_task(self.ring)

    def set(self, waiter: Waiter) -> None:
        """Look at a waiter at its deadline; do this if that is earlier than the next look."""
        waiter.next_look = waiter.deadline
        self._waiters.add(waiter)
        self._sleep.deadline = min(self._sleep.deadline, waiter.next_look)

    async def ring(self) -> None:
        """Wake each task whose time is over; this lasts until the trio run is over."""
        while True:
            next_look = min((waiter.next_look for waiter in self._waiters), default=math.inf)
            with trio.CancelScope(deadline=next_look) as self._sleep:
                await trio.sleep_forever()
            now = trio.current_time()
            for waiter in [waiter for waiter in self._waiters if waiter.next_look <= now]:
                if waiter.deadline <= now:
                    waiter.wake()
                    waiter.deadline = math.inf
                waiter.next_look = waiter.deadline
                if waiter.next_look == math.inf:
                    self._waiters.remove(waiter)


_ALARM_OF_RUN: Final[trio.lowlevel.RunVar[Alarm]] = trio.lowlevel.RunVar("alarm")


def find_alarm() -> Alarm:
    """Return the alarm of this trio run; the first call starts it."""
    return find_in_run(_ALARM_OF_RUN, Alarm)

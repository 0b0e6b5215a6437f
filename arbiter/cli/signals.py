"""The event loop of a command, stopped by signals."""

import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Final

import trio
from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.sandbox.process import adopt_orphans

# The signal of `arbiter stop`: finish the games in progress.  Background jobs of a shell may ignore SIGINT.
FINISH_SIGNAL: Final = signal.SIGUSR1

_POLL_S: Final = 0.2
_SIGNALS: Final = (signal.SIGINT, FINISH_SIGNAL, signal.SIGTERM, signal.SIGHUP)

Failure = ConfigError | OSError
Stop = Callable[[Failure], None]  # ends the work with an error
Work = Callable[[Stop], Awaitable[object]]
OnSignal = Callable[[int, Stop], bool]  # returns True if the work must stop at once


class _Outcome(Struct):
    """The end of the work: finished, failed, or stopped by a signal (neither)."""

    finished: bool = False
    failure: Failure | None = None


@contextmanager
def collect_finish_signals() -> Iterator[Collection[int]]:
    """Collect FINISH_SIGNAL while no loop receives it; by default it would kill the process."""
    collected: list[int] = []
    before = signal.signal(FINISH_SIGNAL, lambda number, _: collected.append(number))
    try:
        yield collected
    finally:
        signal.signal(FINISH_SIGNAL, before)


def run_until_signal(work: Work, on_signal: OnSignal | None = None, earlier: Collection[int] = ()) -> bool:
    """Run async work to its end or until a signal stops it.  Return True if it finished.

    Every signal stops the work at once, unless `on_signal` returns False for it.  `earlier` are signals received
    before.  Raises ConfigError and OSError from the work or from its `stop` function.
    """
    adopt_orphans()
    outcome = trio.run(_run, work, on_signal or (lambda _number, _stop: True), earlier)
    if outcome.failure:
        raise outcome.failure
    return outcome.finished


def wait_for_signal(is_needed: Callable[[], bool], announce: Callable[[], object]) -> None:
    """Wait for a signal, or until `is_needed` returns False; calls `announce` when signals are received."""

    async def wait(_stop: Stop) -> None:
        announce()
        while is_needed():  # noqa: ASYNC110 - another process ends it
            await trio.sleep(_POLL_S)

    run_until_signal(wait)


async def _run(work: Work, on_signal: OnSignal, earlier: Collection[int]) -> _Outcome:
    outcome = _Outcome()
    working = trio.CancelScope()

    def stop(failure: Failure) -> None:
        outcome.failure = failure
        working.cancel()

    async def listen(signals: AsyncIterator[int]) -> None:
        async for number in signals:
            if on_signal(number, stop):
                working.cancel()

    # Signals that are ignored stay ignored, as under nohup.
    numbers = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    with trio.open_signal_receiver(*numbers) as signals:
        async with trio.open_nursery() as listening:
            if any(on_signal(number, stop) for number in earlier):
                working.cancel()
            listening.start_soon(listen, signals)
            with working:
                try:
                    await work(stop)
                    outcome.finished = True
                except (ConfigError, OSError) as failure:  # stored, not raised: the nursery would wrap it
                    outcome.failure = failure
            listening.cancel_scope.cancel()
    return outcome

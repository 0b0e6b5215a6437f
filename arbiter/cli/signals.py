"""Work that a terminal's signals stop: the loop that it runs in."""

import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Final

import trio
from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.sandbox.orphans import adopt_orphans

# What `arbiter stop` sends: a shell lets its background jobs ignore Ctrl-C, and then SIGINT would be lost on them.
WIND_UP: Final = signal.SIGUSR1

_SIGNALS: Final = (signal.SIGINT, WIND_UP, signal.SIGTERM, signal.SIGHUP)

Failure = ConfigError | OSError
Stop = Callable[[Failure], None]  # ends the work, from wherever in it
Work = Callable[[Stop], Awaitable[object]]
Heed = Callable[[int, Stop], bool]  # hears a signal, and says whether the work is to stop at once


class _Ended(Struct):
    """How work ended: finished, or stopped by a signal, by what the operator must mend or by a broken output."""

    finished: bool = False
    failure: Failure | None = None


def stop_at_once(_number: int, _stop: Stop) -> bool:
    """Heed every signal the same way: stop."""
    return True


@contextmanager
def wind_up_noted() -> Iterator[Collection[int]]:
    """Note WIND_UP where nobody listens for it yet, or any more, and where it would end the process."""
    noted: list[int] = []
    before = signal.signal(WIND_UP, lambda number, _: noted.append(number))
    try:
        yield noted
    finally:
        signal.signal(WIND_UP, before)


def do_heeding_signals(work: Work, heed: Heed = stop_at_once, noted: Collection[int] = ()) -> bool:
    """Do work until its end, or until a signal stops it; say whether it came to its end.

    `noted` are signals that came before.  Raises ConfigError and OSError, as the work does or gives to `stop`.
    """
    adopt_orphans()
    ended = trio.run(_do, work, heed, noted)
    if ended.failure:
        raise ended.failure
    return ended.finished


async def _do(work: Work, heed: Heed, noted: Collection[int]) -> _Ended:
    ended, working = _Ended(), trio.CancelScope()

    def stop(failure: Failure) -> None:
        ended.failure = failure
        working.cancel()

    with trio.open_signal_receiver(*_heeded()) as signals:
        async with trio.open_nursery() as listening:
            if any(heed(number, stop) for number in noted):
                working.cancel()
            listening.start_soon(_listen, signals, heed, stop, working)
            with working:
                try:
                    await work(stop)
                    ended.finished = True
                except (ConfigError, OSError) as failure:  # carried out by hand: the nursery would wrap it
                    ended.failure = failure
            listening.cancel_scope.cancel()
    return ended


def _heeded() -> list[signal.Signals]:
    """List the signals that stop us, but those we were told to ignore, as nohup does."""
    return [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]


async def _listen(signals: AsyncIterator[int], heed: Heed, stop: Stop, working: trio.CancelScope) -> None:
    async for number in signals:
        if heed(number, stop):
            working.cancel()

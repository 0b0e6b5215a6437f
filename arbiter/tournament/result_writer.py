"""Result writer: store results as they arrive, those that arrive together in one transaction."""

from collections.abc import Callable, Sequence

import trio

from arbiter.tournament.new_results import NewResult

Keep = Callable[[Sequence[NewResult]], object]
"""Stores results in one transaction: all or, if it raises an exception, none.  Raises ConfigError."""


class ResultWriter:
    """Stores results in a thread, one transaction after the other.

    No result waits until others arrive.  Those that arrive during a transaction are stored together in the next one,
    with one write to the disk for all of them.
    """

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._waiting: dict[object, NewResult] = {}
        """Results that are not being written yet, by a key of their task."""
        self._turn = trio.Lock()

    async def store(self, result: NewResult) -> None:
        """Store a result; it is safe on the disk when this returns.

        If this is cancelled, the result is not stored, unless it is already being written: then this waits until it is
        stored, or until the function that stores it notices that it is cancelled.  Raises ConfigError.
        """
        key = object()
        self._waiting[key] = result
        try:
            await self._turn.acquire()
        except trio.Cancelled:
            if self._waiting.pop(key, None) is not None:
                raise
            with trio.CancelScope(shield=True):
                await self._turn.acquire()
        try:
            if key not in self._waiting:
                return
            results, self._waiting = self._waiting, {}
            try:
                await trio.to_thread.run_sync(self._keep, list(results.values()))
            except BaseException:  # the results of other tasks wait again
                del results[key]
                self._waiting = results | self._waiting
                raise
        finally:
            self._turn.release()

"""Games that wait for a worker with room."""

from collections.abc import Callable, Collection

import trio
from msgspec import Struct

from arbiter.cluster.placement import Placement
from arbiter.tournament.execution.executor import GameTask


class _Waiting(Struct, eq=False):
    """A game that waits for a worker."""

    task: GameTask
    failed: Collection[str]
    number: int
    """Games with lower numbers have waited for longer."""
    wanted: str
    """The only machine that may play it; '' if several may."""
    given: trio.Event
    address: str = ""


class WaitingGames:
    """The games that wait for a worker.  Its length is their number."""

    def __init__(self, placement: Placement, changed: Callable[[], object]) -> None:
        """Begin without games; `changed` is called when games begin to wait, and when workers may be free for them."""
        self._placement = placement
        self._changed = changed
        self._games: dict[str, dict[int, _Waiting]] = {}
        """By the machine that they want, and by their numbers."""
        self._length = 0
        self._last = 0

    def __len__(self) -> int:
        return self._length

    async def take_worker(self, task: GameTask, failed: Collection[str]) -> str:
        """Wait until a worker has room for a game that failed on others, and return its address.

        Return '' if the run is stopped before.
        """
        if not task.is_wanted():
            return ""
        if (address := self._placement.take(task.fixture, failed)) is not None:
            return address
        self._last += 1
        waiting = _Waiting(task, failed, self._last, "", trio.Event())
        self._add(waiting)
        self._changed()
        try:
            await waiting.given.wait()
        except trio.Cancelled:
            if not waiting.given.is_set():
                self._remove(waiting)
            elif waiting.address:
                self._placement.give_back(waiting.address)
            raise
        return waiting.address

    def give_workers(self, machine: str | None = None) -> None:
        """Give workers with room to the games that wait, the oldest one first.

        `machine` is the only one whose room has changed.  Default: any.
        """
        wanted = self._games if machine is None else (machine, "")
        found = [waiting for one in wanted for waiting in self._games.get(one, {}).values()]
        for waiting in sorted(found, key=lambda waiting: waiting.number):
            task = waiting.task
            address = self._placement.take(task.fixture, waiting.failed) if task.is_wanted() else ""
            if address is not None:
                waiting.address = address
                self._remove(waiting)
                waiting.given.set()
            elif machine is None:
                self._remove(waiting)
                self._add(waiting)  # its machine may have left
        self._changed()

    def _add(self, waiting: _Waiting) -> None:
        waiting.wanted = self._placement.find_wanted(waiting.task.fixture, waiting.failed)
        self._games.setdefault(waiting.wanted, {})[waiting.number] = waiting
        self._length += 1

    def _remove(self, waiting: _Waiting) -> None:
        del self._games[waiting.wanted][waiting.number]
        if not self._games[waiting.wanted]:
            del self._games[waiting.wanted]
        self._length -= 1

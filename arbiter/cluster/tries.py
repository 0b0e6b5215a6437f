"""Games in the hands of a cluster: those that a worker has been given, and those that wait for one."""

from collections.abc import Callable, Collection
from datetime import UTC, datetime

import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter.cluster.machines import Machine
from arbiter.cluster.messages import GameBegan, GameLine, GameNotBegun, GamePlayed, GameReport, GameVoided
from arbiter.cluster.placement import Placement
from arbiter.tournament.attempt import Reason, make_attempt
from arbiter.tournament.conditions import PlayingConditions
from arbiter.tournament.events import Void
from arbiter.tournament.execution.executor import GameTask


class Try:
    """One try to play a game on a worker."""

    def __init__(self, key: str, address: str, task: GameTask, machine: Machine, isolation: str) -> None:
        self.key = key
        self.address = address
        self.task = task
        self.machine = machine
        self.report: GamePlayed | GameVoided | None = None
        """The last report of the worker, before it is tested."""
        self.fault = ""
        """The reason why the worker's reports are refused; empty if they are not."""
        self.loss = ""
        """The reason why the worker does not play the game to the end; empty if it does."""
        self.over = trio.Event()
        self.is_recalled = False
        """True if the worker was asked to give the game back if it has not begun."""
        self._isolation = isolation
        self._begun = 0.0
        self._started = ""

    @property
    def has_begun(self) -> bool:
        """True if the worker has reported that the game began."""
        return bool(self._started)

    def receive(self, report: GameReport) -> None:
        """Note a report of the worker."""
        match report:
            case GameBegan():
                self._begun = trio.current_time()
                self._started = datetime.now(UTC).isoformat(timespec="seconds")
                self.task.began()
            case GameLine() if self.task.follow is not None:
                self.task.follow(report.line)
            case GameNotBegun():
                self.end(loss="it was stopped")
            case GamePlayed() | GameVoided():
                self.end(report)

    def end(self, report: GamePlayed | GameVoided | None = None, *, loss: str = "", fault: str = "") -> None:
        """Note the end of the game; only the first one counts."""
        if not self.over.is_set():
            self.report = report
            self.loss = loss
            self.fault = fault
            self.over.set()

    def describe_loss(self, loss: str = "") -> str:
        """Describe the loss of the worker in a sentence.  Default: with the reason that was noted."""
        return f"the worker {self.address} on {self.machine.host} was lost: {loss or self.loss}"

    def void(self, reason: Reason, why: str) -> Void:
        """Make the voided attempt of a game that has no report."""
        fixture = self.task.fixture
        machine = self.machine
        attempt = make_attempt(fixture, reason, why, self._started, trio.current_time() - self._begun)
        conditions = PlayingConditions(
            host=machine.host,
            cores=machine.cores,
            jobs=machine.slots,
            load=None,
            lag_ms=0.0,
            sandbox=self._isolation,
            processor=machine.processor,
            python=machine.python,
            arbiter=machine.arbiter,
            speed=machine.speed,
        )
        return Void(fixture, replace(attempt, conditions=conditions))


# --- games that wait for a worker with room --------------------------------------------------------


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

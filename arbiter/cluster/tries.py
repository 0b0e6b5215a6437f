"""A game that a worker has been given."""

from datetime import UTC, datetime

import trio
from msgspec.structs import replace

from arbiter.cluster.machines import Machine
from arbiter.cluster.messages import GamePlayed, GameVoided
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

    def begin(self) -> None:
        """Note that the game began."""
        self._begun = trio.current_time()
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self.task.began()

    def follow(self, line: bytes) -> None:
        """Pass on a line of the record."""
        if self.task.follow is not None:
            self.task.follow(line)

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

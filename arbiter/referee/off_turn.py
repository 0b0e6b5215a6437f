"""A bot while it is not asked: stopped without pondering; with pondering, kept from slowing its opponent.

Most bots only wait for the next question.  So with pondering, the arbiter at first only looks at the processor time of
a bot now and then.  A bot that is found busy has a low priority from then on whenever it is not asked.
"""

import math
from typing import Final

import trio

from arbiter.clock import MS_PER_S
from arbiter.sandbox.beat import find_beat
from arbiter.sandbox.bot_process import BotProcess

_SHORTEST_PAUSE: Final = 1  # beats from look to look
_LONGEST_PAUSE: Final = 8  # at a bot that was never found busy: a look costs as much as several plies
_WINDOW_S: Final = 0.004  # duration of a look, and of a period before one begins: faster moves are not measured
_BUSY: Final = 0.1  # of one core
_RUNNING: Final = 0.02  # of one core, by a bot that is stopped
_BUSY_STRIKES: Final = 3
_RUNNING_STRIKES: Final = 28  # a process with much memory takes part of a second to end, even if it is stopped


class OffTurn:
    """The restraint of one bot between an answer and the next question."""

    def __init__(self, process: BotProcess, *, pondering: bool) -> None:
        self.breach: str | None = None
        """Description of a breach for which the bot must lose."""
        self._process = process
        self._pondering = pondering
        self._allowed = _BUSY if pondering else _RUNNING
        self._limit = _BUSY_STRIKES if pondering else _RUNNING_STRIKES
        self._begun: float | None = None
        """Time at which the period began in which the bot is not asked; None while it is asked."""
        self._strikes = 0
        self._pause = _SHORTEST_PAUSE
        self._beats_left = _SHORTEST_PAUSE
        """Number of beats until the next look."""
        self._look_due = trio.Event()
        self._watching = trio.CancelScope()

    def begin(self, now: float) -> None:
        """Begin a period in which the bot is not asked, at a time of trio's clock."""
        self._begun = now
        if not self._pondering:
            self._process.freeze()
        elif self._strikes >= self._limit:
            self._process.lower_priority()

    def end(self) -> None:
        """End it: the bot is asked, or the game is over."""
        if self._begun is None:
            return
        self._begun = None
        if not self._pondering:
            self._process.thaw()
        elif self._strikes >= self._limit:
            self._process.restore_priority()

    def restrain(self, process: BotProcess) -> None:
        """Restrain another process from now on, which takes the place of the first one."""
        self.end()
        self._process = process

    async def watch(self) -> None:
        """Look at the bot now and then until it has been found busy a few times, or until `close`.

        Without pondering, a look at which it is stopped makes up for one at which it was not.
        """
        beat = find_beat()
        beat.add(self._on_beat)
        try:
            with self._watching:
                while self._strikes < self._limit:
                    await self._look_due.wait()
                    self._look_due = trio.Event()
                    load = await self._look()  # nan if the bot was asked meanwhile
                    is_busy = load > self._allowed
                    self._strikes += is_busy
                    if self._pondering:
                        self._pause = _SHORTEST_PAUSE if is_busy else min(2 * self._pause, _LONGEST_PAUSE)
                        self._beats_left = self._pause
                        if self._strikes >= self._limit:
                            self._process.lower_priority()
                    elif is_busy:
                        self._process.freeze()
                        if self._strikes >= self._limit:
                            self.breach = "its processes ran while they were stopped (pondering is not allowed)"
                    elif load <= self._allowed:
                        self._strikes = max(0, self._strikes - 1)
        finally:
            beat.remove(self._on_beat)

    def _on_beat(self, now: float) -> None:
        self._beats_left -= 1
        if self._beats_left <= 0 and self._begun is not None and now - self._begun >= _WINDOW_S:
            self._beats_left = self._pause
            self._look_due.set()

    def close(self) -> None:
        """Stop looking, before the process is ended."""
        self._watching.cancel()

    async def _look(self) -> float:
        """Return the part of a core that the bot uses, infinity if it starts processes, nan if it is asked meanwhile.

        The processor time of a process that ends in this time may be unknown; but then others have replaced it.
        """
        period = self._begun
        if period is None:
            return math.nan
        begun = trio.current_time()
        before, processes = self._process.activity()
        await trio.sleep(_WINDOW_S)
        if self._begun != period:
            return math.nan
        after, later = self._process.activity()
        return math.inf if later - processes else (after - before) / MS_PER_S / (trio.current_time() - begun)

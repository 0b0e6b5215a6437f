"""Players in the arbiter's own process, such as a person at the terminal.

A conversation runs in a thread and uses pipes like those of a bot.  It is off the clock: it never loses on time.
"""

import os
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import BinaryIO, Final

import trio

from arbiter.clock import MS_PER_S
from arbiter.referee.timer import Answer, Timed, TimeExceeded
from arbiter.sandbox.isolation import ARMED, ProgramEnd
from arbiter.sandbox.streams import ErrorLog, LineReader, LineWriter
from protocol.reasons import DidNotRead, LeftGame

_LEAVE_S: Final = 1.0  # for a thread to end
Conversation = Callable[[BinaryIO, BinaryIO], object]
"""Reads the arbiter's lines and writes its own until the arbiter's end."""


class LocalPlayer:
    """A conversation with the interface of a bot's process.  It cannot be killed, only abandoned."""

    def __init__(self, converse: Conversation) -> None:
        source, to_player = os.pipe()
        from_player, sink = os.pipe()
        os.write(sink, ARMED + b"\n")  # what a launcher would print
        self._converse = converse
        self._player_ends = (source, sink)
        self._our_ends = (to_player, from_player)
        self._has_left = trio.Event()
        self.log = ErrorLog()
        self.writer = LineWriter(to_player)
        self.reader = LineReader(from_player)

    async def watch(self) -> None:
        """Run the conversation.  Its exceptions pass through: they are errors of the arbiter, not fouls."""
        # It is abandoned if it still waits for a key when the game is over.
        await trio.to_thread.run_sync(self._run, abandon_on_cancel=True)
        self._has_left.set()

    def _run(self) -> None:
        source_end, sink_end = self._player_ends
        with (
            open(source_end, "rb") as source,  # noqa: PTH123 - a descriptor
            open(sink_end, "wb", buffering=0) as sink,  # noqa: PTH123 - a descriptor
        ):
            source.readline()  # the line for a launcher
            self._converse(source, sink)

    async def find_end(self) -> ProgramEnd:
        """Wait until the conversation is over: the pipes are closed before its exception passes through `watch`."""
        with trio.move_on_after(_LEAVE_S):
            await self._has_left.wait()
        return ProgramEnd(LeftGame())

    def cpu_ms(self) -> float:
        """Return 0: a local player is not measured."""
        return 0.0

    async def confine(self) -> None:
        """Return at once: a local player has no limits."""

    def freeze(self) -> None:
        """Do nothing: a local player is never stopped."""

    def thaw(self) -> None:
        """Do nothing."""

    def activity(self) -> tuple[float, AbstractSet[int]]:
        """Return no time and no processes: a local player is not measured."""
        return 0.0, frozenset()

    def lower_priority(self) -> None:
        """Do nothing."""

    def restore_priority(self) -> None:
        """Do nothing."""

    async def end(self, _grace_s: float) -> None:
        """Close the pipes: the conversation reads the end of its input."""
        for end in self._our_ends:
            os.close(end)


class Untimed:
    """The timer of a player that is off the clock."""

    pondering = True
    charges_cpu = False
    monitor = None
    """Nothing is measured."""

    async def wait(self, program: Timed, _limit_ms: float, _asked: float, _used_ms: float = 0.0) -> Answer:
        """Send the rest of a question, if there is any, and wait for a line without a limit; it costs nothing."""
        if program.writer.unsent:
            await program.writer.send(b"")
        return Answer(await program.reader.line(), 0.0, trio.current_time())

    wait_by_wall = wait

    async def send(self, program: Timed, text: bytes, limit_ms: float) -> None:
        """Write a text that has no answer.  Raises TimeExceeded."""
        with trio.move_on_after(limit_ms / MS_PER_S):
            await program.writer.send(text)
            return
        raise TimeExceeded(DidNotRead)

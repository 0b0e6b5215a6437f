"""Who plays in our own process, as a person at the terminal does: a conversation in a thread, through pipes like a bot's.

It knows no terminal and no rules.  A guest is off the clock: nobody forfeits because he thinks.
"""

import os
from collections.abc import Callable
from typing import BinaryIO, Final

import trio

from arbiter.referee.timer import Timed, TimeExceeded
from arbiter.sandbox.isolation import ARMED
from arbiter.sandbox.stderr import ErrorLog
from arbiter.sandbox.streams import LineReader, LineWriter

Conversation = Callable[[BinaryIO, BinaryIO], None]  # reads the arbiter's lines and writes its own, until those end


class LocalPlayer:
    """A conversation that is held as a bot's process is, but cannot be killed, only left."""

    def __init__(self, converse: Conversation) -> None:
        heard, asked = os.pipe()
        answered, said = os.pipe()
        os.write(said, ARMED + b"\n")  # there is no gate to wait for
        self._converse = converse
        self._its_ends, self._our_ends = (heard, said), (asked, answered)
        self.log = ErrorLog()
        self.unread = b""
        self.writer = LineWriter(asked)
        self.reader = LineReader(answered)

    async def watch(self) -> None:
        """Hold the conversation.  Raises what it fails with: that is a fault of ours, and nobody's foul."""
        # Abandoned where it still waits for a key when the game is over.
        await trio.to_thread.run_sync(self._talk, abandon_on_cancel=True)

    def _talk(self) -> None:
        heard, said = self._its_ends
        with open(heard, "rb") as source, open(said, "wb", buffering=0) as sink:  # noqa: PTH123 - these are no paths
            source.readline()  # the word to go
            self._converse(source, sink)

    async def drain(self) -> None:
        """Read nothing: a guest has no stderr."""

    async def describe_end(self) -> str:
        """Say that it left."""
        return "left the table"

    def cpu_ms(self) -> float:
        """Return 0: a guest is not measured."""
        return 0.0

    def freeze(self) -> None:
        """Do nothing: a guest may always think."""

    def thaw(self) -> None:
        """Do nothing."""

    async def end(self, _grace_s: float) -> None:
        """Leave it: its lines end, and what it still says is not heard."""
        for end in self._our_ends:
            os.close(end)


class Untimed:
    """The watch that no time runs on."""

    pondering: Final = True

    async def exchange(self, program: Timed, question: bytes, _limit_ms: float) -> tuple[bytes, float]:
        """Write a question and wait for a line, however long; it costs nothing."""
        await program.writer.send(question)
        return await program.reader.line(), 0.0

    def excuse_ms(self, _late: TimeExceeded, _since: float) -> float:
        """Return 0: nobody is late."""
        return 0.0

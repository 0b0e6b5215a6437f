"""Players in the arbiter's own process, such as the person at the terminal.

A player runs in a thread and uses pipes like those of a bot.  It is off the clock: it never loses on time.
"""

import os
from collections.abc import Callable
from typing import BinaryIO, Final

import trio

from arbiter.sandbox.isolation import ProgramEnd
from arbiter.sandbox.streams import LineReader, LineWriter
from protocol.reasons import LeftGame

_LEAVE_S: Final = 1.0  # for a thread to end
Converse = Callable[[BinaryIO, BinaryIO], object]
"""Reads the arbiter's lines and writes its own until the arbiter's end."""


class ThreadLink:
    """The link to a thread of this process.  The thread cannot be killed, only abandoned."""

    process: Final = None

    def __init__(self, converse: Converse) -> None:
        source, to_player = os.pipe()
        from_player, sink = os.pipe()
        self._converse = converse
        self._player_ends = (source, sink)
        self._our_ends = (to_player, from_player)
        self._has_left = trio.Event()
        self.writer = LineWriter(to_player)
        self.reader = LineReader(from_player)

    async def watch(self) -> None:
        """Run the player.  Its exceptions pass through: they are errors of the arbiter, not fouls."""
        # It is abandoned if it still waits for a key when the game is over.
        await trio.to_thread.run_sync(self._run, abandon_on_cancel=True)
        self._has_left.set()

    def _run(self) -> None:
        source_end, sink_end = self._player_ends
        with (
            open(source_end, "rb") as source,  # noqa: PTH123 - a descriptor
            open(sink_end, "wb", buffering=0) as sink,  # noqa: PTH123 - a descriptor
        ):
            self._converse(source, sink)

    async def find_end(self) -> ProgramEnd:
        """Wait until the player has left: the pipes are closed before its exception passes through `watch`."""
        with trio.move_on_after(_LEAVE_S):
            await self._has_left.wait()
        return ProgramEnd(LeftGame())

    async def end(self, _grace_s: float) -> None:
        """Close the pipes: the player reads the end of its input."""
        for end in self._our_ends:
            os.close(end)

"""The link of a player, over which the referee and the player exchange lines."""

from typing import Protocol

from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.isolation import ProgramEnd


class LineSource(Protocol):
    """The lines of a player; see `LineReader`."""

    arrived_at: float
    """Time of trio's clock at which the line that was returned last has arrived."""

    async def line(self) -> bytes: ...
    async def line_before(self, deadline: float, /) -> bytes | None: ...
    def unsolicited(self) -> bytes: ...
    def take(self) -> bytes: ...


class LineSink(Protocol):
    """The way to a player; see `LineWriter`."""

    unsent: bytes

    async def send(self, data: bytes, /) -> None: ...
    def send_now(self, data: bytes, /) -> bool: ...
    def unread(self) -> int: ...


class PlayerLink(Protocol):
    """Lines in both directions: over the pipes of a BotProcess, a NetworkLink, or a ThreadLink."""

    @property
    def reader(self) -> LineSource: ...
    @property
    def writer(self) -> LineSink: ...
    @property
    def process(self) -> BotProcess | None:
        """The control of the processes, the memory and the stderr of a program of this machine; None for others."""

    async def find_end(self) -> ProgramEnd:
        """Find out how the player ended, after a StreamEnd."""

    async def end(self, grace_s: float, /) -> None:
        """End the link."""

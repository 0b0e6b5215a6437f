"""A bot at the bench: one process, started and greeted, that plays one game after another against us."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import trio
from msgspec import Struct

from arbiter.preflight.collect import collect_evidence, is_fault_of
from arbiter.preflight.conditions import CheckGame, Conditions, header, terms
from arbiter.preflight.evidence import NO_ANSWER, Evidence, Fault, Silence
from arbiter.record import GameResult
from arbiter.referee.fouls import Foul
from arbiter.referee.lag import RefereeStalled, lag_monitor
from arbiter.referee.local_player import Conversation, LocalPlayer, Untimed
from arbiter.referee.log import BotLog
from arbiter.referee.player import Player
from arbiter.referee.session import FAREWELL_MS, GameSession
from arbiter.referee.timer import MoveTimer
from arbiter.sandbox.process import BotProcess
from arbiter.sandbox.streams import LineTooLong, StreamEnd
from arbiter.transcript import LogLine
from protocol.codec import encode
from protocol.messages import AnySaid, Ready
from protocol.words import OPPONENT, RED, Seat

_LOOK_S: Final = 0.3  # for how long a silent bot is looked at
_BUSY_MS: Final = 60.0  # of the processor meanwhile: it computes
_MORE_S: Final = 0.1  # for the lines that follow a wrong one
_LAST_S: Final = 2.0  # for a bot to end when its input has


class Greeting(Struct, frozen=True):
    """How a bot introduced itself, and after how many seconds; or what was seen instead."""

    seconds: float
    ready: Ready | None
    seen: Evidence | None = None


class Benched(Struct, frozen=True):
    """A game at the bench: its result, its record, and what was seen where the bot lost by a fault of its own."""

    result: GameResult
    record: bytes
    seen: Evidence | None


class Harness:
    """A bot's process and its conversation with us."""

    def __init__(self, process: BotProcess, conditions: Conditions, write: Callable[[AnySaid], bytes]) -> None:
        self.process = process
        self._conditions = conditions
        self._games = 0
        self._wire = BotLog(trio.current_time())
        self._player = Player(RED, process, MoveTimer(conditions.time, lag_monitor()), self._wire, write)

    async def greet(self) -> Greeting:
        """Let the program begin and introduce itself.  Raises Stalled, and OSError where its gate falls."""
        begun = trio.current_time()
        try:
            ready = await self._player.greet(self._conditions.time.start_s)
        except Foul as foul:
            seconds = trio.current_time() - begun
            return Greeting(seconds, None, await self.collect_evidence(foul.ending, foul.detail))
        return Greeting(trio.current_time() - begun, ready)

    async def play(self, bout: CheckGame, opponent: Conversation) -> Benched:
        """Play a game; another may follow.  Raises Stalled, and OSError where the program's gate falls."""
        self._player.seat = bout.seat
        head = header(bout, self._conditions)
        guest = LocalPlayer(opponent)
        other = Player(OPPONENT[bout.seat], guest, Untimed(), BotLog(trio.current_time()))
        session = GameSession(
            terms(head, self._conditions, last=False), {bout.seat: self._player, other.seat: other}, head
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(guest.watch)
            try:
                result = await session.play()
            finally:
                await guest.end(0)
            nursery.cancel_scope.cancel()
        if result.ending == "void":
            raise RefereeStalled(result.why)
        record = session.record.finish(result)
        at_fault = is_fault_of(bout.seat, result)
        seen = await self.collect_evidence(result.ending, result.why, bout.seat, record) if at_fault else None
        self._games += 1
        return Benched(result, record, seen)

    async def say_bye(self) -> bool:
        """Send the bot home; say whether it could be told.  Raises Stalled."""
        try:
            await self._player.send_home(FAREWELL_MS)
        except Foul:
            return False
        return True

    # --- what is seen of a failure ----------------------------------------------------------------

    async def collect_evidence(self, fault: Fault, why: str, seat: Seat = RED, record: bytes | None = None) -> Evidence:
        """Say what is seen of the bot now; a silent one is watched, and its input closed."""
        if fault == "protocol":
            await trio.sleep(_MORE_S)
        lines, rest = self._wire.transcript().lines, self.process.reader.unasked()
        silent = fault in NO_ANSWER and not await self.process.leaves(0)
        silence = await self._watched(lines) if silent else None
        return collect_evidence(
            self._conditions.program,
            fault,
            why,
            lines,
            rest=rest,
            stderr=self.process.log.text(),
            seat=seat,
            record=record,
            silence=silence,
            games=self._games,
        )

    async def _watched(self, lines: tuple[LogLine, ...]) -> Silence:
        """Look at what a silent bot does.  The last line that it was sent tells that the game is over."""
        told = len(lines[-1].text) + 1 if lines and lines[-1].sent and b'"over"' in lines[-1].text else 0
        before = self.process.cpu_ms()
        await trio.sleep(_LOOK_S)
        unread, busy = self.process.writer.unread(), self.process.cpu_ms() - before > _BUSY_MS
        return Silence(
            unread=max(0, unread - told),
            reads=not unread,
            busy=busy,
            at_the_end=b"" if busy else await self._said_at_the_end(),
        )

    async def _said_at_the_end(self) -> bytes:
        """Close the bot's input, and return what it says then."""
        self.process.hang_up()
        with trio.move_on_after(_LAST_S):
            try:
                return await self.process.reader.line()
            except StreamEnd as end:
                return end.rest
            except LineTooLong as error:
                return error.start
        return b""


@asynccontextmanager
async def open_harness(conditions: Conditions, write: Callable[[AnySaid], bytes] = encode) -> AsyncIterator[Harness]:
    """Start a bot's process and end it with all that it started.  Raises OSError where it cannot be started."""
    process = BotProcess(conditions.program, conditions.tier)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        nursery.start_soon(process.drain)
        try:
            yield Harness(process, conditions, write)
        finally:
            with trio.CancelScope(shield=True):
                await process.end(0)

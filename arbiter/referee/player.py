"""One bot at the table: asked, told, refused, dismissed.  All that a bot can do wrong comes out as a Foul."""

from collections.abc import Callable
from typing import Final, cast

import trio
from msgspec import UNSET, Struct, UnsetType

from arbiter import __version__
from arbiter.games.base import Addressed, visible_to
from arbiter.referee.fouls import ForfeitEnding, Foul
from arbiter.referee.lag import RefereeStalled
from arbiter.referee.local_player import LocalPlayer, Untimed
from arbiter.referee.log import BotLog
from arbiter.referee.timer import MoveTimer, TimeExceeded
from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.isolation import ARMED, GO
from arbiter.sandbox.streams import LineTooLong, StreamEnd
from protocol.codec import ProtocolError, decode_bot_line, encode, encode_view, quote
from protocol.dialogue import Dialogue
from protocol.messages import (
    Act,
    AnyArbiterMessage,
    AnyBotMessage,
    Ask,
    Bye,
    ClockState,
    Hello,
    News,
    Over,
    Ready,
    Refused,
    Start,
)
from protocol.view import Knowledge, new_knowledge
from protocol.words import PROTOCOL_VERSION, AnyAction, AnyFact, Phase, Seat

_MS: Final = 1000.0
LAST_WORDS: Final = 400  # bytes of the last line on stderr that a result quotes
_AT_THE_TABLE: Final = ("playing", "asked", "answered")


class Answered(Struct, frozen=True):
    """An answer in time: the act, and the milliseconds from the question's end to the answer's newline."""

    act: Act
    ms: float


class Player:
    """A seat's bot: its process, its dialogue, and what it is still to be told."""

    def __init__(
        self,
        seat: Seat,
        process: BotProcess | LocalPlayer,
        watch: MoveTimer | Untimed,
        wire: BotLog,
        write: Callable[[AnyArbiterMessage], bytes] = encode,
    ) -> None:
        """Seat a bot; `write` makes lines of the messages it is sent."""
        self.seat: Seat = seat
        self.process = process
        self._watch = watch
        self._wire = wire
        self._write = write
        self.ready: Ready | None = None
        self._dialogue = Dialogue()
        self._pending: list[AnyFact] = []
        self._knowledge: Knowledge | None = None
        self._wants: frozenset[str] = frozenset()

    # --- from start to start ----------------------------------------------------------------------

    async def greet(self, start_s: float) -> Ready:
        """Let the program begin and introduce itself, off the clock; once, whatever games follow.

        Raises Foul, and OSError as `_open_gate` does.
        """
        if self.ready is not None:
            return self.ready
        begun = trio.current_time()
        try:
            with trio.move_on_after(start_s):
                await self._open_gate()
                return await self._introduced(start_s)
        except StreamEnd as end:
            raise await self._gone(end, "no_start") from None
        raise self._too_late(_late(f"was not ready within {start_s:g} s", begun, start_s), begun, "no_start")

    async def _open_gate(self) -> None:
        """Let the program begin.  Raises OSError where its gate falls: until then nothing is the bot's doing."""
        try:
            armed = await self.process.reader.line()
        except StreamEnd as end:
            how = await self.process.describe_end()
            raise OSError(f"{self.seat}'s gate {how}: {self.process.log.last_line()}") from end
        if armed != ARMED:
            raise OSError(f"{self.seat}'s gate said {quote(armed)}")
        await self.process.writer.send(GO)

    async def _introduced(self, start_s: float) -> Ready:
        hello = Hello(PROTOCOL_VERSION, f"stratego-arbiter {__version__}")
        line, _ = await self._exchange(hello, start_s * _MS, "no_start")
        self.ready = cast("Ready", self._heard(line))
        self._wants = frozenset(self.ready.wants)
        return self.ready

    async def begin(self, start: Start, limit_ms: float) -> None:
        """Tell that a game begins.  Raises Foul."""
        self.seat, self._pending = start.seat, []
        if "view" in self._wants:
            self._knowledge = new_knowledge(start.rules, self.seat)
        await self._send(start, limit_ms)
        self._rest()

    # --- the game ---------------------------------------------------------------------------------

    @property
    def wants_legal(self) -> bool:
        """Say whether the bot asked for the list of legal actions."""
        return "legal" in self._wants

    async def ask(
        self, phase: Phase, clock: ClockState, limit_ms: float, legal: list[AnyAction] | UnsetType = UNSET
    ) -> Answered:
        """Ask and wait for the answer, `limit_ms` at most.  Raises Foul."""
        news, self._pending = self._pending, []
        view = UNSET if self._knowledge is None else encode_view(self._knowledge.view())
        question = Ask(self._dialogue.ask + 1, phase, news, clock, legal, view)
        return await self._answered(question, limit_ms)

    async def refuse(self, why: str, limit_ms: float) -> Answered:
        """Refuse the last answer, leave the question open and wait for another.  Raises Foul."""
        return await self._answered(Refused(self._dialogue.ask, why), limit_ms)

    async def _answered(self, question: Ask | Refused, limit_ms: float) -> Answered:
        self._wake()
        line, ms = await self._exchange(question, limit_ms, "crash")
        self._rest()
        return Answered(cast("Act", self._heard(line)), ms)

    def _rest(self) -> None:
        """Stop the bot's processes until it is asked again, where thinking on the opponent's time is not allowed."""
        if not self._watch.pondering:
            self.process.freeze()

    def _wake(self) -> None:
        if not self._watch.pondering:
            self.process.thaw()

    def did(self, action: AnyAction) -> None:
        """Note that an act of this player was accepted."""
        if self._knowledge is not None:
            self._knowledge.note_action(action)

    async def report(self, told: tuple[Addressed, ...], limit_ms: float) -> None:
        """Tell what this player may know of what happened: with the next question, or at once.  Raises Foul.

        A bot that is stopped hears nothing at once.
        """
        facts = visible_to(self.seat, told)
        if self._knowledge is not None:
            for fact in facts:
                self._knowledge.note_fact(fact)
        if "news" in self._wants and facts and self._watch.pondering:
            await self._send(News(facts), limit_ms)
        else:
            self._pending += facts

    async def dismiss(self, over: Over, limit_ms: float, *, home: bool = True) -> None:
        """Tell how the game ended, if it began, and send the program `home`; nobody waits for an answer.

        Where the gate has not opened nothing is said: the gate would take any line for its word to go.
        """
        state = self._dialogue.state
        if state == "new":
            return
        self._wake()
        farewell: tuple[AnyArbiterMessage, ...] = (over,) if state in _AT_THE_TABLE else ()
        try:
            for message in (*farewell, Bye()) if home else farewell:
                await self._send(message, limit_ms)
        except (Foul, RefereeStalled):
            return

    async def send_home(self, limit_ms: float) -> None:
        """Say goodbye to a program that is not at a table.  Raises Foul."""
        await self._send(Bye(), limit_ms)

    def unreported(self) -> list[AnyFact]:
        """Return what this player has not been told yet, for the last message."""
        return self._pending

    # --- lines ------------------------------------------------------------------------------------

    async def _send(self, message: AnyArbiterMessage, limit_ms: float) -> None:
        self._dialogue.note_sent(message)
        begun, limit_s, line = trio.current_time(), limit_ms / _MS, self._write(message)
        self._wire.sent(line, begun)
        try:
            with trio.fail_after(limit_s):
                await self.process.writer.send(line)
        except trio.TooSlowError:
            late = _late("did not read what it was sent", begun, limit_s)
            raise self._too_late(late, begun, "timeout") from None
        except StreamEnd as end:
            raise await self._gone(end, "crash") from None

    async def _exchange(self, question: AnyArbiterMessage, limit_ms: float, gone: ForfeitEnding) -> tuple[bytes, float]:
        """Write a question, read a line, on the clock.  Raises Foul and Stalled."""
        self._dialogue.note_sent(question)
        asked = trio.current_time()
        if early := self.process.reader.unsolicited():
            self._wire.left(self.process.reader.take(), asked)
            raise self._breach(f"output that answers no question: {quote(early)}")
        line = self._write(question)
        self._wire.sent(line, asked)
        try:
            answer, ms = await self._watch.exchange(self.process, line, limit_ms)
        except StreamEnd as end:
            self._wire.left(self.process.reader.take(), trio.current_time())
            raise await self._gone(end, gone) from None
        except LineTooLong as error:
            self._wire.left(error.start, trio.current_time())
            raise self._breach(f"{error}: {quote(error.start)}") from None
        except TimeExceeded as late:
            self._note_late(late)
            raise self._too_late(late, asked, "timeout" if gone == "crash" else gone) from None
        self._wire.heard(answer, trio.current_time())
        return answer, ms

    def _note_late(self, late: TimeExceeded) -> None:
        """Note what a bot had to say when its time was up: a whole answer, half of one, or nothing."""
        if late.answer is None:
            self._wire.left(self.process.reader.take(), trio.current_time())
        else:
            self._wire.heard(late.answer, trio.current_time())

    def _heard(self, line: bytes) -> AnyBotMessage:
        """Decode an answer; the dialogue sees to it that it is of the kind that was asked for."""
        try:
            answer = decode_bot_line(line)
        except ProtocolError as error:
            raise self._breach(str(error)) from None
        try:
            self._dialogue.note_received(answer)
        except ProtocolError as error:
            raise self._breach(f"{error}: {quote(line)}") from None
        return answer

    # --- fouls ------------------------------------------------------------------------------------

    def _foul(self, ending: ForfeitEnding, public: str, detail: str | None = None) -> Foul:
        return Foul(self.seat, ending, public, detail)

    def _breach(self, detail: str) -> Foul:
        return self._foul("protocol", f"{self.seat} broke the protocol", f"{self.seat} broke the protocol: {detail}")

    def _too_late(self, late: TimeExceeded, since: float, ending: ForfeitEnding) -> Foul | RefereeStalled:
        """Tell whether a bot that is late has lost by it: not where we stood still and may not have seen its answer."""
        if excuse_ms := self._watch.excuse_ms(late, since):
            return RefereeStalled(f"{self.seat} {late}, but the arbiter stood still for {excuse_ms:.0f} ms of it")
        return self._foul(ending, f"{self.seat} {late}")

    async def _gone(self, end: StreamEnd, ending: ForfeitEnding) -> Foul:
        how = f"{self.seat}'s program {await self.process.describe_end()}"
        half = f" after half a line, {quote(end.rest)}" if end.rest else ""
        last_words = self.process.log.last_line()
        stderr = f"; the last line on its stderr: {quote(last_words.encode(), LAST_WORDS)}" if last_words else ""
        return self._foul(ending, how, f"{how}{half}{stderr}")


def _late(what: str, since: float, limit_s: float) -> TimeExceeded:
    return TimeExceeded(what, (trio.current_time() - since - limit_s) * _MS)

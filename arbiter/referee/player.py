"""One player of a game: asked, informed, refused and dismissed."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import trio
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arbiter import __version__
from arbiter.clock import HUNDREDTHS, MS_PER_S, round_ms
from arbiter.games.base import Addressed, ForfeitInGame, visible_to
from arbiter.languages.sentences import write_reason
from arbiter.referee.fouls import BotKilled, Excuse, Foul
from arbiter.referee.log import BotLog
from arbiter.referee.off_turn import OffTurn
from arbiter.referee.player_link import PlayerLink
from arbiter.referee.timer import Answer, MoveTimer, TimeExceeded, Untimed, Wait
from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.isolation import ARMED, GO
from arbiter.sandbox.streams import LineTooLong, StreamEnd
from arbiter.transcript import Silence
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
from protocol.reasons import BrokeProtocol, NotReady, ProgramEnded, Refusal, TooLate
from protocol.view import Knowledge, new_knowledge
from protocol.words import PROTOCOL_VERSION, AnyAction, AnyFact, Phase, Seat

LAST_LINE: Final = 400  # bytes of the last line on stderr that a result quotes
_FAREWELL_MS: Final = 200.0
_BUSY: Final = 0.2  # share of the processor from which on a bot that does not answer is computing
_IN_GAME: Final = ("playing", "asked", "answered")

Renew = Callable[[], Awaitable[PlayerLink]]
"""Ends the link of a player and opens another one, to another process."""


class TimedAnswer(Struct, frozen=True):
    """An answer in time."""

    act: Act
    ms: float
    """Cost of the answer on the bot's clock, rounded as in the record, so that the record gives all times exactly."""


class SeatedPlayer:
    """The player of a seat: its link, its dialogue, and the facts that it is still to be sent.

    Everything that a bot can do wrong is raised as a Foul.
    """

    def __init__(
        self,
        seat: Seat,
        link: PlayerLink,
        timer: MoveTimer | Untimed,
        log: BotLog,
        *,
        write: Callable[[AnyArbiterMessage], bytes] = encode,
        excuse: Excuse | None = None,
    ) -> None:
        """Prepare a player; `write` encodes the messages that it is sent.

        `excuse` decides if the game is voided when the bot is killed.  Default: never, the bot loses.
        """
        self.take_seat(seat, log, excuse, None)
        self.link = link
        self.process = link.process
        """The control of its process; None for a player that is not a program of this machine."""
        self.ready: Ready | None = None
        """The bot's answer to `hello`."""
        self.off_turn = None if link.process is None else OffTurn(link.process, pondering=timer.pondering)
        self._timer = timer
        self._wait = Wait()
        if timer.monitor is not None:
            timer.monitor.waits.add(self._wait)
        self._now = trio.lowlevel.current_clock().current_time  # trio.current_time, which takes longer to find it
        self._write = write
        self.earlier_games = 0
        """Number of games that the process has played before this one."""
        self._start_s = 0.0
        self._first_messages: list[tuple[AnyArbiterMessage, float]] | None = None
        """The messages of this game before the first answer, with their time limits in milliseconds; None after it."""
        self._dialogue = Dialogue()
        self.unreported: list[AnyFact] = []
        """The facts that this player has not been sent yet."""
        self._knowledge: Knowledge | None = None
        self._wants_view = False
        self.wants_news = False
        """True if the bot asked for news between its turns, and is not stopped then."""
        self.wants_legal = False
        """True if the bot asked for the list of legal actions."""

    # --- before the game --------------------------------------------------------------------------

    def take_seat(self, seat: Seat, log: BotLog, excuse: Excuse | None, renew: Renew | None) -> None:
        """Prepare for a game, the first one or another one of the same process.

        If a process that has played before fails before its first answer in this game, it may have been written
        for one game: that is not a foul, and `renew` replaces the process.  Default: it is a foul.
        """
        self.seat: Seat = seat
        self._log = log
        self._excuse = excuse
        self._renew = renew
        self.excused_answers = 0
        """Number of answers that would be late if the arbiter had not stalled."""
        self.can_play_again = False
        """True after a game at whose end the process can play another one."""

    @property
    def _is_renewable(self) -> bool:
        return self._renew is not None and self.earlier_games > 0 and self._first_messages is not None

    async def _start_again(self) -> None:
        """Replace the process and repeat the messages of this game.  Raises Foul."""
        assert self._renew is not None  # noqa: S101 - else it is a foul
        self.link = await self._renew()
        self.process = self.link.process
        if self.off_turn is not None and self.process is not None:
            self.off_turn.restrain(self.process)
        self.earlier_games = 0
        self.ready = None
        self._dialogue = Dialogue()
        await self.greet(self._start_s)
        messages, self._first_messages = self._first_messages or [], []
        for message, limit_ms in messages:
            await self._send(message, limit_ms)

    async def greet(self, start_s: float) -> Ready:
        """Start the program and let it introduce itself, off the clock; does nothing before a second game.

        Raises Foul.  Raises OSError if the launcher fails: until the program runs, nothing is the bot's fault.
        """
        self._start_s = start_s
        if self.ready is not None:
            return self.ready
        try:
            starting_ms = 0.0 if self.process is None else await self._run_program(self.process, start_s * MS_PER_S)
            hello = Hello(PROTOCOL_VERSION, f"stratego-arbiter {__version__}")
            answer = await self._exchange(hello, start_s * MS_PER_S - starting_ms, is_starting=True)
        except StreamEnd as end:
            raise await self._ended(end, "no_start") from None
        except TimeExceeded as error:
            raise self._timeout(error, NotReady(self.seat, start_s)) from None
        ready = self._decode(answer.line)
        assert isinstance(ready, Ready)  # noqa: S101 - the dialogue refuses other answers to `hello`
        self.ready = ready
        self._wants_view = "view" in ready.wants
        self.wants_news = "news" in ready.wants and self._timer.pondering
        self.wants_legal = "legal" in ready.wants
        return ready

    async def _run_program(self, process: BotProcess, limit_ms: float) -> float:
        """Wait for the launcher, and let it run the program; return the milliseconds that the launcher took."""
        try:
            armed = await self._timer.wait_by_wall(process, limit_ms, self._now())
        except StreamEnd as end:
            ended = await process.find_end()
            raise OSError(f"{self.seat}'s launcher {write_reason(ended.how)}: {process.log.last_line()}") from end
        if armed.line != ARMED:
            raise OSError(f"{self.seat}'s launcher printed {quote(armed.line)}")
        await process.confine()
        await process.writer.send(GO)
        return armed.ms

    async def begin(self, start: Start, limit_ms: float) -> None:
        """Begin a game.  Raises Foul."""
        self.seat = start.seat
        self.unreported = []
        self._first_messages = []
        if self._wants_view:
            self._knowledge = new_knowledge(start.rules, self.seat)
        if self.process is not None:
            self.process.log.begin_question(0)
        await self._send(start, limit_ms)
        if self.off_turn is not None:
            self.off_turn.begin(self._now())

    # --- during the game --------------------------------------------------------------------------

    def ask(
        self, phase: Phase, clock: ClockState, limit_ms: float, legal: list[AnyAction] | UnsetType = UNSET
    ) -> Awaitable[TimedAnswer]:
        """Ask a question and wait for the answer.  Awaiting raises Foul."""
        news, self.unreported = self.unreported, []
        view = UNSET if self._knowledge is None else encode_view(self._knowledge.view())
        question = Ask(self._dialogue.ask + 1, phase, news, clock, legal, view)
        return self._answer(question, limit_ms)

    def refuse(self, reason: Refusal, limit_ms: float) -> Awaitable[TimedAnswer]:
        """Refuse the last answer and wait for another one to the same question.  Awaiting raises Foul."""
        return self._answer(Refused(self._dialogue.ask, write_reason(reason), reason), limit_ms)

    async def _answer(self, question: Ask | Refused, limit_ms: float) -> TimedAnswer:
        """Ask a question and wait for the answer; if the process can be replaced, ask once more after a foul."""
        off_turn = self.off_turn
        if off_turn is not None:
            off_turn.end()
        try:
            if off_turn is not None and off_turn.breach is not None:
                raise self._protocol_foul(off_turn.breach)
            if self.process is not None:
                self.process.log.begin_question(question.ask)
            answer = await self._exchange(question, limit_ms)
            if off_turn is not None:
                off_turn.begin(answer.at)
            self.excused_answers += answer.is_excused
            act = self._decode(answer.line)
            assert isinstance(act, Act)  # noqa: S101 - the dialogue refuses other answers to a question
        except Foul:
            if not self._is_renewable:
                raise
            await self._start_again()
            return await self._answer(question, limit_ms)
        self._first_messages = None
        return TimedAnswer(act, round_ms(answer.ms, HUNDREDTHS))

    def note_facts(self, facts: tuple[Addressed, ...], action: AnyAction | None = None) -> None:
        """Note the facts that this player may know, for the next message, and its own action that led to them."""
        visible = visible_to(self.seat, facts)
        self.unreported += visible
        if self._knowledge is not None:
            if action is not None:
                self._knowledge.note_action(action)
            for fact in visible:
                self._knowledge.note_fact(fact)

    async def send_news(self, limit_ms: float) -> None:
        """Send the facts that have been noted since the last message, if there are any.  Raises Foul."""
        if self.unreported:
            news, self.unreported = News(self.unreported), []
            await self._send(news, limit_ms)

    # --- after the game ---------------------------------------------------------------------------

    async def dismiss(self, over: Over, *, home: bool = True) -> None:
        """Send how the game ended, if it began, and `bye` if the program is to go `home`; wait for no answer.

        Nothing is sent before the program runs: its launcher would take any line for the signal to start it.
        """
        state = self._dialogue.state
        if state == "new":
            return
        if self.off_turn is not None:
            self.off_turn.end()
        messages: list[AnyArbiterMessage] = [over] if state in _IN_GAME else []
        if home:
            messages.append(Bye())
        with suppress(TimeExceeded, StreamEnd):
            for message in messages:
                await self._write_message(message, _FAREWELL_MS)
            self.can_play_again = not home and state in ("playing", "answered")

    async def send_bye(self) -> None:
        """Send `bye` to a program that is not in a game; wait for no answer."""
        if self._dialogue.state in ("greeted", "idle"):
            with suppress(TimeExceeded, StreamEnd):
                await self._write_message(Bye(), _FAREWELL_MS)

    # --- lines ------------------------------------------------------------------------------------

    async def _send(self, message: AnyArbiterMessage, limit_ms: float) -> None:
        """Send a message; if that fails, once more to a new process if possible.  Raises Foul and BotKilled."""
        try:
            await self._write_message(message, limit_ms)
        except (TimeExceeded, StreamEnd) as error:
            if not self._is_renewable:
                foul = await self._ended(error, "crash") if isinstance(error, StreamEnd) else self._timeout(error)
                raise foul from None
            await self._start_again()
            await self._send(message, limit_ms)
            return
        if self._first_messages is not None:
            self._first_messages.append((message, limit_ms))

    async def _write_message(self, message: AnyArbiterMessage, limit_ms: float) -> None:
        self._dialogue.note_sent(message)
        line = self._write(message)
        self._log.note(line, self._now(), sent=True)
        await self._timer.send(self.link, line, limit_ms)

    async def _exchange(self, question: AnyArbiterMessage, limit_ms: float, *, is_starting: bool = False) -> Answer:
        """Send a question and read a line: on the clock, or by elapsed time if the program is starting.

        Raises Foul and BotKilled, and TimeExceeded if the program is starting.
        """
        self._dialogue.note_sent(question)
        if early := self.link.reader.unsolicited():
            self._log.leftover(self.link.reader.take(), self._now())
            raise self._protocol_foul(f"output that answers no question: {quote(early)}")
        line = self._write(question)
        timer = self._timer
        used_ms = self.process.cpu_ms() if timer.charges_cpu and self.process is not None and not is_starting else 0.0
        asked = self._now()
        answer = None
        try:
            try:
                self.link.writer.send_now(line)
            finally:  # noted after it was sent: a fast bot answers meanwhile, so the arbiter need not sleep
                self._log.note(line, asked, sent=True)
                self._wait.link = self.link
            wait = timer.wait_by_wall if is_starting else timer.wait
            answer = await wait(self.link, limit_ms, asked, used_ms)
        except StreamEnd as end:
            self._log.leftover(self.link.reader.take(), self._now())
            raise await self._ended(end, "no_start" if is_starting else "crash") from None
        except LineTooLong as error:
            self._log.leftover(error.start, self._now())
            raise self._protocol_foul(f"{error}: {quote(error.start)}") from None
        except TimeExceeded as error:
            if error.answer is None:
                self._log.leftover(self.link.reader.take(), self._now())
            else:
                self._log.note(error.answer, self._now(), sent=False)
            if is_starting:
                raise
            raise self._timeout(error) from None
        finally:
            if self._wait.measured_at is not None and self._timer.monitor is not None:
                charged_ms = None if answer is None else answer.ms
                times = self._timer.monitor.end_wait(self._wait, self._dialogue.ask, asked, charged_ms)
                if not is_starting:
                    self._log.note_times(times)
                if answer is None:
                    uses_cpu = (times.cpu_ms or 0.0) > _BUSY * times.measured_ms
                    self._log.silence = Silence(self.link.writer.unread(), uses_cpu)
            self._wait.link = None
        self._log.note(answer.line, answer.at, sent=False)
        return answer

    def _decode(self, line: bytes) -> AnyBotMessage:
        """Decode an answer; the dialogue checks that it is of the kind that was asked for."""
        try:
            answer = decode_bot_line(line)
        except ProtocolError as error:
            raise self._protocol_foul(str(error)) from None
        try:
            self._dialogue.note_received(answer)
        except ProtocolError as error:
            raise self._protocol_foul(f"{error}: {quote(line)}") from None
        return answer

    # --- fouls ------------------------------------------------------------------------------------

    def _protocol_foul(self, detail: str) -> Foul:
        return Foul("protocol", BrokeProtocol(self.seat, detail))

    def _timeout(self, error: TimeExceeded, no_start: NotReady | None = None) -> Foul | BotKilled:
        """Return the foul of a bot that is too slow, maybe to start, or BotKilled if the arbiter's side explains that.

        `no_start` is the reason if the bot has not started.
        """
        reason = error.find_reason(self.seat)
        if error.is_explained and self._excuse is not None and self._excuse(self.seat, "lost_connections"):
            assert isinstance(reason, TooLate)  # noqa: S101 - only remote programs have connections
            return BotKilled("lost_connections", replace(reason, cut_by_arbiter=True))
        if no_start and error.ending == "timeout":
            return Foul("no_start", no_start)
        return Foul(error.ending, reason)

    async def _ended(self, end: StreamEnd, ending: ForfeitInGame) -> Foul | BotKilled:
        """Return the foul of a bot whose program has ended, or BotKilled if it was killed and is excused."""
        ended = await self.link.find_end()
        last_line = "" if self.process is None else self.process.log.last_line()
        reason = ProgramEnded(
            self.seat,
            ended.how,
            kill=ended.kill,
            oom_kills=ended.oom_kills,
            rest=quote(end.rest) if end.rest else "",
            last_line=quote(last_line.encode(), LAST_LINE) if last_line else "",
        )
        if ended.kill is None:
            return Foul(ending, reason)
        if self._excuse is not None and not self._is_renewable and self._excuse(self.seat, ended.kill):
            return BotKilled(ended.kill, reason)
        return Foul("killed", replace(reason, was_replayed=self._excuse is not None))

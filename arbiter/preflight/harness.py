"""Play games with the bot, in one process that the check observes or against another program, and collect evidence."""

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import trio
from msgspec import UNSET
from msgspec.structs import replace

from arbiter.games.base import FORFEITS, IllegalAction
from arbiter.languages.sentences import write_ending
from arbiter.preflight.evidence import NO_ANSWER, BotActivity, BotFault, Evidence, Finding, as_object
from arbiter.preflight.examination import CheckedGame, CheckGame, Conditions, Handshake
from arbiter.preflight.mistakes import explain_failure
from arbiter.record import ActEntry, GameResult, Record, read_record
from arbiter.referee.fouls import Foul
from arbiter.referee.game import GameSpec, play_game
from arbiter.referee.log import BotLog
from arbiter.referee.player import SeatedPlayer
from arbiter.referee.session import GameSession
from arbiter.referee.thread_link import Converse, ThreadLink
from arbiter.referee.timer import MoveTimer, Untimed, lag_monitor
from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.files.untrusted import read_start
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.streams import LineTooLong, StreamEnd
from arbiter.transcript import GameLog, LogLine
from arbiter.verify import begin, replay
from protocol.codec import encode
from protocol.messages import Act, AnyArbiterMessage
from protocol.reasons import Reason
from protocol.words import OPPONENT, RED, SEATS, AnyAction, Seat

_END_OF_INPUT: Final = re.compile(r"Traceback \(most recent call last\):\n(?: .*\n)+EOFError.*\s*\Z")
"""Output of `input()` when the arbiter closes the input of a bot whose time was over."""
_FILE_START_BYTES: Final = 200  # enough for the line that names the interpreter of a script
_FAREWELL: Final = ("over", "bye")


def is_forfeit_by(seat: Seat, result: GameResult) -> bool:
    """Return True if the player at a seat lost the game by forfeit."""
    return result.ending in FORFEITS and result.winner != seat


def collect_from_game(
    program: Program | None, seat: Seat, result: GameResult, record: bytes, log: GameLog
) -> Evidence | None:
    """Collect the evidence of a finished game; return None if the bot of the seat did not forfeit it.

    `program` is None if it is not known.
    """
    if not is_forfeit_by(seat, result):
        return None
    acts = [act for act in read_record(record).acts if act.seat == seat]
    lines = log.wire[seat].lines if seat in log.wire else _list_refused(acts)
    stderr = log.stderr.get(seat, "")
    if result.ending in NO_ANSWER:
        stderr = _END_OF_INPUT.sub("", stderr)
    activity = None
    if result.ending in NO_ANSWER and not acts and lines:
        silence = log.wire[seat].silence if seat in log.wire else None
        if at_end := find_output_at_end(lines[-1]):
            lines = lines[:-1]
            activity = BotActivity(output_at_end=at_end)
        elif silence is not None and (silence.uses_cpu or silence.unread_bytes):
            activity = BotActivity(unread_bytes=silence.unread_bytes, uses_cpu=silence.uses_cpu)
    evidence = collect_evidence(
        program, result.ending, own_reason(result, seat), lines, stderr=stderr, seat=seat, record=record
    )
    answers_ms = tuple(act.ms for act in acts if act.ms is not None)
    return replace(evidence, answers_ms=answers_ms, activity=activity)


def find_output_at_end(line: LogLine) -> bytes:
    """Return the first line of output after the last answer; b"" if it is not a whole line, or was read before.

    A whole line that nobody waited for was written when the game was over and the input was closed.
    """
    first, end, _ = line.text.partition(b"\n")
    return first if end and not line.sent and not line.whole else b""


def diagnose(program: Program | None, seat: Seat, record: bytes, log: GameLog) -> Finding:
    """Return the diagnosis of the bot of a seat in a finished game.  Raises RecordError."""
    result = read_record(record).result
    evidence = None if result is None else collect_from_game(program, seat, result, record, log)
    if result is None or evidence is None:
        return Finding("ok", "broke no rule")
    return explain_failure(f"forfeited ({write_ending(result.ending)})", evidence, record)


def _list_refused(acts: Sequence[ActEntry]) -> tuple[LogLine, ...]:
    """Return the line of the last act if the rules refused it, for games whose messages were not kept."""
    if not acts or acts[-1].facts is not UNSET:
        return ()
    act = Act(len(acts), acts[-1].action)
    return (LogLine(0.0, sent=False, text=encode(act).removesuffix(b"\n")),)


def own_reason(result: GameResult, seat: Seat) -> Reason | None:
    """Return the reason of a result as a player knows it."""
    return None if result.reason is None else result.reason.seen_by(seat)


def collect_evidence(
    program: Program | None,
    fault: BotFault,
    reason: Reason | None,
    log: Sequence[LogLine],
    *,
    stderr: str,
    seat: Seat,
    record: bytes | None,
) -> Evidence:
    """Collect the evidence of a failure; `log` holds all messages of the bot, and `record` a game that it lost."""
    asked = next((number for number in reversed(range(len(log))) if _is_question(log[number])), -1)
    written = [line.text + b"\n" if line.whole else line.text for line in log[asked + 1 :] if not line.sent]
    output = b"".join(written)
    game = None if record is None else read_record(record)
    refusal, legal = (None, ()) if game is None else find_refusal(game)
    return Evidence(
        fault=fault,
        reason=reason,
        seat=seat,
        line_before=next((line.text for line in reversed(log[: max(asked, 0)]) if not line.sent), b""),
        question=log[asked].text.rsplit(b"\n", 1)[-1] if asked >= 0 else b"",
        lines=tuple(output.removesuffix(b"\n").split(b"\n")) if output else (),
        stderr=stderr,
        rule=None if refusal is None else refusal.rule,
        legal=tuple(legal),
        rules=None if game is None else game.header.game().describe(seat),
        command=() if program is None else program.argv,
        file_start=b"" if program is None else read_start(Path(program.argv[0]), _FILE_START_BYTES),
    )


def _is_question(line: LogLine) -> bool:
    """Return True if the arbiter wrote a line before the failure: the farewell is sent after it."""
    return line.sent and (as_object(line.text) or {}).get("type") not in _FAREWELL


def find_refusal(record: Record) -> tuple[IllegalAction | None, Sequence[AnyAction]]:
    """Return the refusal of the action that ended a game (None if it ended otherwise) and what was legal instead."""
    contest, chance = begin(record)
    accepted = sum(1 for _ in replay(contest, chance, record))
    for entry in record.acts[accepted:]:
        try:
            contest.act(entry.seat, entry.action)
        except IllegalAction as refusal:
            return refusal, contest.play.legal_actions(entry.seat)
    return None, ()


# --- games ----------------------------------------------------------------------------------------


_OBSERVED_S: Final = 0.3  # how long a bot that does not answer is observed
_BUSY_MS: Final = 60.0  # processor time in that period from which on the bot is computing
_MORE_LINES_S: Final = 0.1  # for lines that follow a line that breaks the protocol
_LATE_S: Final = 20.0  # how long a late answer is waited for, if the limit is not shorter
_SHORTEST_S: Final = 2.0  # how long it is waited for at least
_END_OF_INPUT_S: Final = 2.0  # for a bot to write its last output after its input was closed


class Harness:
    """The process of a bot, which plays one game after another against opponents of the check."""

    def __init__(
        self, process: BotProcess, conditions: Conditions, write: Callable[[AnyArbiterMessage], bytes]
    ) -> None:
        self.process = process
        self._conditions = conditions
        self._games = 0
        self._began = trio.current_time()
        self._log = BotLog(self._began)
        self._player = SeatedPlayer(RED, process, MoveTimer(conditions.time, lag_monitor()), self._log, write=write)

    async def greet(self) -> Handshake:
        """Send 'hello' and wait for the answer.

        Raises OSError if the process could not be started.
        """
        started = trio.current_time()
        try:
            ready = await self._player.greet(self._conditions.time.start_s)
        except Foul as foul:
            seconds = trio.current_time() - started
            late = await self._wait_for_late_answer(started, seconds) if foul.ending == "no_start" else None
            return Handshake(seconds, None, await self.collect_evidence(foul.ending, foul.reason, late=late))
        return Handshake(trio.current_time() - started, ready)

    async def _wait_for_late_answer(self, asked: float, limit_s: float) -> tuple[float, bytes] | None:
        """Wait for an answer after the time limit; return its time since the question, in seconds, and its line."""
        with trio.move_on_after(min(limit_s, _LATE_S)), suppress(StreamEnd, LineTooLong):
            line = await self.process.reader.line()
            return trio.current_time() - asked, line
        return None

    async def play(self, game: CheckGame, opponent: Converse) -> CheckedGame:
        """Play a game against an opponent in this process; another game may follow.

        Raises OSError if the process could not be started.
        """
        self._player.seat = game.seat
        link = ThreadLink(opponent)
        other = SeatedPlayer(OPPONENT[game.seat], link, Untimed(), BotLog(trio.current_time()))
        header = self._conditions.header(game)
        settings = self._conditions.settings(header, last=False)
        session = GameSession(settings, {game.seat: self._player, other.seat: other}, header)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(link.watch)
            try:
                result = await session.play()
            finally:
                await link.end(0)
            nursery.cancel_scope.cancel()
        record = session.record.finish(result)
        evidence = None
        if is_forfeit_by(game.seat, result):
            evidence = await self.collect_evidence(result.ending, own_reason(result, game.seat), game.seat, record)
        self._games += 1
        return CheckedGame(seat=game.seat, result=result, record=record, evidence=evidence)

    async def send_bye(self) -> None:
        """Send 'bye', if the bot still reads."""
        await self._player.send_bye()

    async def collect_evidence(
        self,
        fault: BotFault,
        reason: Reason | None,
        seat: Seat = RED,
        record: bytes | None = None,
        late: tuple[float, bytes] | None = None,
    ) -> Evidence:
        """Collect the evidence of a failure that has just happened.

        If the bot did not answer, its process is observed and its input is closed.
        """
        if fault == "protocol":
            await trio.sleep(_MORE_LINES_S)
        log = self._log.transcript().lines
        unread = LogLine(0.0, sent=False, text=self.process.reader.unsolicited(), whole=False)
        is_silent = fault in NO_ANSWER and not await self.process.exits_within(0)
        stderr = self.process.log.text()
        if is_silent and fault == "timeout":
            asked = self._began + next((line.ms for line in reversed(log) if _is_question(line)), 0.0) / 1000
            late = await self._wait_for_late_answer(asked, max(trio.current_time() - asked, _SHORTEST_S))
        activity = await self._observe(log, late) if is_silent else None
        program = self._conditions.program
        evidence = collect_evidence(program, fault, reason, (*log, unread), stderr=stderr, seat=seat, record=record)
        return replace(evidence, activity=activity, games_before=self._games)

    async def _observe(self, log: tuple[LogLine, ...], late: tuple[float, bytes] | None) -> BotActivity:
        """Observe what a bot that does not answer is doing, and then close its input."""
        # The referee sends 'over' after the question, so its bytes are not part of the question.
        ends_with_over = log and log[-1].sent and b'"over"' in log[-1].text
        over_bytes = len(log[-1].text) + 1 if ends_with_over else 0
        cpu_ms = self.process.cpu_ms()
        await trio.sleep(_OBSERVED_S)
        unread_bytes = self.process.writer.unread()
        uses_cpu = self.process.cpu_ms() - cpu_ms > _BUSY_MS
        late_s, output = (None, b"") if late is None else late
        if not uses_cpu and late is None:
            self.process.close_stdin()
            with trio.move_on_after(_END_OF_INPUT_S):
                try:
                    output = await self.process.reader.line()
                except StreamEnd as end:
                    output = end.rest
                except LineTooLong as error:
                    output = error.start
        return BotActivity(
            unread_bytes=max(0, unread_bytes - over_bytes),
            keeps_reading=not unread_bytes,
            uses_cpu=uses_cpu,
            late_s=late_s,
            output_at_end=output,
        )


@asynccontextmanager
async def open_harness(
    conditions: Conditions, write: Callable[[AnyArbiterMessage], bytes] = encode
) -> AsyncIterator[Harness]:
    """Start a bot's process and end it with all its child processes.  Raises OSError if it cannot be started."""
    process = BotProcess(conditions.program, conditions.isolation)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        nursery.start_soon(process.drain)
        try:
            yield Harness(process, conditions, write)
        finally:
            with trio.CancelScope(shield=True):
                await process.end(0)


async def play_whole_game(game: CheckGame, conditions: Conditions, opponent: Program | None = None) -> CheckedGame:
    """Play a game between two processes as in a tournament.  Default opponent: the bot itself.

    Raises an ExceptionGroup of OSError if a process cannot be started.
    """
    header = conditions.header(game)
    programs: Mapping[Seat, Program] = {
        game.seat: conditions.program,
        OPPONENT[game.seat]: opponent or conditions.program,
    }
    spec = GameSpec(
        header=header,
        settings=conditions.settings(header, last=True),
        programs={seat: programs[seat] for seat in SEATS},
    )
    played = await play_game(spec, conditions.isolation)
    seats_of_bot = SEATS if opponent is None else (game.seat,)
    loser = next((seat for seat in seats_of_bot if is_forfeit_by(seat, played.result)), None)
    evidence = None
    if loser is not None:
        evidence = collect_from_game(conditions.program, loser, played.result, played.record, played.log)
    return CheckedGame(seat=game.seat, result=played.result, record=played.record, evidence=evidence)

"""One game between two programs, from their start until no process of either is left."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.games.base import Ending
from arbiter.games.chance import Seeded
from arbiter.record import Follow, GameHeader, GameResult, RecordWriter, unfollowed
from arbiter.referee.lag import RefereeStalled, lag_monitor
from arbiter.referee.local_player import Conversation, LocalPlayer, Untimed
from arbiter.referee.log import BotLog, GameLogWriter
from arbiter.referee.player import Player
from arbiter.referee.session import GameSession, GameSettings, SessionResult, opened
from arbiter.referee.timer import MoveTimer
from arbiter.sandbox.isolation import Isolation
from arbiter.sandbox.process import BotProcess
from arbiter.sandbox.program import Program
from arbiter.transcript import GameLog, Transcript
from protocol.words import SEATS, Seat

GRACE_S: Final = 0.2

Score = Callable[[Seat | None, Ending], dict[Seat, float]]


class GameSpec(Struct, frozen=True, kw_only=True):
    """A game to be played.

    `header` names the rules and the seats; arbiter, sandbox and time of day are filled in here.
    `programs` says what plays each seat: a program, or a conversation in our own process, which is off the clock.
    `score` gives the points of a result.
    """

    header: GameHeader
    terms: GameSettings
    programs: Mapping[Seat, Program | Conversation]
    score: Score


class PlayedGame(Struct, frozen=True, kw_only=True):
    """A game as played: result, whole record, what passed on the wire and stderr, how many seconds it took.

    `used_ms` is what the clock charged each seat for all its answers.
    `acts` is alike for games in which the same was done from the same beginning, and empty where nothing was.
    """

    result: GameResult
    record: bytes
    acts: str = ""
    started: str
    seconds: float
    used_ms: dict[Seat, float]
    stderr: dict[Seat, str]
    wire: dict[Seat, Transcript]


async def play_game(
    order: GameSpec, tier: Isolation, tape: GameLogWriter | None = None, follow: Follow = unfollowed
) -> PlayedGame:
    """Play one game; when it returns or is cancelled, no process of either bot is left.

    Who wants to know what was said in a game that comes to nothing lends a fresh `tape`; `follow` hears the record
    line by line while the game goes on.
    Raises an ExceptionGroup of OSError where a program's gate cannot be started, and Stalled where we stood still
    when a bot's time ran out: that is nobody's foul.
    """
    begun, header = trio.current_time(), _dated(order, tier)
    processes: dict[Seat, BotProcess | LocalPlayer] = {}
    tape = tape or GameLogWriter()
    async with trio.open_nursery() as nursery:
        try:
            for seat in SEATS:
                processes[seat] = _begun(order.programs[seat], tier)
                tape.errors[seat] = processes[seat].log
                nursery.start_soon(processes[seat].watch)
                nursery.start_soon(processes[seat].drain)
            watch = MoveTimer(order.terms.time, lag_monitor())
            players = {seat: _seated(seat, process, watch, tape.wires[seat]) for seat, process in processes.items()}
            sitting = GameSession(order.terms, players, header, follow)
            verdict = await sitting.play()
        finally:
            await _end_all(processes)
            tape.finish({seat: process.unheard for seat, process in processes.items()})
        nursery.cancel_scope.cancel()
    if verdict.ending == "void":
        raise RefereeStalled(verdict.why)
    return _report(order, sitting, verdict, tape.log(), trio.current_time() - begun)


def _report(order: GameSpec, sitting: GameSession, verdict: SessionResult, log: GameLog, seconds: float) -> PlayedGame:
    result = GameResult(
        winner=verdict.winner,
        ending=verdict.ending,
        why=verdict.why,
        plies=sitting.table.play.plies,
        points=order.score(verdict.winner, verdict.ending),
    )
    return PlayedGame(
        acts=sitting.record.acts,
        result=result,
        record=sitting.record.finish(result),
        started=sitting.header.started or "",
        seconds=seconds,
        used_ms=sitting.used_ms,
        stderr=log.stderr,
        wire=log.wire,
    )


def walkover(order: GameSpec, tier: Isolation, absent: Sequence[Seat], why: str) -> PlayedGame:
    """Decide a game that is not played: who is absent forfeits."""
    winner = next((seat for seat in SEATS if seat not in absent), None)
    result = GameResult(winner=winner, ending="walkover", why=why, plies=0, points=order.score(winner, "walkover"))
    chance = Seeded(order.terms.seed)
    header = opened(_dated(order, tier), order.terms.game.start(chance), chance)
    record = RecordWriter(header).finish(result)
    return PlayedGame(
        result=result, record=record, started=header.started or "", seconds=0.0, used_ms={}, stderr={}, wire={}
    )


def _dated(order: GameSpec, tier: Isolation) -> GameHeader:
    started = datetime.now(UTC).isoformat(timespec="seconds")
    return replace(order.header, arbiter=__version__, sandbox=tier.name, started=started)


def _begun(program: Program | Conversation, tier: Isolation) -> BotProcess | LocalPlayer:
    return BotProcess(program, tier) if isinstance(program, Program) else LocalPlayer(program)


def _seated(seat: Seat, process: BotProcess | LocalPlayer, watch: MoveTimer, wire: BotLog) -> Player:
    return Player(seat, process, Untimed() if isinstance(process, LocalPlayer) else watch, wire)


async def _end_all(processes: Mapping[Seat, BotProcess | LocalPlayer]) -> None:
    with trio.CancelScope(shield=True):
        async with trio.open_nursery() as nursery:
            for process in processes.values():
                nursery.start_soon(process.end, GRACE_S)

"""One game between two programs, from their start until no process of either is left."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.games.chance import SeededChance
from arbiter.record import Follow, GameHeader, GameResult, RecordWriter, UnfinishedRecord
from arbiter.referee.fouls import Excuse
from arbiter.referee.lag import lag_monitor
from arbiter.referee.local_player import Conversation, LocalPlayer, Untimed
from arbiter.referee.log import GameLogWriter
from arbiter.referee.player import SeatedPlayer
from arbiter.referee.session import GameSession, GameSettings, with_opening
from arbiter.referee.timer import MoveTimer
from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.cores import Cores
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.usage import is_measurable
from arbiter.transcript import GameLog
from protocol.words import SEATS, Seat

GRACE_S: Final = 0.2


class GameSpec(Struct, frozen=True, kw_only=True):
    """A game to be played."""

    header: GameHeader
    """Rules and seats; arbiter, sandbox and start time are filled in when the game starts."""
    settings: GameSettings
    programs: Mapping[Seat, Program | Conversation]
    """Player of each seat: a program, or a conversation in the arbiter's own process, which is off the clock."""
    cores: Cores | None = None
    """Cores that the programs may use.  Default: all."""


class PlayedGame(Struct, frozen=True, kw_only=True):
    """A game as played."""

    result: GameResult
    """The result.  Its points are missing: they are the tournament's to give, before `record` is read."""
    unfinished: UnfinishedRecord
    """The record without its last line."""
    seconds: float = 0.0
    """Duration of the game."""
    used_ms: Mapping[Seat, float] = {}
    """Time charged to each seat for all its answers."""
    excused_answers: Mapping[Seat, int] = {}
    """Number of answers of each seat that would be late if the referee had not stalled; seats with none are left out."""
    lag_ms: float = 0.0
    """Longest stall of the referee's event loop during the game, in milliseconds."""
    log: GameLog = GameLog()

    @property
    def record(self) -> bytes:
        """The whole record."""
        return self.unfinished.finish(self.result)


async def play_game(
    spec: GameSpec,
    isolation: Isolation,
    log: GameLogWriter | None = None,
    follow: Follow | None = None,
    excuse: Excuse | None = None,
) -> PlayedGame:
    """Play one game.  When this returns or is cancelled, no process of either bot is left.

    A fresh `log` passed in keeps the messages even if the game is voided.  `follow` is called with each line of the
    record while the game is played.  `excuse` decides if the game is voided when a bot is killed.  Default: the bot loses.

    Raises an ExceptionGroup of OSError if a program's launcher cannot be started.  Raises BotKilled if a bot was killed
    and that is excused: then neither bot loses.
    """
    begun = trio.current_time()
    header = _with_start(spec.header, isolation.name)
    log = log or GameLogWriter()
    processes: dict[Seat, BotProcess | LocalPlayer] = {}
    players: dict[Seat, SeatedPlayer] = {}
    async with trio.open_nursery() as nursery:
        try:
            for seat in SEATS:
                program = spec.programs[seat]
                process = (
                    BotProcess(program, isolation, spec.cores) if isinstance(program, Program) else LocalPlayer(program)
                )
                processes[seat] = process
                log.error_logs[seat] = process.log
                nursery.start_soon(process.watch)
                nursery.start_soon(process.drain)
            timer = MoveTimer(spec.settings.time, lag_monitor())
            for seat, process in processes.items():
                seat_timer = Untimed() if isinstance(process, LocalPlayer) else timer
                players[seat] = SeatedPlayer(seat, process, seat_timer, log.bot_logs[seat], excuse=excuse)
                if isinstance(process, BotProcess) and is_measurable():
                    nursery.start_soon(players[seat].off_turn.watch)
            session = GameSession(spec.settings, players, header, follow)
            log.session = session
            result = await session.play()
        finally:
            for player in players.values():
                player.off_turn.close()
            with trio.CancelScope(shield=True):
                async with trio.open_nursery() as ending:
                    for process in processes.values():
                        ending.start_soon(process.end, GRACE_S)
            log.finish({seat: process.unread for seat, process in processes.items()})
        nursery.cancel_scope.cancel()
    if session.killed is not None:
        raise session.killed
    return PlayedGame(
        result=result,
        unfinished=session.record.unfinished(),
        seconds=trio.current_time() - begun,
        used_ms=session.used_ms,
        excused_answers={seat: player.excused_answers for seat, player in players.items() if player.excused_answers},
        lag_ms=lag_monitor().longest_ms(begun),
        log=log.log(),
    )


def walkover(spec: GameSpec, isolation: str, absent: Sequence[Seat], why: str) -> PlayedGame:
    """Decide a game without playing it: the absent seats forfeit."""
    winner = next((seat for seat in SEATS if seat not in absent), None)
    chance = SeededChance(spec.settings.seed)
    play = spec.settings.game.start(chance)
    header = with_opening(_with_start(spec.header, isolation), play, chance)
    return PlayedGame(
        result=GameResult(winner=winner, ending="walkover", why=why, plies=0),
        unfinished=RecordWriter(header).unfinished(),
    )


def _with_start(header: GameHeader, isolation: str) -> GameHeader:
    started = datetime.now(UTC).isoformat(timespec="seconds")
    return replace(header, arbiter=__version__, sandbox=isolation, started=started)

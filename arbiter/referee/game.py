"""One game between two programs, from their start until no process of either is left."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.clock import NetworkTimes
from arbiter.games.chance import SeededChance
from arbiter.packing import to_bytes
from arbiter.record import Follow, GameHeader, GameResult, PackedRecord, RecordWriter, UnfinishedRecord
from arbiter.referee.fouls import Excuse
from arbiter.referee.log import GameLogWriter
from arbiter.referee.player import SeatedPlayer
from arbiter.referee.pool import GRACE_S, BotKind, BotPool, PooledBot, SharedParts
from arbiter.referee.session import GameSession, GameSettings, with_opening
from arbiter.referee.thread_link import Converse, ThreadLink
from arbiter.referee.timer import Untimed, lag_monitor
from arbiter.remote.hub import NetworkPlayer
from arbiter.remote.network_link import NetworkLink
from arbiter.sandbox.cores import Cores
from arbiter.sandbox.isolation import Isolation, Program, with_values
from arbiter.transcript import LOGGED, GameLog
from protocol.reasons import Forfeited
from protocol.words import SEATS, Seat


class GameSpec(Struct, frozen=True, kw_only=True):
    """A game to be played."""

    header: GameHeader
    """Rules and seats; arbiter, sandbox and start time are filled in when the game starts."""
    settings: GameSettings
    programs: Mapping[Seat, Program | NetworkPlayer | Converse]
    """Player of each seat: a program of this machine, a player over the network, or one in the arbiter's own process,
    which is off the clock."""
    cores: Cores | None = None
    """Cores that the programs may use.  Default: all."""
    versions: Mapping[Seat, str] = {}
    """Digests of the programs' files: a process of another version does not play the game."""
    values: Mapping[Seat, Mapping[str, str]] = {}
    """Values of parameters of the programs; see `with_values`."""
    shared: SharedParts | None = None
    """Hidden parts that the game has in common with others.  Default: none."""
    keeps_messages: bool = True
    """False to leave the messages out of the log unless a bot forfeits the game."""


class PlayedGame(Struct, frozen=True, kw_only=True):
    """A game as played."""

    result: GameResult
    """The result.  Its points are missing: they are the tournament's to give, before `record` is read."""
    unfinished: UnfinishedRecord | PackedRecord
    """The record without its last line; packed if another process has played the game."""
    seconds: float = 0.0
    """Duration of the game."""
    used_ms: Mapping[Seat, float] = {}
    """Time charged to each seat for all its answers."""
    excused_answers: Mapping[Seat, int] = {}
    """Number of answers of each seat that would be late if the referee had not stalled, without seats with none."""
    earlier_games: Mapping[Seat, int] = {}
    """Number of games that the process of each seat had played before; seats with a new process are left out."""
    network: Mapping[Seat, NetworkTimes] = {}
    """Times of players over the network."""
    lag_ms: float = 0.0
    """Longest stall of the referee's event loop during the game, in milliseconds."""
    log: GameLog = GameLog()

    @property
    def record(self) -> bytes:
        """The whole record."""
        return to_bytes(self.unfinished.finish(self.result))


async def play_game(
    spec: GameSpec,
    isolation: Isolation,
    log: GameLogWriter | None = None,
    follow: Follow | None = None,
    excuse: Excuse | None = None,
    *,
    pool: BotPool | None = None,
) -> PlayedGame:
    """Play one game.

    When this returns or is cancelled, no process of either bot is left, except those that wait in `pool` for their
    next game.  Default: new processes play.

    A fresh `log` passed in keeps the messages even if the game is voided.  `follow` is called with each line of the
    record while the game is played.  `excuse` decides if the game is voided when a bot is killed.  Default: the bot
    loses.

    Raises an ExceptionGroup of OSError if a program's launcher cannot be started.  Raises BotKilled if a bot was killed
    and that is excused: then neither bot loses.
    """
    begun = trio.current_time()
    log = log or GameLogWriter()
    seats = _Seats(log)
    session: GameSession | None = None
    is_over = False
    async with trio.open_nursery() as nursery:
        pool = pool or BotPool(isolation, nursery)
        try:
            for seat in SEATS:
                seats.fill(seat, spec, pool, excuse, nursery)
            settings = replace(spec.settings, last=False) if pool.keeps else spec.settings
            session = GameSession(settings, seats.players, _with_start(spec.header, isolation.name), follow)
            log.contest = session.contest
            result = await session.play()
            network = {
                seat: player.link.summarise()
                for seat, player in seats.players.items()
                if isinstance(player.link, NetworkLink)
            }
            earlier_games = {seat: player.earlier_games for seat, player in seats.players.items()}
            is_over = session.killed is None
        finally:
            with trio.CancelScope(shield=True):
                await seats.clear(pool, is_voided=not is_over)
        nursery.cancel_scope.cancel()
    if session.killed is not None:
        raise session.killed
    return PlayedGame(
        result=result,
        unfinished=session.record.unfinished(),
        seconds=trio.current_time() - begun,
        used_ms=session.used_ms,
        excused_answers={
            seat: player.excused_answers for seat, player in seats.players.items() if player.excused_answers
        },
        earlier_games={seat: games for seat, games in earlier_games.items() if games},
        network=network,
        lag_ms=lag_monitor().longest_ms(begun),
        log=log.log(messages=spec.keeps_messages or result.ending in LOGGED),
    )


class _Seats:
    """The players of a game."""

    def __init__(self, log: GameLogWriter) -> None:
        self.players: dict[Seat, SeatedPlayer] = {}
        self._bots: dict[Seat, PooledBot] = {}
        self._log = log

    def fill(self, seat: Seat, spec: GameSpec, pool: BotPool, excuse: Excuse | None, nursery: trio.Nursery) -> None:
        """Put the player of a seat there.  Raises OSError if a launcher cannot be started."""
        program = spec.programs[seat]
        bot_log = self._log.bot_logs[seat]
        if not isinstance(program, Program | NetworkPlayer):
            link = ThreadLink(program)
            nursery.start_soon(link.watch)
            self.players[seat] = SeatedPlayer(seat, link, Untimed(), bot_log)
            return
        if isinstance(program, Program):
            program = with_values(program, spec.values.get(seat, {}))
        kind = BotKind(program, spec.settings.time, spec.cores, spec.versions.get(seat, ""))
        self._bots[seat] = bot = pool.take(kind, seat, bot_log, excuse, spec.shared)
        self.players[seat] = bot.player

    async def clear(self, pool: BotPool, *, is_voided: bool) -> None:
        """Give the bots back to the pool, end the other players, and complete the log."""
        await pool.release(self._bots.values(), is_voided=is_voided)
        for seat in self.players.keys() - self._bots.keys():
            await self.players[seat].link.end(GRACE_S)
        for seat, bot in self._bots.items():
            self._log.finish(seat, bot.errors, bot.unread)


def walkover(spec: GameSpec, isolation: str, absent: Sequence[Seat], reason: Forfeited) -> PlayedGame:
    """Decide a game without playing it: the absent seats forfeit."""
    winner = next((seat for seat in SEATS if seat not in absent), None)
    chance = SeededChance(spec.settings.seed)
    play = spec.settings.game.start(chance)
    header = with_opening(_with_start(spec.header, isolation), play, chance)
    return PlayedGame(
        result=GameResult(winner=winner, ending="walkover", reason=reason, plies=0),
        unfinished=RecordWriter(header).unfinished(),
    )


def _with_start(header: GameHeader, isolation: str) -> GameHeader:
    started = datetime.now(UTC).isoformat(timespec="seconds")
    return replace(header, arbiter=__version__, sandbox=isolation, started=started)

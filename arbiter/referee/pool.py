"""Processes of bots that stay between games and play one game after another."""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import trio
from msgspec import Struct, field

from arbiter.clock import TimeSettings
from arbiter.referee.fouls import Excuse
from arbiter.referee.log import BotLog
from arbiter.referee.player import SeatedPlayer
from arbiter.referee.remote_timer import RemoteTimer
from arbiter.referee.timer import MoveTimer, Untimed, lag_monitor
from arbiter.remote.hub import NetworkPlayer
from arbiter.remote.network_link import NetworkLink
from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.cores import Cores
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import SANDBOXED
from arbiter.sandbox.streams import ErrorLog
from arbiter.sandbox.usage import is_measurable
from protocol.words import Seat

GRACE_S: Final = 0.2
_FREEZE_AFTER_S: Final = 0.05
_LAST_LINES_S: Final = 0.01  # for what a bot writes on stderr when a game is over
_MOST_UNUSABLE: Final = 3  # in a row
_MOST_GAMES: Final = 10_000  # of a process, which keeps the memory of the pool small too


class SharedParts(Struct, frozen=True):
    """The hidden parts that a game has in common with other games, such as decks or deployments."""

    pair: int | str
    """The pair of games; both games of a pair have the same parts."""
    parts: frozenset[int | str]
    """A process that has played a game with one of these parts plays no other game with it."""


class BotKind(Struct, frozen=True):
    """All that two processes must have in common so that either can play a game."""

    program: Program | NetworkPlayer
    time: TimeSettings
    cores: Cores | None = None
    version: str = ""
    """Digest of the program's files when the game begins."""


class PooledBot(Struct, eq=False):
    """A player whose process may have played other games before."""

    kind: BotKind
    player: SeatedPlayer
    link: BotProcess | NetworkLink
    seen: set[object] = set()
    """Hidden parts of its games that are shared with other games."""
    pair: object | None = None
    """The pair of its last game with such parts."""
    errors: ErrorLog = field(default_factory=ErrorLog)
    """Output on stderr in its last game."""
    unread: bytes = b""
    """Output after its last answer; known if its process has been ended."""
    idle_since: float = 0.0
    is_frozen: bool = False

    @property
    def process(self) -> BotProcess | None:
        """The control of its process; None for a player over the network."""
        return self.link.process

    def thaw(self) -> None:
        """Let its process continue if it was stopped between two games."""
        if self.process is not None and self.is_frozen:
            self.process.thaw()
        self.is_frozen = False


class BotPool:
    """The bots that play, and those that wait for their next game.

    Bots that wait are stopped: they use no processor time, and cannot signal anything to games in progress.
    """

    def __init__(self, isolation: Isolation, tasks: trio.Nursery, most_idle: int = 0) -> None:
        """Prepare to start processes, whose tasks run in the nursery `tasks`.

        `most_idle` is the number of processes that may wait for a game.  Default: every process is ended after its
        game.
        """
        self.isolation = isolation
        self.restarts: Counter[str] = Counter()
        """For each bot, how often a process that had played a game could not play another one."""
        self._tasks = tasks
        self._most_idle = most_idle
        self.keeps = most_idle > 0
        """True if processes stay between games."""
        self._idle: list[PooledBot] = []  # the last one has waited for the shortest time
        self._unusable: Counter[str] = Counter()  # in a row
        self._half_played: set[tuple[str, object]] = set()
        """Bots with pairs of games; each has played one game of the pair."""
        # A stopped process outside a sandbox would outlive an arbiter that is killed.
        self._freezes = isolation.name == SANDBOXED

    def take(
        self, kind: BotKind, seat: Seat, log: BotLog, excuse: Excuse | None = None, shared: SharedParts | None = None
    ) -> PooledBot:
        """Return a bot that may play a game with these shared parts: one that waits, or a new one.

        Raises OSError if the launcher of a new process cannot be started.
        """
        bot = self._find(kind, shared)
        if bot is None:
            link = self._start(kind)
            timer: MoveTimer | Untimed
            if isinstance(kind.program, NetworkPlayer):
                timer = RemoteTimer(kind.time, lag_monitor()) if kind.program.is_timed else Untimed()
            else:
                timer = MoveTimer(kind.time, lag_monitor())
            bot = PooledBot(kind, SeatedPlayer(seat, link, timer, log), link)
            if is_measurable() and bot.player.off_turn is not None:
                self._tasks.start_soon(bot.player.off_turn.watch)
        bot.player.take_seat(seat, log, excuse, partial(self._renew, bot) if self.keeps else None)
        if shared is not None:
            # At once: these know something about the game that begins.
            self._freeze(other for other in self._idle if not shared.parts.isdisjoint(other.seen))
            bot.seen |= shared.parts
            bot.pair = shared.pair
        return bot

    async def release(self, bots: Iterable[PooledBot], *, is_voided: bool) -> None:
        """Take bots back after their game, with the logs of their errors: to wait for the next one, or to end them."""
        slow: list[tuple[PooledBot, bool]] = []
        for bot in bots:
            name = bot.kind.program.name
            if bot.pair is not None and not is_voided:
                self._half_played ^= {(name, bot.pair)}
            player = bot.player
            if player.earlier_games:
                self._unusable[name] = 0
            has_breach = player.off_turn is not None and player.off_turn.breach is not None
            is_usable = player.can_play_again and not has_breach and player.earlier_games < _MOST_GAMES
            stays = self.keeps and not is_voided and is_usable and self._unusable[name] < _MOST_UNUSABLE
            if stays and not (bot.process is not None and bot.process.writes_errors):
                self._keep(bot)
            else:
                slow.append((bot, stays))
        if slow:
            async with trio.open_nursery() as nursery:
                for bot, stays in slow:
                    nursery.start_soon(self._release_slowly, bot, stays)

    async def _release_slowly(self, bot: PooledBot, stays: bool) -> None:
        if stays:
            await trio.sleep(_LAST_LINES_S)
            self._keep(bot)
        else:
            await self._end(bot)
            bot.unread = bot.link.unread
            if bot.process is not None:
                bot.errors = bot.process.log

    def _keep(self, bot: PooledBot) -> None:
        if bot.process is not None:
            bot.errors = bot.process.take_log()
        bot.player.earlier_games += 1
        bot.idle_since = trio.current_time()
        self._idle.append(bot)
        if len(self._idle) > self._most_idle:
            self._tasks.start_soon(self._end, self._idle.pop(0))

    def discard(self, names: Collection[str]) -> None:
        """End the waiting processes of some bots."""
        for bot in [bot for bot in self._idle if bot.kind.program.name in names]:
            self._idle.remove(bot)
            self._tasks.start_soon(self._end, bot)

    async def close(self) -> None:
        """End all bots that wait.  Shielded."""
        idle, self._idle = self._idle, []
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as ending:
                for bot in idle:
                    ending.start_soon(self._end, bot)

    async def stop_idle(self) -> None:
        """Stop bots that have waited for a moment; runs until it is cancelled.

        In a series of games between two bots, they usually wait for a shorter time.
        """
        while True:
            await trio.sleep(_FREEZE_AFTER_S)
            before = trio.current_time() - _FREEZE_AFTER_S
            self._freeze(bot for bot in self._idle if bot.idle_since < before)

    # --- waiting bots -----------------------------------------------------------------------------

    def _find(self, kind: BotKind, shared: SharedParts | None) -> PooledBot | None:
        """Take the bot that has waited for the shortest time, of those that know nothing about the game."""
        for bot in reversed(self._idle):
            knows_parts = shared is not None and not shared.parts.isdisjoint(bot.seen)
            # A bot that knows something about a game to come, in which another process of it plays, waits for its end.
            if bot.kind != kind or knows_parts or (kind.program.name, bot.pair) in self._half_played:
                continue
            self._idle.remove(bot)
            bot.thaw()
            if not bot.link.has_exited and not bot.link.reader.unsolicited():
                bot.link.begin_next_game()
                return bot
            self._note_unusable(kind.program.name)
            self._tasks.start_soon(self._end, bot)
        return None

    def _freeze(self, bots: Iterable[PooledBot]) -> None:
        for bot in bots:
            if self._freezes and bot.process is not None and not bot.is_frozen:
                bot.process.freeze()
                bot.is_frozen = True

    # --- processes --------------------------------------------------------------------------------

    def _start(self, kind: BotKind) -> BotProcess | NetworkLink:
        if isinstance(kind.program, NetworkPlayer):
            return kind.program.hub.open_link(kind.program.name, kind.time)
        process = BotProcess(kind.program, self.isolation, kind.cores)
        self._tasks.start_soon(process.watch)
        self._tasks.start_soon(process.drain)
        return process

    async def _renew(self, bot: PooledBot) -> BotProcess | NetworkLink:
        """Replace the process of a bot that has played before but fails before its first answer in a game."""
        self._note_unusable(bot.kind.program.name)
        with trio.CancelScope(shield=True):
            await bot.link.end(0)
        bot.link = self._start(bot.kind)
        return bot.link

    def _note_unusable(self, name: str) -> None:
        self.restarts[name] += 1
        self._unusable[name] += 1

    async def _end(self, bot: PooledBot) -> None:
        with trio.CancelScope(shield=True):
            bot.thaw()
            if bot.player.off_turn is not None:
                bot.player.off_turn.close()
            await bot.player.send_bye()
            await bot.link.end(GRACE_S)


@asynccontextmanager
async def open_pool(isolation: Isolation, most_idle: int) -> AsyncIterator[BotPool]:
    """Open a pool for several games; at the end, no process of it is left."""
    async with trio.open_nursery() as tasks:
        pool = BotPool(isolation, tasks, most_idle)
        tasks.start_soon(pool.stop_idle)
        try:
            yield pool
        finally:
            await pool.close()
            tasks.cancel_scope.cancel()

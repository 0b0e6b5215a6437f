"""The games of one run in a worker process: orders, the trio loop that obeys them, and reports."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import trio
from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.cluster.messages import (
    Assignment,
    EndProcesses,
    GameBegan,
    GameLine,
    GameNotBegun,
    GamePlayed,
    GameReport,
    GameVoided,
    Prepared,
    RunSettings,
    StopGame,
    decode_order,
    encode,
    report_played,
)
from arbiter.cluster.readiness import FindFolder, PortableBot, Readiness, StartOptions, prepare_bots
from arbiter.errors import ConfigError
from arbiter.referee.game import GameSpec
from arbiter.sandbox.cores import share_out
from arbiter.sandbox.process import adopt_orphans
from arbiter.sandbox.select import select_isolation
from arbiter.tournament.events import Void
from arbiter.tournament.execution.executor import Excuses, GameTask, Played, make_game_spec
from arbiter.tournament.execution.local import LocalExecutor
from protocol.words import Seat

_SOON_S: Final = 0.03  # reports other than the ends of games are collected for this long


class WorkerGames:
    """The games of one run.  Only its own trio loop may use them."""

    def __init__(self, settings: RunSettings, send: Callable[[bytes], object]) -> None:
        """Prepare to play; `send` receives encoded reports."""
        self._settings = settings
        self._send = send
        self._programs = {program.name: program for program in settings.programs}
        self._waiting: dict[str, Assignment] = {}
        """Games that wait for others to end, by their keys, the oldest one first."""
        self._scopes: dict[str, trio.CancelScope] = {}
        """Of games in progress, by their keys."""
        self._all = trio.CancelScope()
        self._reports: list[GameReport] = []
        self._has_reports = trio.Event()
        self._restarts: Counter[str] = Counter()
        """Restarts of each bot that were reported."""

    async def play(self, ready: Callable[[Prepared], object]) -> None:
        """Play the games that are ordered, until they are stopped; call `ready` when that is possible, or is not."""
        settings = self._settings
        try:
            adopt_orphans()
            # In this thread: a sandbox of root changes the mounts of the thread that starts bots.
            self._isolation = select_isolation(settings.isolation, settings.programs, settings.hidden_files).isolation
            cores = share_out(settings.jobs)
            own = [cores[number] for number in settings.numbers]
            self._executor = LocalExecutor(
                self._isolation, settings.jobs, settings.speed, own, keeps_processes=settings.keeps_processes
            )
            self._slots = len(own)
        except (ConfigError, OSError) as error:
            ready(Prepared(fault=str(error)))
            return
        # The processes of games in progress end before those that wait.
        with self._all:
            async with self._executor.open(lambda: None, lambda _error: None), trio.open_nursery() as self._games:
                ready(Prepared(isolation=self._isolation.name))
                while True:  # send reports together that are made within a short time
                    await self._has_reports.wait()
                    await trio.sleep(_SOON_S)
                    self._has_reports = trio.Event()
                    self._send_reports()

    def stop(self) -> None:
        """Stop all games."""
        self._all.cancel()

    async def start_bots(
        self, bots: Sequence[PortableBot], find_folder: FindFolder, options: StartOptions
    ) -> list[Readiness]:
        """Find the bots on this machine, and start each of them once."""
        found = await prepare_bots(bots, find_folder, self._isolation, options, self._settings.hidden_files)
        self._programs |= {one.bot: one.program for one in found if one.program is not None}
        return found

    def obey(self, orders: Sequence[bytes]) -> None:
        """Begin and stop games, and end processes, as the coordinator orders."""
        if self._all.cancel_called:
            return
        for order in map(decode_order, orders):
            if isinstance(order, Assignment):
                self._waiting[order.key] = order
                self._begin_games()
            elif isinstance(order, EndProcesses):
                self._executor.discard(order.bots)
            elif order.key in self._waiting:
                del self._waiting[order.key]
                self._report(GameNotBegun(order.key))
            elif isinstance(order, StopGame) and order.key in self._scopes:
                self._scopes[order.key].cancel()

    def _begin_games(self) -> None:
        """Begin the games that have waited the longest, as many as there is room for."""
        while self._waiting and len(self._scopes) < self._slots and not self._all.cancel_called:
            key = next(iter(self._waiting))
            scope = self._scopes[key] = trio.CancelScope()
            self._games.start_soon(self._play, self._waiting.pop(key), scope)

    async def _play(self, assignment: Assignment, scope: trio.CancelScope) -> None:
        """Play a game and report it."""
        key = assignment.key
        has_begun = False

        def note_begin() -> None:
            nonlocal has_begun
            has_begun = True
            self._report(GameBegan(key))

        try:
            with scope:
                outcome = await self._executor.try_game(self._make_task(assignment, note_begin))
                if isinstance(outcome, Played):
                    game = outcome.game
                    is_kept = self._settings.logs.has(assignment.fixture.bots, game.result.winner, game.result.ending)
                    log = game.log if is_kept else replace(game.log, wire={})
                    restarts: dict[Seat, int] = {}  # since this was reported
                    for seat, bot in assignment.fixture.bots.items():
                        if count := self._executor.restarts.get(bot, 0) - self._restarts[bot]:
                            restarts[seat] = count
                            self._restarts[bot] += count
                    with trio.CancelScope(shield=True):  # it was played to its end
                        # In a thread: a long record takes a millisecond.
                        self._report(await trio.to_thread.run_sync(report_played, key, outcome, log, restarts))
        finally:
            del self._scopes[key]
            self._begin_games()
        if not has_begun:
            self._report(GameNotBegun(key))

    def _make_task(self, assignment: Assignment, note_begin: Callable[[], None]) -> GameTask:
        key = assignment.key
        fixture = assignment.fixture

        def make_spec(_speed: float | None) -> GameSpec:  # the coordinator has scaled the clocks
            header = assignment.header
            time = header.time or TimeSettings()
            spec = make_game_spec(header, header.game(), time, assignment.retries, self._programs)
            return replace(
                spec,
                versions=assignment.versions,
                shared=assignment.shared,
                keeps_messages=self._settings.logs.needs_messages,
            )

        async def note(void: Void) -> None:
            self._report(GameVoided(key, void.attempt, void.log))
            await trio.lowlevel.checkpoint()

        return GameTask(
            fixture=fixture,
            make_spec=make_spec,
            excuses=Excuses.of_game(fixture.id, assignment.used_excuses),
            is_wanted=lambda: True,
            began=note_begin,
            note=note,
            follow=(lambda line: self._report(GameLine(key, line))) if assignment.follow else None,
        )

    def _report(self, report: GameReport) -> None:
        """Report something about a game: its end at once, with all that was reported before, other things soon."""
        self._reports.append(report)
        if isinstance(report, GamePlayed | GameVoided | GameNotBegun):
            self._send_reports()
        elif len(self._reports) == 1:
            self._has_reports.set()

    def _send_reports(self) -> None:
        if self._reports:
            self._send(encode(self._reports))
            self._reports.clear()

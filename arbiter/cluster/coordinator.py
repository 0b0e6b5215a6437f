"""Coordinator: plays the games of a run as tasks of Dask, and receives what the workers report."""

import math
import operator
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.cluster.addresses import Access
from arbiter.cluster.arrival import Refused, check_elapsed, check_machine, check_played, check_voided
from arbiter.cluster.connect import Cluster, call_in_trio, open_local, open_running
from arbiter.cluster.machines import Machine, measure_machine
from arbiter.cluster.messages import (
    Assignment,
    GameBegan,
    GameLine,
    GameOrder,
    GamePlayed,
    News,
    RunSettings,
    TaskReport,
    decode_news,
    decode_report,
    encode,
)
from arbiter.cluster.portable import make_portable
from arbiter.cluster.roster import Roster
from arbiter.errors import ConfigError, write_count
from arbiter.record import GameHeader
from arbiter.sandbox.isolation import Program
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.entries import EntryStore
from arbiter.tournament.events import Reason, Void, make_attempt
from arbiter.tournament.execution.executor import GameTask, Played, is_kill
from arbiter.tournament.machine import Jobs
from arbiter.tournament.programs import ProgramDigests

_MOST_LOSSES: Final = 10  # of workers in a row with the same game; then it is held for another run
_TASKS_A_THREAD: Final = 3  # so many that the scheduler has a queue, which it shares out and scales the cluster by
_MORE_TASKS: Final = 8
_MORE_HERE: Final = 2  # tasks than threads on this machine, so that the next game begins at once
_LOOK_S: Final = 2.0
_CHECK_S: Final = 0.5
_LOAD: Final = 20  # looking for workers takes at most a twentieth of the time
_CLOCKS: Final = (time.CLOCK_MONOTONIC, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC), time.CLOCK_REALTIME)
_PAUSE_S: Final = 1.0  # before a task that failed at once is tried again; it doubles with each further failure
_LONGEST_PAUSE_S: Final = 20.0

Report = Callable[[str], object]
"""Receives a sentence for the operator, before the first game and during the run."""


class _Game(Struct, eq=False):
    """A game that was handed over, on its way through one try."""

    task: GameTask
    over: trio.Event
    outcome: Played | Void | ConfigError | None = None
    """Known when it is over; None if it did not begin."""
    header: GameHeader | None = None
    """Header that was sent."""
    missing: set[str] = msgspec.field(default_factory=set)
    """Bots that a worker lacked: Dask sends them with the next task."""
    near: str = ""
    """The worker that lacked them."""
    losses: int = 0
    began: float = -math.inf
    """Time at which it began on a worker, in seconds of the clock of trio."""
    started: str = ""
    """The same as ISO 8601 in UTC; empty if it has not begun."""
    place: tuple[str, Machine] | None = None
    """The worker on which it began."""

    @property
    def has_begun(self) -> bool:
        """True if a worker has reported that it began."""
        return self.place is not None

    @property
    def where(self) -> str:
        """Description of the worker on which it began."""
        return "a worker" if self.place is None else f"the worker {self.place[0]} on {self.place[1].host}"

    def begin(self, worker: str, machine: Machine) -> None:
        """Note that it began on a worker, unless that is known."""
        if self.place is None:
            self.place = worker, machine
            self.began = trio.current_time()
            self.started = datetime.now(UTC).isoformat(timespec="seconds")
            self.task.began(machine.host, worker)

    def end(self, outcome: Played | Void | ConfigError | None) -> None:
        """Note the outcome, if there is none."""
        if not self.over.is_set():
            self.outcome = outcome
            self.over.set()

    def result(self) -> Played | Void | None:
        """Return the outcome.  Raises ConfigError if no machine may play it."""
        if isinstance(self.outcome, ConfigError):
            raise self.outcome
        return self.outcome


def read_clocks() -> tuple[float, ...]:
    """Return the time of clocks in seconds; if this machine is suspended, at least one of them continues."""
    return tuple(map(time.clock_gettime, _CLOCKS))


class _Attempt:
    """A task of Dask, and the games that it plays."""

    def __init__(self, key: tuple[str, ...], games: Sequence[_Game], workers: set[str] | None) -> None:
        self.key = key
        self.games = games
        self.workers = workers
        """The only workers that may play it.  Default: any."""
        self.scope = trio.CancelScope()
        """Cancelled to take the task back."""
        self.news: list[tuple[News, GameBegan | GameLine]] = []
        self.report: bytes | Exception | None = None
        self.changed = trio.Event()
        self.submitted = read_clocks()

    @property
    def is_wanted(self) -> bool:
        """False if no game has begun, and some are not to begin any more."""
        return any(game.has_begun for game in self.games) or all(game.task.is_wanted() for game in self.games)

    def add_missing(self, bots: Collection[str], worker: str) -> bool:
        """Note that a worker lacks bots: Dask sends them with the next task.  Return False if this one had them."""
        is_new = not all(game.missing.issuperset(bots) for game in self.games)
        for game in self.games:
            game.missing.update(bots)
            game.near = worker
        return is_new


class ClusterExecutor:
    """Plays games on the workers of a cluster.

    Dask decides which worker plays which game, and gives the games of lost workers to others.
    """

    def __init__(
        self,
        cluster: Cluster,
        roster: Roster,
        settings: RunSettings,
        programs: Sequence[Program] | None,
        *,
        name: str,
        jobs: int | None,
    ) -> None:
        """Play on the workers of a roster, with `programs` on their machine.  Default: with the bots of the cluster.

        `name` is that of the tournament.  `jobs` is the number of games at a time.  Default: as many as there are
        threads.
        """
        self.cluster = cluster
        self.isolation = roster.isolation
        self.plays_pairs = programs is None
        """True on other machines: then one of them plays both games of a pair.  Here it does anyway."""
        self.restarts: Counter[str] = Counter()
        """For each bot, how often a process that had played a game could not play another one."""
        self._roster = roster
        self._settings = settings
        self._programs = programs
        self._name = name
        self._jobs = jobs
        self._waiting: dict[str, _Game] = {}
        """Games that wait for the other one of their pair, by their ids."""
        self._left: set[str] = set()
        """Games that are not tried any more although the other one of their pair is."""
        self._attempts: dict[str, _Attempt] = {}
        """The tasks in progress, by their keys as text."""
        self._number = 0
        self._avoided: dict[str, set[str]] = {}
        """Machines on which a game failed, by its id."""
        self._absent: dict[str, None] = {}
        self._look = trio.Event()

    @property
    def jobs(self) -> Jobs:
        """The number of games that are played at the same time, and on which machines."""
        threads, machines = self._roster.threads, self._roster.machines
        where = f"{write_count(len(self._roster.workers), 'worker')} on {write_count(len(machines), 'machine')}"
        cores = sum(machine.cores for machine in machines)
        return Jobs(number=min(threads, self._jobs or threads), cores=cores, why=where)

    @property
    def capacity(self) -> int:
        """The number of games that can be handed over: some wait in the queue of the scheduler."""
        threads = self._roster.threads
        if self.plays_pairs:
            return 2 * (self._jobs or _TASKS_A_THREAD * threads + _MORE_TASKS)
        return self._jobs or threads + _MORE_HERE

    @asynccontextmanager
    async def open(self, changed: Callable[[], None], fail: Callable[[ConfigError], None], /) -> AsyncIterator[None]:
        """Receive news, and watch the workers."""
        self._changed, self._fail = changed, fail
        await self.cluster.loop.run(self.cluster.listen(call_in_trio(self._receive)))
        self._turns = trio.CapacityLimiter(self._jobs or math.inf)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch)
            nursery.start_soon(self._check)
            try:
                yield
            finally:
                nursery.cancel_scope.cancel()

    def discard(self, bots: Collection[str], /) -> None:
        """End the processes of bots that wait for another game, when their workers get the next game of the run."""
        self._absent |= dict.fromkeys(bots)

    def leave(self, game_id: str, mate: str, /) -> None:
        """Note that a game is not tried any more: the other game of its pair waits for it no longer."""
        self._avoided.pop(game_id, None)
        if mate in self._left:
            self._left.discard(mate)
        elif mate:
            self._left.add(game_id)
            if mate in self._waiting:
                self._waiting[mate].over.set()  # it plays alone

    # --- games ------------------------------------------------------------------------------------

    async def try_game(self, task: GameTask) -> Played | Void | None:
        """Play a game on a worker, with the other game of its pair if that is to be played too.

        Raises ConfigError if no machine may play it.
        """
        while task.is_wanted():
            game = _Game(task, trio.Event())
            mate = self._waiting.pop(task.mate, None)
            if mate is None and task.mate and task.mate not in self._left:
                self._waiting[task.fixture.id] = game
                try:
                    await game.over.wait()
                finally:
                    is_alone = self._waiting.pop(task.fixture.id, None) is not None
                if is_alone:
                    game.over = trio.Event()
                    await self._play([game])
            else:
                await self._play([game] if mate is None else [mate, game])
            if (outcome := game.result()) is not None:
                return outcome
        return None

    async def replay(self, task: GameTask, host: str, worker: str, /) -> Played | Void | None:
        """Play a game again on another machine than `host`, or on another worker than `worker` if there is no other.

        Return None if there is no other worker, or if the run is stopped before.  Raises ConfigError.
        """
        workers = self._roster.workers
        for able in (
            {address for address in workers if workers[address][0].host != host},
            workers.keys() - {worker},
        ):
            chosen = self._roster.choose(task.fixture.bots.values())
            if able & (workers.keys() if chosen is None else chosen):
                game = _Game(task, trio.Event())
                await self._play([game], able)
                return game.result()
        return None

    async def _play(self, games: Sequence[_Game], only: set[str] | None = None) -> None:
        """Try games until each has an outcome, or has not begun although a game before it has."""
        try:
            async with self._turns:
                while not any(game.over.is_set() for game in games):
                    await self._try(games, only)
        except ConfigError as error:
            for game in games:
                game.end(error)
        finally:
            for game in games:
                game.end(None)

    async def _try(self, games: Sequence[_Game], only: set[str] | None) -> None:
        """Play games as one task of Dask; those that have an outcome then are over.  Raises ConfigError."""
        bots = list(dict.fromkeys(bot for game in games for bot in game.task.fixture.bots.values()))
        avoided = {machine for game in games for machine in self._avoided.get(game.task.fixture.id, ())}
        workers = self._roster.choose(bots, avoided)
        if only is not None:
            workers = only & (self._roster.workers.keys() if workers is None else workers)
        self._number += 1
        key = (self.cluster.run, self._name, *(game.task.fixture.id for game in games), str(self._number))
        attempt = self._attempts[str(key)] = _Attempt(key, games, workers)
        for game in games:
            game.place, game.started = None, ""
        try:
            if not all(game.task.is_wanted() for game in games) or (only is not None and not workers):
                for game in games:
                    game.end(None)
                return
            if workers is not None and not workers:
                await trio.sleep(_PAUSE_S)  # until another worker comes
                return
            await self._wait(attempt, self._assign(games, bots))
            await self._conclude(attempt)
        except trio.Cancelled:
            for game in games:
                if game.has_begun and not game.over.is_set():
                    with trio.CancelScope(shield=True), suppress(ConfigError):
                        await self._void(game, "stopped", "the run was stopped")
            raise
        finally:
            del self._attempts[str(key)]
            self.cluster.loop.call_soon(partial(self.cluster.forget, key))

    def _assign(self, games: Sequence[_Game], bots: Collection[str]) -> Assignment:
        """Make the assignment of a task that plays games of some bots."""
        orders = []
        for game in games:
            fixture = game.task.fixture
            spec = game.task.make_spec(None)
            game.header = spec.header
            orders.append(
                GameOrder(
                    fixture=fixture,
                    header=spec.header,
                    retries=spec.settings.tries,
                    used_excuses=game.task.excuses.list_used(fixture.id, (fixture.red, fixture.blue)),
                    versions=dict(spec.versions),
                    shared=spec.shared,
                )
            )
        assignment = Assignment(
            run=replace(self._settings, isolation=self._roster.tier), games=tuple(orders), absent=tuple(self._absent)
        )
        if self._programs is None:
            return replace(assignment, sent=tuple(bots), blamed=tuple(self._roster.blamed.intersection(bots)))
        return replace(assignment, programs=tuple(program for program in self._programs if program.name in bots))

    async def _wait(self, attempt: _Attempt, assignment: Assignment) -> None:
        """Give a task to Dask, and wait until it is done or taken back; note what happens meanwhile."""
        workers = None if attempt.workers is None else [*attempt.workers]
        bots = {bot for game in attempt.games for bot in game.missing}
        promise = self.cluster.loop.start(
            self.cluster.play(attempt.key, encode(assignment), workers, sorted(bots), attempt.games[0].near)
        )
        promise.add_done_callback(call_in_trio(lambda _promise: attempt.changed.set()))
        try:
            with attempt.scope:
                while not promise.done():
                    await attempt.changed.wait()
                    attempt.changed = trio.Event()
                    for news, event in attempt.news:
                        await self._note(attempt, news, event)
                    attempt.news.clear()
                try:
                    attempt.report = promise.result()
                except (Exception, CancelledError) as error:  # noqa: BLE001 - of Dask, or of a wrong worker
                    attempt.report = error
        finally:
            promise.cancel()

    async def _note(self, attempt: _Attempt, news: News, event: GameBegan | GameLine) -> None:
        """Note what a worker reports of a game before it is over."""
        for game in attempt.games:
            if game.task.fixture.id == event.game:
                await self._begin(game, news.worker, news.machine)
                if isinstance(event, GameLine) and game.task.follow is not None:
                    game.task.follow(event.line)

    async def _begin(self, game: _Game, worker: str, machine: Machine) -> None:
        """Note that a game began on a worker; if it had begun in another process, that one was lost."""
        if game.place is not None and game.place[1].process != machine.process:
            await self._lose(game)
        game.begin(worker, machine)

    async def _lose(self, game: _Game) -> None:
        """Note that the worker on which a game began was lost."""
        await self._void(game, "lost", f"{game.where} was lost")
        game.losses += 1
        game.place, game.started = None, ""

    async def _void(self, game: _Game, reason: Reason, why: str) -> Void:
        """Note and return the voided attempt of a game without a report of it."""
        fixture = game.task.fixture
        seconds = trio.current_time() - game.began if game.started else 0.0
        attempt = make_attempt(fixture, reason, why, game.started, seconds)
        if game.place is not None:
            attempt = replace(attempt, conditions=game.place[1].describe_conditions(self.isolation))
        void = Void(fixture, attempt)
        await game.task.note(void)
        return void

    # --- reports ----------------------------------------------------------------------------------

    async def _conclude(self, attempt: _Attempt) -> None:
        """Take up the report of a task that is done.  Raises ConfigError."""
        found = attempt.report
        if found is None:  # it was taken back
            for game in attempt.games:
                if game.has_begun:
                    await self._lose(game)
                elif not attempt.is_wanted:
                    game.end(None)
            return
        if isinstance(found, Exception):
            await self._take_up_failure(attempt, found)
            return
        try:
            report = decode_report(found)
            if self.plays_pairs:
                check_elapsed(report.games, max(map(operator.sub, read_clocks(), attempt.submitted)))
                await self._check_machine(attempt, report)
            await self._take_up(attempt, report)
        except msgspec.MsgspecError as error:
            await self._refuse(attempt, f"it cannot be read: {error}")
        except Refused as refusal:
            await self._refuse(attempt, str(refusal))

    async def _take_up_failure(self, attempt: _Attempt, error: Exception) -> None:
        """Take up that Dask has given up a task, or that its worker cannot play.  Raises ConfigError."""
        self.cluster.check()
        self._look.set()  # a worker may have come that cannot play
        for game in attempt.games:
            if game.has_begun:
                await self._lose(game)
            else:
                game.losses += 1
        if "deserialization of the task graph" in str(error):
            raise ConfigError(
                f"{self.cluster.name}: the scheduler has no arbiter; install stratego-arbiter {__version__} there, "
                "and start it again"
            )
        await self._hold(attempt, f"Dask gave it up: {error}")
        await _pause(attempt.games)

    async def _check_machine(self, attempt: _Attempt, report: TaskReport) -> None:
        """Compare the machine in a report with what the scheduler knows of it.  Raises Refused and ConfigError."""
        known = self._roster.workers.get(report.worker)
        if known is None:  # it has just joined, or left, or is not the one that it claims to be
            self._roster.update(await self.cluster.loop.run(self.cluster.list_workers()))
            known = self._roster.workers.get(await self.cluster.loop.run(self.cluster.find_player(attempt.key)))
        if known is not None:
            check_machine(report.machine, known[0])

    async def _take_up(self, attempt: _Attempt, report: TaskReport) -> None:
        """Take up a report that could be read.  Raises Refused and ConfigError."""
        machine = report.machine
        for warning in report.warnings:
            self._roster.report(warning)
        if report.missing and attempt.add_missing(report.missing, report.worker):
            return
        if fault := report.fault or " and ".join(f"it has not received {bot}" for bot in report.missing):
            self._roster.note_fault(machine, fault)
            if isinstance(fault, str):
                for game in attempt.games:
                    self._avoided.setdefault(game.task.fixture.id, set()).add(machine.id)
                    game.losses += 1
                await self._hold(attempt, fault)
                await _pause(attempt.games)
            return
        self._roster.note_works(machine, [bot for game in attempt.games for bot in game.task.fixture.bots.values()])
        self.restarts.update(report.restarts)
        for game, own in zip(attempt.games, report.games, strict=False):
            await self._begin(game, report.worker, machine)
            await self._end(game, await self._accept(game, own, machine), machine)
        if report.games:
            for game in attempt.games[len(report.games) :]:
                game.end(None)
        self._changed()

    async def _accept(self, game: _Game, report: GamePlayed | Void, machine: Machine) -> Played | Void:
        """Test the report of a game, and return its outcome.  Raises Refused."""
        fixture = game.task.fixture
        if isinstance(report, Void):
            check_voided(report.attempt, fixture, machine)
            if report.attempt.reason == "stopped":  # by somebody else than this run
                report = replace(
                    report, attempt=replace(report.attempt, reason="lost", why="its worker has stopped it")
                )
            return Void(fixture, report.attempt, report.log)
        header = game.header
        assert header is not None  # noqa: S101 - it was sent
        if self._settings.scales_time:
            header = game.task.make_spec(machine.speed).header
        if self.plays_pairs:  # workers on this machine are the arbiter's own
            # In a thread: a long game takes some milliseconds.
            await trio.to_thread.run_sync(check_played, report, header, machine, self.isolation)
        return Played(report, report.conditions)

    async def _end(self, game: _Game, outcome: Played | Void, machine: Machine) -> None:
        """Take up the outcome of a game; one that was voided may be tried again here, or by the arena."""
        self._roster.count_game(machine, voided=isinstance(outcome, Void))
        if isinstance(outcome, Played):
            if game.task.played_by is not None and game.place is not None:
                game.task.played_by(game.place[0])
            game.end(outcome)
            return
        await game.task.note(outcome)
        attempt = outcome.attempt
        if attempt.reason == "error" or is_kill(attempt.reason):
            self._avoided.setdefault(attempt.id, set()).add(machine.id)
        if attempt.reason == "lost":
            game.losses += 1
            if game.losses >= _MOST_LOSSES:
                game.end(outcome)
        # The worker decided by the excuses that the bot had left when the game was handed out.
        elif not is_kill(attempt.reason) or game.task.excuses.use(attempt.id, attempt.bot or "", attempt.reason):
            game.end(outcome)

    async def _refuse(self, attempt: _Attempt, why: str) -> None:
        """Refuse the report of a task, and give its machine no more games.  Raises ConfigError."""
        game = next(game for game in attempt.games if not game.over.is_set())
        fault = f"the result that it sent of {game.task.fixture.id} was refused: {why}"
        player = await self.cluster.loop.run(self.cluster.find_player(attempt.key))
        if player in self._roster.workers:  # by the scheduler, whatever the report claims
            game.place = player, self._roster.workers[player][0]
        await self._void(game, "refused", f"{game.where}: {fault}")
        game.losses += 1
        if game.place is not None:
            self._roster.exclude(game.place[1], fault)
        await self._hold(attempt, fault)

    async def _hold(self, attempt: _Attempt, why: str) -> None:
        """Hold games that have failed too often for another run."""
        for game in attempt.games:
            if game.losses >= _MOST_LOSSES and not game.over.is_set():
                game.end(await self._void(game, "lost", why))

    # --- workers ----------------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Find out which workers the cluster has, until the connection is lost."""
        try:
            while True:
                begun = trio.current_time()
                self._look = trio.Event()
                found = await self.cluster.loop.run(self.cluster.list_workers())
                threads = self._roster.threads
                self._roster.update(found)
                if threads and not self._roster.threads:
                    sentence = "no worker is left; the run continues when one joins the cluster, Ctrl-C stops it"
                    self._roster.report(sentence, again=True)
                if self._roster.threads > threads:
                    self._changed()
                # A long list takes the scheduler some time.
                with trio.move_on_after(max(_LOOK_S, _LOAD * (trio.current_time() - begun))):
                    await self._look.wait()
        except ConfigError as error:
            self._fail(error)

    async def _check(self) -> None:
        """Take back tasks that are not wanted any more or must not begin, and those whose workers have all left."""
        is_closed = False
        changes = 0
        try:
            while True:
                await trio.sleep(_CHECK_S)
                self.cluster.check()
                present = self._roster.present
                for attempt in tuple(self._attempts.values()):
                    has_left = attempt.workers is not None and attempt.workers.isdisjoint(present)
                    has_begun = any(game.has_begun for game in attempt.games)
                    if has_left or not attempt.is_wanted or (not has_begun and changes != self._roster.changes):
                        attempt.scope.cancel()
                changes = self._roster.changes
                games = [game for attempt in self._attempts.values() for game in attempt.games]
                if self.plays_pairs and not is_closed and games and not any(game.task.is_wanted() for game in games):
                    is_closed = True
                    await self.cluster.loop.run(self.cluster.close_run())
        except ConfigError as error:
            self._fail(error)

    def _receive(self, data: bytes) -> None:
        """Receive news of a worker; those of other games are dropped."""
        with suppress(msgspec.MsgspecError, TypeError):  # the latter if it is not a byte string
            news = decode_news(data)
            for event in news.events:
                if (attempt := self._attempts.get(event.key)) is not None:
                    attempt.news.append((news, event))
                    attempt.changed.set()


async def _pause(games: Sequence[_Game]) -> None:
    """Wait before games that were lost are tried again, so that a cluster in trouble can recover."""
    await trio.sleep(min(_LONGEST_PAUSE_S, _PAUSE_S * 2 ** max(game.losses - 1 for game in games)))


# --- executors that are ready for the first game --------------------------------------------------


@contextmanager
def open_worker_executor(
    workers: int, jobs: int, settings: RunSettings, tournament: Tournament, report: Report
) -> Iterator[ClusterExecutor]:
    """Start worker processes on this machine, which play `jobs` games at a time together.

    `settings` name the isolation of the bots.  Raises ConfigError.
    """
    programs = tournament.programs
    machine = measure_machine(jobs)
    slots = -(-jobs // workers)
    with open_local(workers, slots, machine) as cluster:
        names = [program.name for program in programs]
        roster = Roster(cluster.name, names, report, settings.isolation, isolation=settings.isolation or "")
        roster.update(cluster.loop.call(cluster.list_workers()))
        yield ClusterExecutor(
            cluster,
            roster,
            replace(settings, run=cluster.run),
            programs,
            name=tournament.file.name,
            jobs=None if workers * slots == jobs else jobs,
        )


@contextmanager
def open_cluster_executor(
    access: Access,
    settings: RunSettings,
    tournament: Tournament,
    digests: ProgramDigests,
    report: Report,
    *,
    entries: EntryStore | None,
    jobs: int | None,
) -> Iterator[ClusterExecutor]:
    """Connect to a running cluster, send it the bots of a tournament, and wait for a worker.

    The files of the bots are sent as `entries`; None if they have the same path on all machines.
    `jobs` is the number of games at a time on all machines together.  Default: as many as they can play.
    Raises ConfigError.
    """
    file = tournament.file
    with open_running(access) as cluster:
        names = [program.name for program in tournament.programs]
        for program in tournament.programs:
            data = encode(make_portable(program, digests, entries))
            cluster.loop.call(cluster.hold(program.name, data))
        roster = Roster(cluster.name, names, report, settings.isolation, mix=file.cluster.mix_sandboxes)
        _wait_for_worker(cluster, roster)
        settings = replace(settings, run=cluster.run, trusts_all=settings.isolation == "process")
        try:
            yield ClusterExecutor(cluster, roster, settings, None, name=file.name, jobs=jobs)
        finally:
            with suppress(ConfigError):
                cluster.check()
                cluster.loop.call(cluster.end_run())


def _wait_for_worker(cluster: Cluster, roster: Roster) -> None:
    """Wait until a worker can play.  Raises ConfigError if there are workers, but none of them can."""
    while True:
        roster.update(cluster.loop.call(cluster.list_workers()))
        if roster.threads:
            return
        if roster.present:
            faults = "; ".join(f"{address}: {fault}" for address, fault in roster.faults.items())
            raise ConfigError(f"{cluster.name}: no worker can play: {faults}")
        roster.report(f"{cluster.name}: no worker has joined yet; the run begins when one does, Ctrl-C ends it")
        time.sleep(_CHECK_S)

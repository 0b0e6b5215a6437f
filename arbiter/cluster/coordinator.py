"""Coordinator: plays the games of a run as tasks of Dask, and receives what the workers report."""

import math
import operator
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.cluster.addresses import Access
from arbiter.cluster.connect import Cluster, call_in_trio, open_local, open_running
from arbiter.cluster.messages import (
    Assignment,
    GameOrder,
    RunSettings,
    TaskReport,
    decode_news,
    decode_report,
    encode,
)
from arbiter.cluster.roster import Roster
from arbiter.errors import ConfigError, shorten, write_count
from arbiter.sandbox.isolation import Program
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.entries import EntryStore
from arbiter.tournament.events import Void, VoidCause, make_attempt
from arbiter.tournament.execution.arrival import (
    GamePlayed,
    ReportRefused,
    check_elapsed,
    check_machine,
    check_played,
    check_voided,
)
from arbiter.tournament.execution.executor import LAST_NOTE_S, GameTask, Played, is_kill
from arbiter.tournament.execution.machines import Machine, measure_machine
from arbiter.tournament.execution.portable import make_portable
from arbiter.tournament.machine import Jobs
from arbiter.tournament.programs import ProgramDigests
from protocol.reasons import ResultRefused, RunStopped, Voided, WorkerLost

_MOST_LOSSES: Final = 10  # of workers in a row with the same game; then it is held for another run
_TASKS_A_THREAD: Final = 3  # so many that the scheduler has a queue, which it shares out and scales the cluster by
_MORE_TASKS: Final = 8
_MORE_HERE: Final = 2  # tasks than threads on this machine, so that the next game begins at once
_LOOK_S: Final = 2.0
_CHECK_S: Final = 0.5
_LOAD: Final = 20  # looking for workers takes at most a twentieth of the time
_CLOCKS: Final = (time.CLOCK_MONOTONIC, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC), time.CLOCK_REALTIME)
_PAUSE_S: Final = 1.0  # before a task that failed at once is tried again; it doubles with each further failure
_MOST_DETAIL: Final = 2000  # letters of the reason of a voided attempt
_LONGEST_PAUSE_S: Final = 20.0

Report = Callable[[str], object]
"""Receives a sentence for the operator, before the first game and during the run."""


class _Game(Struct, eq=False):
    """A game that was handed over."""

    task: GameTask
    outcome: Played | Void | None = None
    """Known when it is over."""
    losses: int = 0
    """Number of tries that have failed."""
    place: tuple[str, Machine, datetime] | None = None
    """The worker on which it began, as that has reported, and the time in UTC; None if it has not begun."""

    @property
    def where(self) -> str:
        """Description of the worker on which it began."""
        return "a worker" if self.place is None else f"the worker {self.place[0]} on {self.place[1].host}"

    def make_void(self, cause: VoidCause, reason: Voided, isolation: str) -> Void:
        """Make a voided attempt that no worker reports; `isolation` is that of the event."""
        attempt = make_attempt(self.task.fixture, cause, reason, "")
        if self.place is not None:
            _, machine, began = self.place
            attempt = replace(
                attempt,
                started=began.isoformat(timespec="seconds"),
                seconds=round(max(0.0, (datetime.now(UTC) - began).total_seconds()), 3),
                conditions=machine.describe_conditions(isolation),
            )
        return Void(self.task.fixture, attempt)


def read_clocks() -> tuple[float, ...]:
    """Return the time of clocks in seconds; if this machine is suspended, at least one of them continues."""
    return tuple(map(time.clock_gettime, _CLOCKS))


class _Job:
    """Games that one worker plays one after the other, in one task of Dask, and in another one if that fails."""

    def __init__(self, tasks: Sequence[GameTask], only: set[str] | None = None) -> None:
        """Play games, on the workers `only`.  Default: on any."""
        self.games = [_Game(task) for task in tasks]
        self.only = only
        self.bots = sorted({bot for task in tasks for bot in task.fixture.bots.values()})
        self.missing: set[str] = set()
        """Bots that a worker lacked: Dask sends them with the next task."""
        self.near = ""
        """The worker that lacked them."""
        self.is_dropped = False
        """True if no worker may play it any more."""

    def begin(self, key: tuple[str, ...], workers: set[str] | None) -> None:
        """Prepare for a task with a key, which only some workers may play.  Default: any."""
        self.key = key
        self.workers = workers
        self.scope = trio.CancelScope()
        """Cancelled to take the task back."""
        self.submitted: tuple[float, ...] = ()
        """The time when Dask got the task, by several clocks."""
        self.future: Any = None
        """That of Dask, once there is a result."""
        for game in self.games:
            game.place = None

    @property
    def has_begun(self) -> bool:
        """True if a worker has reported that a game began."""
        return any(game.place is not None for game in self.games)

    @property
    def is_wanted(self) -> bool:
        """True if all games may begin still."""
        return not self.is_dropped and all(game.task.is_wanted() for game in self.games)


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
        self._tasks: dict[str, _Job] = {}
        """The tasks in progress, by their keys as text."""
        self._number = 0
        self._avoided: dict[str, set[str]] = {}
        """Machines on which a game failed, by its id."""
        self._absent: dict[str, None] = {}

    @property
    def jobs(self) -> Jobs:
        """The number of games that are played at the same time, and on which machines."""
        threads = self._roster.threads
        machines = self._roster.machines
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
        self._changed = changed
        self._fail = fail
        await self.cluster.loop.run(self.cluster.listen(call_in_trio(self._receive)))
        self._turns = trio.CapacityLimiter(self._jobs or math.inf)
        # Dask gives tasks that only some workers may play to these at once, ahead of the queue of all runs.
        self._unqueued = trio.CapacityLimiter(1)
        async with trio.open_nursery() as self._nursery:
            self._nursery.start_soon(self._watch)
            self._nursery.start_soon(self._check)
            try:
                yield
            finally:
                self._nursery.cancel_scope.cancel()

    def discard(self, bots: Collection[str], /) -> None:
        """End the processes of bots that wait for another game, when their workers get the next game of the run."""
        self._absent |= dict.fromkeys(bots)

    # --- games ------------------------------------------------------------------------------------

    async def try_games(self, tasks: Sequence[GameTask]) -> list[Played | Void | None]:
        """Play a game or a pair on a worker; None for a game that has not begun.

        Raises ConfigError if no machine may play it.
        """
        return await self._play(_Job(tasks))

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
                return (await self._play(_Job([task], able)))[0]
        return None

    async def _play(self, job: _Job) -> list[Played | Void | None]:
        """Try games until one has an outcome, or some are not to begin any more; return all outcomes."""
        async with self._turns:
            while job.is_wanted and all(game.outcome is None for game in job.games):
                await self._try(job)
        return [game.outcome for game in job.games]

    async def _try(self, job: _Job) -> None:
        """Play games as one task of Dask; one that is not tried again has an outcome then.  Raises ConfigError."""
        avoided = {machine for game in job.games for machine in self._avoided.get(game.task.fixture.id, ())}
        workers = self._roster.choose(job.bots, avoided)
        if job.only is not None:
            workers = job.only & (self._roster.workers.keys() if workers is None else workers)
            job.is_dropped = not workers
        if workers is not None and not workers:
            await trio.sleep(_PAUSE_S)  # until another worker comes
            return
        self._number += 1
        # Dask queues only the tasks of a group, which the first word names, that depend on few others.
        group = f"{self.cluster.run}-bots" if job.missing else self.cluster.run
        key = (group, self._name, *(game.task.fixture.id for game in job.games), str(self._number))
        job.begin(key, workers)
        self._tasks[str(key)] = job
        self._unqueued.total_tokens = max(1, self._roster.threads)
        try:
            async with nullcontext() if workers is None else self._unqueued:
                result = await self._submit(job)
            await self._conclude(job, result)
        except trio.Cancelled:
            for game in job.games:
                if game.place is not None and game.outcome is None:
                    with trio.move_on_after(LAST_NOTE_S, shield=True), suppress(ConfigError):
                        await game.task.note(game.make_void("stopped", RunStopped(), self.isolation))
            raise
        finally:
            del self._tasks[str(key)]
            if job.future is not None:
                job.future.release()

    async def _submit(self, job: _Job) -> bytes | BaseException | None:
        """Give a task to Dask, and return its result, or the exception of it; None if it was taken back."""
        workers = None if job.workers is None else [*job.workers]
        job.submitted = read_clocks()
        task = self.cluster.play(job.key, encode(self._assign(job)), workers, sorted(job.missing), job.near)
        with job.scope:
            done = await self.cluster.loop.finish(task)
            # An exception of Dask or of a wrong worker is not raised: it could end the run.
            if done.cancelled() or done.exception() is not None:
                return CancelledError() if done.cancelled() else done.exception()
            result, job.future = done.result()
            return result
        return None

    def _assign(self, job: _Job) -> Assignment:
        """Make the assignment of a task."""
        orders = []
        for game in job.games:
            fixture = game.task.fixture
            spec = game.task.make_spec(None)
            orders.append(
                GameOrder(
                    fixture=fixture,
                    header=spec.header,
                    retries=spec.settings.tries,
                    used_excuses=game.task.excuses.list_used(fixture.id, (fixture.red, fixture.blue)),
                    versions=dict(spec.versions),
                    shared=spec.shared,
                    values={seat: dict(values) for seat, values in spec.values.items()},
                )
            )
        assignment = Assignment(
            run=replace(self._settings, isolation=self._roster.tier), games=tuple(orders), absent=tuple(self._absent)
        )
        if self._programs is None:
            return replace(assignment, sent=tuple(job.bots), blamed=tuple(self._roster.blamed.intersection(job.bots)))
        return replace(assignment, programs=tuple(program for program in self._programs if program.name in job.bots))

    async def _note(self, game: _Game, void: Void) -> None:
        """Note a voided attempt."""
        try:
            await game.task.note(void)
        except ConfigError as error:
            self._fail(error)

    def _begin(self, game: _Game, worker: str, machine: Machine) -> None:
        """Note that a game began on a worker; if it had begun in another process, that one was lost."""
        if game.place is not None and game.place[1].process != machine.process:
            self._lose(game)
        if game.place is None:
            game.place = worker, machine, datetime.now(UTC)
            game.task.began(machine.host, worker)

    def _lose(self, game: _Game, fault: str = "was lost") -> None:
        """Note that a try has failed; a game that had begun is voided because of a fault of its worker."""
        if game.place is not None:
            void = game.make_void("lost", WorkerLost(game.where, shorten(fault, _MOST_DETAIL)), self.isolation)
            self._nursery.start_soon(self._note, game, void)
        game.losses += 1
        game.place = None

    # --- reports ----------------------------------------------------------------------------------

    async def _conclude(self, job: _Job, result: bytes | BaseException | None) -> None:
        """Take up the result of a task, or that it has none.  Raises ConfigError."""
        if isinstance(result, bytes):
            try:
                report = decode_report(result)
                if self.plays_pairs:
                    check_elapsed(report.games, max(map(operator.sub, read_clocks(), job.submitted)))
                    await self._check_machine(job, report)
                await self._take_up(job, report)
            except msgspec.MsgspecError as error:
                await self._refuse(job, f"it cannot be read: {error}")
            except ReportRefused as refusal:
                await self._refuse(job, str(refusal))
        elif result is not None:
            self.cluster.check()
            if "deserialization of the task graph" in str(result):
                raise ConfigError(
                    f"{self.cluster.name}: the scheduler has no arbiter; install stratego-arbiter {__version__} there, "
                    "and start it again"
                )
            await self._try_later(job, "was lost", f"Dask gave it up: {result}")
        else:
            for game in job.games:
                if game.place is not None:
                    self._lose(game)

    async def _try_later(self, job: _Job, fault: str, why: str) -> None:
        """Note that a task has failed, and wait, so that a cluster in trouble can recover.

        Games that have failed too often are held for another run.
        """
        games = [game for game in job.games if game.outcome is None]
        for game in games:
            self._lose(game, fault)
            if game.losses >= _MOST_LOSSES:
                game.outcome = game.make_void(
                    "lost", WorkerLost(game.where, shorten(why, _MOST_DETAIL)), self.isolation
                )
                await game.task.note(game.outcome)
        losses = max(game.losses for game in games)
        if losses < _MOST_LOSSES:
            await trio.sleep(min(_LONGEST_PAUSE_S, _PAUSE_S * 2 ** (losses - 1)))

    async def _check_machine(self, job: _Job, report: TaskReport) -> None:
        """Compare the machine in a report with what the scheduler knows.  Raises ReportRefused and ConfigError."""
        known = self._roster.workers.get(report.worker)
        if known is None:  # it has just joined, or left, or is not the one that it claims to be
            self._roster.update(await self.cluster.loop.run(self.cluster.list_workers()))
            known = self._roster.workers.get(await self.cluster.loop.run(self.cluster.find_player(job.future)))
        if known is not None:
            check_machine(report.machine, known[0])

    async def _take_up(self, job: _Job, report: TaskReport) -> None:
        """Take up a report that could be read.  Raises ReportRefused and ConfigError."""
        machine = report.machine
        for warning in report.warnings:
            self._roster.report(warning)
        if not job.missing.issuperset(report.missing):  # Dask sends them with the next task
            job.missing.update(report.missing)
            job.near = report.worker
            return
        if fault := report.fault or " and ".join(f"it has not received {bot}" for bot in report.missing):
            self._roster.note_fault(machine, fault)
            if isinstance(fault, str):
                for game in job.games:
                    self._avoided.setdefault(game.task.fixture.id, set()).add(machine.id)
                await self._try_later(job, f"failed: {fault}", fault)
            return
        self._roster.note_works(machine, job.bots)
        self.restarts.update(report.restarts)
        for game, own in zip(job.games, report.games, strict=False):
            self._begin(game, report.worker, machine)
            await self._end(game, await self._accept(game, own, machine), machine)
        self._changed()

    async def _accept(self, game: _Game, report: GamePlayed | Void, machine: Machine) -> Played | Void:
        """Test the report of a game, and return its outcome.  Raises ReportRefused."""
        fixture = game.task.fixture
        if isinstance(report, Void):
            check_voided(report.attempt, fixture, machine)
            if report.attempt.cause == "stopped":  # by somebody else than this run
                report = replace(
                    report,
                    attempt=replace(report.attempt, cause="lost", reason=WorkerLost(game.where, "has stopped it")),
                )
            return Void(fixture, report.attempt, report.log)
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
            game.outcome = outcome
            return
        await game.task.note(outcome)
        attempt = outcome.attempt
        if attempt.cause == "error" or is_kill(attempt.cause):
            self._avoided.setdefault(attempt.id, set()).add(machine.id)
        if attempt.cause == "lost":
            game.losses += 1
            is_over = game.losses >= _MOST_LOSSES
        else:  # the worker decided by the excuses that the bot had left when the game was handed out
            is_over = not is_kill(attempt.cause) or game.task.excuses.use(attempt.id, attempt.bot or "", attempt.cause)
        if is_over:
            game.outcome = outcome

    async def _refuse(self, job: _Job, why: str) -> None:
        """Refuse the report of a task, and give its machine no more games.  Raises ConfigError."""
        game = next(game for game in job.games if game.outcome is None)
        fault = f"the result that it sent of {game.task.fixture.id} was refused: {why}"
        player = await self.cluster.loop.run(self.cluster.find_player(job.future))
        if player in self._roster.workers:  # by the scheduler, whatever the report claims
            game.place = player, self._roster.workers[player][0], datetime.now(UTC)
        await game.task.note(
            game.make_void("refused", ResultRefused(game.where, shorten(fault, _MOST_DETAIL)), self.isolation)
        )
        if game.place is not None:
            self._roster.exclude(game.place[1], fault)
        for game in job.games:
            game.place = None  # no other attempt is noted
        await self._try_later(job, "", fault)

    # --- workers ----------------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Find out which workers the cluster has, until the connection is lost."""
        try:
            while True:
                begun = trio.current_time()
                found = await self.cluster.loop.run(self.cluster.list_workers())
                threads = self._roster.threads
                self._roster.update(found)
                if threads and not self._roster.threads:
                    sentence = "no worker is left; the run continues when one joins the cluster, Ctrl-C stops it"
                    self._roster.report(sentence, again=True)
                if self._roster.threads > threads:
                    self._changed()
                # A long list takes the scheduler some time.
                await trio.sleep(max(_LOOK_S, _LOAD * (trio.current_time() - begun)))
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
                jobs = tuple(self._tasks.values())
                for job in jobs:
                    has_left = job.workers is not None and job.workers.isdisjoint(present)
                    is_obsolete = not job.is_wanted or changes != self._roster.changes
                    if has_left or (is_obsolete and not job.has_begun):
                        job.scope.cancel()
                changes = self._roster.changes
                games = [game for job in jobs for game in job.games]
                if self.plays_pairs and not is_closed and games and not any(game.task.is_wanted() for game in games):
                    is_closed = True
                    await self.cluster.loop.run(self.cluster.close_run())
        except ConfigError as error:
            self._fail(error)

    def _receive(self, data: bytes) -> None:
        """Receive news of a worker; those of other games are dropped."""
        try:
            news = decode_news(data)
            for event in news.events:
                job = self._tasks.get(event.key)
                for game in () if job is None else job.games:
                    if game.task.fixture.id == event.game:
                        self._begin(game, news.worker, news.machine)
                        if event.line is not None and game.task.follow is not None:
                            game.task.follow(event.line)
        except ConfigError as error:
            self._fail(error)
        except (msgspec.MsgspecError, TypeError):  # the latter if it is not a byte string
            pass


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
            try:
                data = encode(make_portable(program, digests, entries))
            except ConfigError as error:
                if entries is None:
                    raise
                advice = "or set shared = true in [cluster] if all machines have it at the same path"
                raise ConfigError(f"{error}, {advice}") from None
            cluster.loop.call(cluster.hold(program.name, data))
        roster = Roster(cluster.name, names, report, settings.isolation, mix=file.cluster.mix_sandboxes)
        _wait_for_worker(cluster, roster)
        settings = replace(settings, run=cluster.run, trusts_all=settings.isolation == "process")
        try:
            yield ClusterExecutor(cluster, roster, settings, None, name=file.name, jobs=jobs)
        finally:
            with suppress(ConfigError):
                cluster.check()
                cluster.loop.call(cluster.close_run())


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

"""Coordinator: hands games to the workers of a cluster, and receives what they report."""

import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Any, Final

import msgspec
import trio
from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.cluster.admission import Admission, Slots
from arbiter.cluster.connect import FROZEN_S, Cluster, open_local, open_running
from arbiter.cluster.machines import measure_machine
from arbiter.cluster.messages import (
    Assignment,
    EndProcesses,
    GamePlayed,
    GiveBack,
    RunSettings,
    StopGame,
    decode_reports,
)
from arbiter.cluster.placement import WaitingGames
from arbiter.cluster.roster import Roster
from arbiter.cluster.shipment import Shipment
from arbiter.cluster.tries import Refused, Try, accept_report, read_stopped
from arbiter.cluster.wire import Reports, Wire
from arbiter.errors import ConfigError, write_count
from arbiter.record import GameHeader
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.events import Void
from arbiter.tournament.execution.executor import GameTask, Played, is_kill
from arbiter.tournament.programs import ProgramDigest, ProgramDigests

_MOST_LOSSES: Final = 10  # of workers in a row with the same game; then it is held for another run
_CHECK_S: Final = 1.0
_LOOK_S: Final = 5.0
_END_S: Final = 5.0  # how long a game that was stopped may take to end


class ClusterExecutor:
    """Plays games on the workers of a cluster.

    Dask runs the workers, transports orders and reports, and notices when workers are lost.  Which worker plays a game
    is decided here, so Dask never plays one again by itself: a game whose worker is lost gets a new key on another one.
    """

    def __init__(self, cluster: Cluster, roster: Roster, wire: Wire, *, follow: bool) -> None:
        """Play on the workers of a roster; with `follow`, records are reported while games are played."""
        self.isolation = roster.admission.isolation
        shipment = roster.admission.shipment
        self.sent: Mapping[str, ProgramDigest] = {} if shipment is None else shipment.sent
        """The digests of the programs that were sent to the machines, by the names of their bots."""
        self.note_games = roster.note_games
        """Notes the games of earlier runs before the first game."""
        self.cluster = cluster
        self._roster = roster
        self._placement = roster.placement
        self._wire = wire
        self._follow = follow
        self._tries: dict[str, Try] = {}
        self._waiting = WaitingGames(self._placement)
        self._failed: dict[str, set[str]] = {}
        """Workers on which a game failed, by its id."""
        self.restarts: Counter[str] = Counter()
        """For each bot, how often a process that had played a game could not play another one."""
        self._look = trio.Event()

    @property
    def cores(self) -> int:
        """The number of cores of all machines."""
        return sum({machine.id: machine.cores for machine in self._roster.machines.values()}.values())

    @property
    def where(self) -> str:
        """Description of the machines in a phrase."""
        machines = len({machine.id for machine in self._roster.machines.values()})
        workers = len(self._placement.workers)
        return f"{write_count(workers, 'worker')} on {write_count(machines, 'machine')}"

    @property
    def capacity(self) -> int:
        """The room of all workers.  Games that wait for a certain machine, or on it, leave it to others."""
        return self._placement.capacity + self._placement.waiting + len(self._waiting)

    @asynccontextmanager
    async def open(self, changed: Callable[[], None], fail: Callable[[ConfigError], None], /) -> AsyncIterator[None]:
        """Receive reports, and watch the workers."""
        self._waiting.changed = changed
        self._fail = fail
        self._token = trio.lowlevel.current_trio_token()
        client = self.cluster.client
        self._wire.listen(partial(self._call, self._receive))

        def notice(event: tuple[float, dict[str, Any]]) -> None:
            """Look for the workers at once when one comes or leaves."""
            if event[1].get("action") in {"add-worker", "remove-worker"}:
                self._call(self._look.set)

        client.subscribe_topic("all", notice)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch)
            try:
                yield
            finally:
                nursery.cancel_scope.cancel()
                self._wire.close()
                client.unsubscribe_topic("all")

    def discard(self, bots: Collection[str], /) -> None:
        """End the processes of bots that wait for another game."""
        for address in self._roster.machines:
            self._wire.send(address, EndProcesses(tuple(bots)))

    # --- games ------------------------------------------------------------------------------------

    async def try_game(self, task: GameTask) -> Played | Void | None:
        """Play a game on a worker, and again on another one if the worker is lost or sends something else.

        Raises ConfigError if all machines have been excluded.
        """
        losses = 0
        failed = self._failed.pop(task.fixture.id, set())
        while True:
            address = await self._waiting.take_worker(task, failed)
            if not address:
                return None
            try:
                one, header = await self._play_at(address, task)
            finally:
                self._placement.give_back(address)
                self._waiting.give_workers(self._roster.machines[address].id)
            outcome = await self._accept(one, header)
            if outcome is None:  # the worker was lost before the game began
                continue
            self._roster.count_game(self._roster.machines[address], voided=isinstance(outcome, Void))
            if isinstance(outcome, Played):
                return outcome
            await task.note(outcome)
            attempt = outcome.attempt
            if not self._placement.capacity and attempt.reason == "refused":
                raise ConfigError(
                    f"{self.cluster.name}: all machines are excluded; finished games are stored, run again to continue"
                )
            if attempt.reason == "error" or is_kill(attempt.reason):
                self._failed[attempt.id] = self._placement.choose_avoided(task.fixture, failed, address)
            if attempt.reason in {"lost", "refused"}:
                losses += 1
                if losses < _MOST_LOSSES:
                    continue
            # The worker decided by the excuses that the bot had left when the game was handed out.
            elif is_kill(attempt.reason) and not task.excuses.use(attempt.id, attempt.bot or "", attempt.reason):
                continue
            return outcome

    async def replay(self, task: GameTask, host: str, worker: str, /) -> Played | Void | None:
        """Play a game again on another machine than `host`, or on another worker than `worker` if there is no other.

        Return None if there is no other worker, or if the run is stopped before.  Raises ConfigError.
        """
        machines = self._roster.machines
        for avoided in ({address for address in machines if machines[address].host == host}, {worker}):
            if self._placement.has_other(task.fixture, avoided):
                self._failed[task.fixture.id] = avoided
                return await self.try_game(task)
        return None

    async def _play_at(self, address: str, task: GameTask) -> tuple[Try, GameHeader]:
        """Let a worker play a game, until it is over or the worker is lost; return it with the header that was sent."""
        machine = self._roster.machines[address]
        # The key contains what no other worker can know.
        one = Try(f"{self.cluster.run}-{secrets.token_hex(8)}", address, task, machine, self.isolation)
        self._tries[one.key] = one
        spec, fixture = task.make_spec(machine.speed), task.fixture
        order = Assignment(
            key=one.key,
            fixture=fixture,
            header=spec.header,
            retries=spec.settings.tries,
            used_excuses=task.excuses.list_used(fixture.id, (fixture.red, fixture.blue)),
            versions=dict(spec.versions),
            shared=spec.shared,
            follow=self._follow,
        )
        self._wire.send(address, order)
        try:
            await one.over.wait()
        except trio.Cancelled:
            self._wire.send(address, StopGame(one.key))
            with trio.move_on_after(_END_S, shield=True):
                await one.over.wait()
            if one.has_begun:
                with trio.CancelScope(shield=True), suppress(ConfigError):
                    await task.note(read_stopped(one))
            raise
        finally:
            del self._tries[one.key]
        return one, spec.header

    async def _accept(self, one: Try, header: GameHeader) -> Played | Void | None:
        """Return the outcome of a game; None if the worker was lost before the game began.

        If its report is refused, its machine plays no more games.
        """
        try:
            outcome = await accept_report(one, header, self.isolation, is_refereed=self._roster.admission.here is None)
        except Refused as refusal:
            fault = f"the result that it sent of {one.task.fixture.id} was refused: {refusal}"
            self._roster.exclude(one.machine, fault)
            return one.void("refused", f"the worker {one.address} on {one.machine.host}: {fault}")
        if isinstance(outcome, Played):
            if one.task.played_by is not None:
                one.task.played_by(one.address)
            if isinstance(one.report, GamePlayed):
                self.restarts.update(
                    {one.task.fixture.bots[seat]: count for seat, count in one.report.restarts.items()}
                )
        return outcome

    # --- workers ----------------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Find out which workers come, leave and do not answer, until the connection is lost."""
        is_empty = False
        next_look = 0.0
        try:
            while True:
                with trio.move_on_after(_CHECK_S):
                    await self._look.wait()
                self.cluster.check()
                for address, loss in self._roster.list_lost().items():
                    self._lose(address, loss)
                self._end_unwanted()
                if not self._look.is_set() and trio.current_time() < next_look:
                    continue
                next_look = trio.current_time() + _LOOK_S
                self._look = trio.Event()
                found = await trio.to_thread.run_sync(self.cluster.list_workers, abandon_on_cancel=True)
                for address, worker in tuple(found.items()):
                    if worker.silent_s > FROZEN_S:
                        del found[address]  # it would be prepared again, as a new one
                        self._lose(address, f"it did not answer for {worker.silent_s:.0f} s")
                        await trio.to_thread.run_sync(self.cluster.give_up, address, abandon_on_cancel=True)
                for address in self._roster.known - found.keys():
                    self._lose(address, "it left the cluster")
                if new := {address: state for address, state in found.items() if address not in self._roster.known}:
                    await self._roster.add(new)
                if not self._placement.capacity and not is_empty:
                    self._roster.report(
                        "no worker is left; the run continues when one joins the cluster, Ctrl-C stops it"
                    )
                is_empty = not self._placement.capacity
                self._waiting.give_workers()
        except ConfigError as error:
            self._fail(error)

    def _lose(self, address: str, loss: str) -> None:
        """Take back the games of a worker."""
        self._roster.remove(address)
        for one in tuple(self._tries.values()):
            if one.address == address:
                one.end(loss)

    def _end_unwanted(self) -> None:
        """End waiting games that are not wanted any more.

        Workers give back those that wait on them, even if their machine was excluded.
        """
        for one in self._tries.values():
            if one.has_begun or one.is_recalled or one.over.is_set():
                continue
            if not one.task.is_wanted() or not self._placement.is_playing(one.machine.id):
                one.is_recalled = True
                self._wire.send(one.address, GiveBack(one.key))
        if self._waiting:
            self._waiting.give_workers()

    # --- what Dask reports, in its own thread -----------------------------------------------------

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401 - passed on
        """Call a function in the trio loop soon, in the order of these calls."""
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(function, *arguments)

    def _receive(self, reports: Reports) -> None:
        """Receive reports of workers; those of games that were taken back, or of other workers, are dropped."""
        for worker, data in reports:
            try:
                for report in decode_reports(data):
                    one = self._tries.get(report.key)
                    if one is not None and not one.over.is_set() and one.address == worker:
                        one.receive(report)
            except (msgspec.MsgspecError, TypeError) as error:  # the latter if it is not a byte string
                for damaged in [one for one in self._tries.values() if one.address == worker]:
                    damaged.end(Refused(f"it cannot be read: {error}"))


# --- executors that are ready for the first game --------------------------------------------------


Report = Callable[[str], object]
"""Receives a sentence for the operator, before the first game and during the run."""


@contextmanager
def open_worker_executor(
    workers: int, jobs: int, settings: RunSettings, time: TimeSettings, report: Report, *, follow: bool
) -> Iterator[ClusterExecutor]:
    """Start worker processes on this machine, which play `jobs` games at a time together.  Raises ConfigError."""
    here = measure_machine(time)
    with open_local(workers, -(-jobs // workers)) as cluster:
        settings = replace(settings, run=cluster.run, is_local=True)
        admission = Admission(cluster, settings, time, report, here=here, slots=Slots(jobs, force=True))
        with _open(cluster, admission, follow=follow) as executor:
            yield executor


@contextmanager
def open_cluster_executor(
    address: str,
    settings: RunSettings,
    file: TournamentFile,
    digests: ProgramDigests,
    report: Report,
    *,
    slots: Slots | None,
    follow: bool,
) -> Iterator[ClusterExecutor]:
    """Connect to a running cluster, and send it the bots of a tournament, unless their folder is shared.

    `slots` is the number of games at a time on each machine.  Default: as many as the cores of the machine allow.
    Raises ConfigError.
    """
    with open_running(address) as cluster:
        if warning := cluster.find_warning():
            report(warning)
        settings = replace(settings, run=cluster.run, mix_sandboxes=file.cluster.mix_sandboxes)
        trust_all = settings.isolation == "process"
        shipment = Shipment(
            cluster, settings.programs, digests, file.time, shared=file.cluster.shared, trust_all=trust_all
        )
        admission = Admission(cluster, settings, file.time, report, slots=slots, shipment=shipment)
        with _open(cluster, admission, follow=follow) as executor:
            yield executor


@contextmanager
def _open(cluster: Cluster, admission: Admission, *, follow: bool) -> Iterator[ClusterExecutor]:
    wire = Wire(cluster)
    roster = Roster(cluster, admission)
    try:
        roster.begin()
        yield ClusterExecutor(cluster, roster, wire, follow=follow)
    finally:
        roster.close()

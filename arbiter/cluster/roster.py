"""Roster: the workers that take part in a run, after each has been measured and prepared."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import trio
from distributed import Future, wait
from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.cluster.connect import Cluster, WorkerState
from arbiter.cluster.fairness import VoidCounts, choose_tiers, decide_eligibility
from arbiter.cluster.machines import Machine, group_by_machine
from arbiter.cluster.messages import Prepared, RunSettings
from arbiter.cluster.placement import Placement
from arbiter.cluster.readiness import Readiness
from arbiter.cluster.shipment import Shipment
from arbiter.cluster.survey import survey_workers
from arbiter.cluster.worker import play_games, prepare_run
from arbiter.errors import ConfigError
from arbiter.sandbox.select import SANDBOXED, IsolationName
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.standings.stored_game import StoredGame

_PREPARE_S: Final = 60.0


class Roster:
    """The workers of a run."""

    def __init__(
        self,
        cluster: Cluster,
        settings: RunSettings,
        time: TimeSettings,
        *,
        here: Machine | None = None,
        slots: int | None = None,
        shipment: Shipment | None = None,
        mix: bool = False,
        report: Callable[[str], object],
    ) -> None:
        """Begin without workers.

        `here` is this machine, if all workers are on it: then none of them is measured.  `slots` is the number of games
        at a time on each machine.  Default: that of its measurement.  `shipment` sends the bots, if they are not on the
        machines already.  With `mix`, machines may have different sandboxes.  `report` receives sentences for the
        operator.
        """
        self.placement = Placement()
        self.machines: dict[str, Machine] = {}
        """Machine of each worker that takes part, or took part."""
        self.known: set[str] = set()
        """Addresses of all workers of the cluster, also those that cannot take part."""
        self.faults: dict[str, str] = {}
        """Reasons why workers cannot take part, by their addresses."""
        self.isolation = ""
        self._cluster = cluster
        self._settings = settings
        self._time = time
        self._here = here
        self._slots = slots
        self._shipment = shipment
        self._mix = mix
        self.report = report
        self.reported: set[str] = set()
        self._readiness: dict[str, Sequence[Readiness]] = {}
        self._voids = VoidCounts()
        self._excluded: set[str] = set()
        self._prepared: dict[str, Future[Any]] = {}
        self._playing: dict[str, Future[Any]] = {}
        """The task of each worker that takes part.  It lasts as long as the run."""
        self._idle: dict[str, str] = {}
        """Workers that have no slot, because others on their machine have all, with the ids of their machines."""

    def begin(self) -> None:
        """Prepare the workers that the cluster has.  Raises ConfigError if none of them can take part."""
        new = self._cluster.list_workers()
        self._settle(new, self._measure(new))
        if not self.placement.capacity:
            faults = "; ".join(f"{address}: {fault}" for address, fault in self.faults.items())
            raise ConfigError(f"{self._cluster.name}: no worker can play: {faults}")
        self._report_faults(new)

    async def add(self, new: Mapping[str, WorkerState]) -> None:
        """Prepare workers that have joined the cluster; those that fail are left out."""
        machines = await trio.to_thread.run_sync(self._measure, new, abandon_on_cancel=True)
        try:
            await trio.to_thread.run_sync(self._settle, new, machines)
        except ConfigError as error:
            self._cluster.check()
            self.faults |= dict.fromkeys(new, str(error))
        self._report_faults(new)

    def _report_faults(self, new: Collection[str]) -> None:
        """Report the new workers that cannot take part."""
        for address in new:
            if address in self.faults:
                self.report(f"the worker {address} does not play: {self.faults[address]}")

    def remove(self, address: str) -> None:
        """Forget a worker."""
        self.known.discard(address)
        self.faults.pop(address, None)
        self.placement.remove(address)
        self._idle.pop(address, None)
        machine = self.machines.get(address)
        for idle in [idle for idle, id_ in self._idle.items() if machine is not None and id_ == machine.id]:
            del self._idle[idle]
            self.known.discard(idle)  # now it can get a slot: it is added again
        for futures in (self._prepared, self._playing):
            if (future := futures.pop(address, None)) is not None:
                future.release()

    def list_lost(self) -> dict[str, str]:
        """Return the workers that have ended the run although they are still known, each with the reason."""
        status = {address: future.status for address, future in self._playing.items()}
        return {address: f"its task is {one}" for address, one in status.items() if one != "pending"}

    def close(self) -> None:
        """Release all workers: they stop all games and forget the run."""
        for futures in (self._prepared, self._playing):
            for future in futures.values():
                future.release()
            futures.clear()

    @property
    def sent(self) -> Mapping[str, ProgramDigest]:
        """The digests of the programs that were sent to the machines, by the names of their bots."""
        return {} if self._shipment is None else self._shipment.sent

    @property
    def is_local(self) -> bool:
        """True if the coordinator has started the workers, on its own machine."""
        return self._here is not None

    def exclude(self, machine: Machine, fault: str) -> None:
        """Give no more games to a machine because of a fault; report it once."""
        if machine.id not in self._excluded:
            self._excluded.add(machine.id)
            self.placement.exclude(machine.id)
            self.report(f"{machine.host} plays no more games, because {fault}")

    def note_games(self, games: Iterable[StoredGame]) -> None:
        """Note the games of earlier runs: both games of a pair are played on one machine."""
        ids = {machine.host: machine.id for machine in self.machines.values()}
        for game in games:
            if game.conditions is not None and game.conditions.host in ids:
                self.placement.note_game(game, ids[game.conditions.host])

    def count_game(self, machine: Machine, *, voided: bool) -> None:
        """Count a game that is over; a machine that voids many more games than the others plays no more."""
        self._voids.add(machine.id, voided=voided)
        bots = [program.name for program in self._settings.programs]
        for machine_id, sentence in self._voids.judge(partial(self.placement.can_spare, bots=bots)).items():
            host = next(one.host for one in self.machines.values() if one.id == machine_id)
            self.report(f"{host} {sentence}")
            if machine_id in self._voids.excluded:
                self.placement.exclude(machine_id)

    # --- steps, which may block -------------------------------------------------------------------

    def _measure(self, new: Mapping[str, WorkerState]) -> Mapping[str, Machine]:
        """Measure the machines of new workers, which must have the same arbiter."""
        if self._here is not None:
            return dict.fromkeys(new, self._here)
        survey = survey_workers(self._cluster, tuple(new), self._time)
        self.faults |= survey.faults
        return survey.machines

    def _settle(self, new: Mapping[str, WorkerState], machines: Mapping[str, Machine]) -> None:
        """Give slots to new workers, prepare them, and send them the bots."""
        self.known.update(new)
        groups = group_by_machine(machines)
        tiers = self._choose_tiers({machine.id: machine for machine in machines.values()}.values())
        futures: dict[str, Future[Any]] = {}
        shares: dict[str, tuple[int, ...]] = {}
        for machine_id, tier in tiers.items():
            addresses = groups[machine_id]
            machine = machines[addresses[0]]
            slots = self._slots or machine.slots
            threads = {address: new[address].threads for address in addresses}
            shares |= self.placement.share(machine_id, slots, threads)
            for address in addresses:
                if not shares[address]:
                    self._idle[address] = machine_id
                    continue
                key = f"{self._cluster.run}-prepare-{address}"
                settings = replace(
                    self._settings,
                    isolation=tier,
                    programs=self._settings.programs if self._shipment is None else (),
                    numbers=shares[address],
                    jobs=slots,
                    speed=machine.speed,
                )
                futures[address] = self._cluster.client.submit(
                    prepare_run, settings, key, key=key, workers=[address], allow_other_workers=False, pure=False
                )
        with self._cluster.client.as_current(), suppress(TimeoutError):
            wait(list(futures.values()), timeout=_PREPARE_S)
        for address, future in futures.items():
            prepared = _read_answer(future)
            if prepared.fault:
                self.faults[address] = prepared.fault
                future.release()
                continue
            self._prepared[address] = future
            self.machines[address] = machines[address]
            self.isolation = self.isolation or prepared.isolation
        able = self._deliver([address for address in futures if address in self._prepared])
        for address in able:
            self._playing[address] = self._cluster.client.submit(
                play_games,
                self._cluster.run,
                key=f"{self._cluster.run}-play-games-{address}",
                workers=[address],
                allow_other_workers=False,
                pure=False,
                retries=0,
            )
            self.placement.add(address, machines[address].id, shares[address])

    def _choose_tiers(self, machines: Collection[Machine]) -> Mapping[str, IsolationName | None]:
        """Choose the isolation on new machines: as on those that play already."""
        asked = self._settings.isolation
        if self._here is not None:  # decided by the coordinator, on this machine
            return {machine.id: asked for machine in machines}
        tiers = choose_tiers(tuple(machines), asked, mix=self._mix, playing=self.isolation)
        if not self.isolation:
            # Of different ones, the least: the event is only as safe as that.
            self.isolation = SANDBOXED if set(tiers.of_machine.values()) == {SANDBOXED} else "process"
        for line in tiers.notices:
            self.report(line)
        return tiers.of_machine

    def _deliver(self, addresses: Sequence[str]) -> Collection[str]:
        """Send the bots to prepared workers, and decide which bots play there; return the workers that have them."""
        if self._shipment is None or not addresses:
            return addresses
        workers = group_by_machine({address: self.machines[address] for address in addresses})
        slots = {machine.id: self._slots or machine.slots for machine in self.machines.values()}
        self._readiness |= self._shipment.deliver(workers, slots)
        self.faults |= {address: fault for address, fault in self._shipment.errors.items() if address in addresses}
        hosts = {machine.id: machine.host for machine in self.machines.values()}
        eligibility = decide_eligibility(hosts, self._readiness)
        for line in eligibility.notices:
            if line not in self.reported:
                self.reported.add(line)
                self.report(line)
        for machine_id, programs in eligibility.programs.items():
            for bot in self._shipment.bots:
                if bot.program.name not in programs:
                    self.placement.forbid(machine_id, bot.program.name)
        return [
            address
            for address in addresses
            if address not in self.faults and self.machines[address].id in self._readiness
        ]


def _read_answer(future: Future[Any]) -> Prepared:
    """Return the answer of a worker that was prepared, or a fault if it did not answer."""
    if future.status == "finished":
        answer = future.result()
        return answer if isinstance(answer, Prepared) else Prepared(fault="it gave no answer")
    if future.status == "error":
        return Prepared(fault=f"it failed: {future.exception()}")
    return Prepared(fault="it did not answer")

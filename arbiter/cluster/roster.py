"""Roster: the workers that take part in a run, after each has been measured and prepared."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import trio
from distributed import Future, wait
from msgspec.structs import replace

from arbiter import __version__
from arbiter.clock import TimeSettings
from arbiter.cluster.connect import Cluster, WorkerState
from arbiter.cluster.machines import Machine, group_by_machine, measure_machine, merge_measurements
from arbiter.cluster.messages import Prepared, RunSettings
from arbiter.cluster.placement import Placement
from arbiter.cluster.worker import prepare_run
from arbiter.errors import ConfigError

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
    ) -> None:
        """Begin without workers.

        `here` is this machine, if all workers are on it: then none of them is measured.  `slots` is the number of games
        at a time on each machine.  Default: that of its measurement.
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
        self._prepared: dict[str, Future[Any]] = {}

    def begin(self) -> None:
        """Prepare the workers that the cluster has.  Raises ConfigError if none of them can take part."""
        new = self._cluster.list_workers()
        self._settle(new, self._measure(new))
        if not self.placement.capacity:
            faults = "; ".join(f"{address}: {fault}" for address, fault in self.faults.items())
            raise ConfigError(f"{self._cluster.name}: no worker can play: {faults}")

    async def add(self, new: Mapping[str, WorkerState]) -> None:
        """Prepare workers that have joined the cluster; those that fail are left out."""
        machines = await trio.to_thread.run_sync(self._measure, new, abandon_on_cancel=True)
        await trio.to_thread.run_sync(self._settle, new, machines)

    def remove(self, address: str) -> None:
        """Forget a worker."""
        self.known.discard(address)
        self.faults.pop(address, None)
        self.placement.remove(address)
        if (future := self._prepared.pop(address, None)) is not None:
            future.release()

    def close(self) -> None:
        """Release all workers: they stop all games and forget the run."""
        for future in self._prepared.values():
            future.release()
        self._prepared.clear()

    def find_speed(self, machine: Machine) -> float | None:
        """Return the speed of a machine; None if it was not measured."""
        return self._settings.speed if self._here is not None else machine.speed

    # --- steps, which may block -------------------------------------------------------------------

    def _measure(self, new: Mapping[str, WorkerState]) -> Mapping[str, Machine]:
        """Measure the machines of new workers, which must have the same arbiter."""
        if self._here is not None:
            return dict.fromkeys(new, self._here)
        versions = self._cluster.find_versions(list(new))
        able = []
        for address in new:
            if versions.get(address) == __version__:
                able.append(address)
            elif address in versions:
                self.faults[address] = f"it has arbiter {versions[address]}, this is {__version__}"
            else:
                self.faults[address] = f"it has no arbiter; install stratego-arbiter {__version__} there"
        measured = self._cluster.ask(measure_machine, self._time, workers=able)
        merged = {machine.id: machine for machine in merge_measurements(measured.values())}
        return {address: merged[machine.id] for address, machine in measured.items()}

    def _settle(self, new: Mapping[str, WorkerState], machines: Mapping[str, Machine]) -> None:
        """Give slots to new workers and prepare them."""
        self.known.update(new)
        futures: dict[str, Future[Any]] = {}
        shares: dict[str, tuple[int, ...]] = {}
        for machine_id, addresses in group_by_machine(machines).items():
            machine = machines[addresses[0]]
            slots = self._slots or machine.slots
            threads = {address: new[address].threads for address in addresses}
            shares |= self.placement.share(machine_id, slots, threads)
            for address in addresses:
                key = f"{self._cluster.run}-prepare-{address}"
                settings = replace(
                    self._settings,
                    numbers=shares[address],
                    jobs=slots,
                    speed=self.find_speed(machine),
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
            self.placement.add(address, machines[address].id, shares[address])


def _read_answer(future: Future[Any]) -> Prepared:
    """Return the answer of a worker that was prepared, or a fault if it did not answer."""
    if future.status == "finished":
        answer = future.result()
        return answer if isinstance(answer, Prepared) else Prepared(fault="it gave no answer")
    if future.status == "error":
        return Prepared(fault=f"it failed: {future.exception()}")
    return Prepared(fault="it did not answer")

"""Roster: the workers that take part in a run, and the machines that are not reliable."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import CancelledError
from functools import partial
from typing import Any, Final

import trio
from distributed import Future

from arbiter.cluster.admission import Admission
from arbiter.cluster.connect import Cluster, WorkerState
from arbiter.cluster.machines import Machine
from arbiter.cluster.placement import Placement
from arbiter.cluster.worker_plugin import play_games
from arbiter.errors import ConfigError
from arbiter.tournament.standings.stored_game import StoredGame

NAMED_VOIDS: Final = 3
EXCLUDED_VOIDS: Final = 5
_NAMED_RATIO: Final = 2
_EXCLUDED_RATIO: Final = 4


class VoidCounts:
    """The games that each machine has played and voided.

    A machine is named if it has voided at least 3 games, and a share more than twice that of all others together.  It
    is excluded from 5 games and four times the share on.
    """

    def __init__(self) -> None:
        self._games: Counter[str] = Counter()
        self._voids: Counter[str] = Counter()
        self._named: set[str] = set()
        self.excluded: set[str] = set()

    def add(self, machine: str, *, voided: bool) -> None:
        """Count a game of a machine that is over."""
        self._games[machine] += 1
        if voided:
            self._voids[machine] += 1

    def judge(self, can_spare: Callable[[str], bool]) -> dict[str, str]:
        """Return what is new about machines, as sentences for the operator without the names of the machines.

        A machine that the others cannot spare, because no other one can play some games, is not excluded.
        """
        found = {}
        for machine in [one for one, voids in self._voids.items() if voids >= NAMED_VOIDS and one not in self.excluded]:
            share = f"{self._voids[machine]} of its {self._games[machine]} games were voided"
            if self._is_above(machine, EXCLUDED_VOIDS, _EXCLUDED_RATIO) and can_spare(machine):
                self.excluded.add(machine)
                found[machine] = (
                    f"plays no more games, because {share}, more than four times as many as on the other machines"
                )
            elif machine not in self._named and self._is_above(machine, NAMED_VOIDS, _NAMED_RATIO):
                self._named.add(machine)
                found[machine] = f"voids more games than the other machines: {share}"
        return found

    def _is_above(self, machine: str, voids: int, ratio: int) -> bool:
        """Return True if a machine has voided so many games, and so many times as many as the others for its games."""
        other_games = self._games.total() - self._games[machine]
        other_voids = self._voids.total() - self._voids[machine]
        # One more void of the others, so that a machine is not judged before the others have played.
        return self._voids[machine] >= voids and (
            self._voids[machine] * (other_games + 1) > ratio * (other_voids + 1) * self._games[machine]
        )


# --- the workers ----------------------------------------------------------------------------------


class Roster:
    """The workers of a run."""

    def __init__(self, cluster: Cluster, admission: Admission) -> None:
        """Begin without workers."""
        self.placement = Placement()
        self.machines: dict[str, Machine] = {}
        """Machine of each worker that takes part, or took part."""
        self.known: set[str] = set()
        """Addresses of all workers of the cluster, also those that cannot take part."""
        self.report = admission.report
        self._cluster = cluster
        self.admission = admission
        self._voids = VoidCounts()
        self._excluded: set[str] = set()
        self._tasks: dict[str, tuple[Future[Any], Future[Any]]] = {}
        """Of each worker that takes part: the preparation, and the games, which last as long as the run."""

    # --- workers that come and go -----------------------------------------------------------------

    def begin(self) -> None:
        """Enlist the workers that the cluster has.  It may block.  Raises ConfigError if none of them can take part."""
        new = self._cluster.list_workers()
        self._enlist(new, self.admission.measure(new))
        if not self.placement.capacity:
            faults = "; ".join(f"{address}: {fault}" for address, fault in self.admission.faults.items())
            raise ConfigError(f"{self._cluster.name}: no worker can play: {faults}")
        self._report_faults(new)

    async def add(self, new: Mapping[str, WorkerState]) -> None:
        """Enlist workers that have joined the cluster; those that fail are left out."""
        machines = await trio.to_thread.run_sync(self.admission.measure, new, abandon_on_cancel=True)
        try:
            await trio.to_thread.run_sync(self._enlist, new, machines)
        except (ConfigError, CancelledError) as error:
            self._cluster.check()  # if it is lost, Dask cancels what it was asked
            self.admission.faults |= dict.fromkeys(new, str(error))
        self._report_faults(new)

    def _enlist(self, new: Mapping[str, WorkerState], machines: Mapping[str, Machine]) -> None:
        """Let new workers play that are admitted."""
        self.known.update(new)
        for address, worker in self.admission.admit(new, machines, self.placement).items():
            self.machines[address] = worker.machine
            run = self._cluster.run
            playing = self._cluster.submit(address, play_games, run, key=f"{run}-play-games-{address}")
            self._tasks[address] = worker.prepared, playing
            self.placement.add(address, worker.machine.id, worker.numbers)
        self.known -= self.admission.unsettled  # so that they are added again
        self.admission.unsettled.clear()

    def _report_faults(self, new: Collection[str]) -> None:
        """Report the new workers that cannot take part."""
        for address in new:
            if address in self.admission.faults:
                self.report(f"the worker {address} does not play: {self.admission.faults[address]}")

    def remove(self, address: str) -> None:
        """Forget a worker."""
        self.known.discard(address)
        self.placement.remove(address)
        self.admission.faults.pop(address, None)
        idle_workers = self.admission.idle
        idle_workers.pop(address, None)
        machine = self.machines.get(address)
        for idle in [idle for idle, id_ in idle_workers.items() if machine is not None and id_ == machine.id]:
            del idle_workers[idle]
            self.known.discard(idle)  # now it can get a slot: it is added again
        for future in self._tasks.pop(address, ()):
            future.release()

    def list_lost(self) -> dict[str, str]:
        """Return the workers that have ended the run although they are still known, each with the reason."""
        status = {address: playing.status for address, (_, playing) in self._tasks.items()}
        return {address: f"its task is {one}" for address, one in status.items() if one != "pending"}

    def close(self) -> None:
        """Release all workers: they stop all games and forget the run."""
        while self._tasks:
            for future in self._tasks.popitem()[1]:
                future.release()

    # --- machines and their games -----------------------------------------------------------------

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
        bots = [program.name for program in self.admission.settings.programs]
        for machine_id, sentence in self._voids.judge(partial(self.placement.can_spare, bots=bots)).items():
            host = next(one.host for one in self.machines.values() if one.id == machine_id)
            self.report(f"{host} {sentence}")
            if machine_id in self._voids.excluded:
                self.placement.exclude(machine_id)

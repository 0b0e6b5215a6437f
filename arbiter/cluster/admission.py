"""Admission of workers to a run: each is measured, gets slots and an isolation, is prepared, and receives the bots."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from distributed import Future
from msgspec import Struct
from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.cluster.connect import Cluster, WorkerState, describe_failure
from arbiter.cluster.machines import Machine, group_by_machine, survey_workers
from arbiter.cluster.messages import Prepared, RunSettings
from arbiter.cluster.placement import Placement
from arbiter.cluster.readiness import Readiness
from arbiter.cluster.shipment import Shipment
from arbiter.cluster.worker_plugin import prepare_run
from arbiter.errors import ConfigError
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.select import ASKED_FOR, SANDBOXED, IsolationName
from arbiter.tournament.machine import choose_jobs

# --- isolation on each machine --------------------------------------------------------------------


class Tiers(Struct, frozen=True):
    """The isolation of bots on each machine."""

    of_machine: dict[str, IsolationName]
    """By the ids of the machines that may play."""
    notices: tuple[str, ...]
    """Sentences for the operator, such as about machines that do not play."""


def choose_tiers(machines: Sequence[Machine], asked: IsolationName | None, *, mix: bool, playing: str = "") -> Tiers:
    """Choose the isolation of bots on each machine: the same on all, the best that one has, or the one asked for.

    With `mix`, each machine has its best one.  `playing` is the isolation of the event, if other machines play already.
    Raises ConfigError if no machine is left.
    """
    if asked == "process" or (playing not in ("", SANDBOXED) and not mix):
        return Tiers({machine.id: "process" for machine in machines}, () if playing else (ASKED_FOR,))
    tiers: dict[str, IsolationName] = {
        machine.id: SANDBOXED if machine.sandbox == SANDBOXED else "process" for machine in machines
    }
    without = [machine for machine in machines if tiers[machine.id] != SANDBOXED]
    if not without:
        return Tiers(tiers, ())
    if not playing and len(without) == len(machines):
        reasons = "; ".join(f"{machine.host}: {', '.join(machine.missing)}" for machine in machines)
        if asked == SANDBOXED:
            raise ConfigError(f"--sandbox full: no machine of the cluster supports the sandbox: {reasons}")
        return Tiers(tiers, (f"bots run without a sandbox, because no machine has one: {reasons}",))
    if mix and asked is None:
        hosts = ", ".join(machine.host for machine in without)
        return Tiers(tiers, (f"bots run without a sandbox on {hosts}, and in one on the other machines",))
    advice = "" if asked else ", or set mix_sandboxes = true in [cluster]"
    notices = tuple(
        f"{machine.host} does not play, because it has no sandbox and others have one: "
        f"{', '.join(machine.missing)}{advice}"
        for machine in without
    )
    return Tiers({id_: tier for id_, tier in tiers.items() if tier == SANDBOXED}, notices)


# --- bots -----------------------------------------------------------------------------------------


class Eligibility(Struct, frozen=True):
    """The bots that each machine can start."""

    programs: dict[str, dict[str, Program]]
    """By the ids of machines and the names of bots: the program with the paths of the machine."""
    notices: tuple[str, ...]
    """Sentences for the operator before the first game."""

    def machines_for(self, *bots: str) -> frozenset[str]:
        """Return the ids of the machines that can start all of some bots."""
        return frozenset(id_ for id_, programs in self.programs.items() if all(bot in programs for bot in bots))


def decide_eligibility(hosts: Mapping[str, str], readiness: Mapping[str, Sequence[Readiness]]) -> Eligibility:
    """Decide which bots play on which machines; `hosts` are the names and `readiness` the outcomes by machine ids.

    A bot that starts on some machines plays only there, and is not blamed.  A bot that was started on all machines and
    introduced itself on none plays everywhere, because the fault is its own.
    Raises ConfigError if there is no machine for a bot, or for two bots together.
    """
    programs: dict[str, dict[str, Program]] = {id_: {} for id_ in readiness}
    faults: dict[str, dict[str, str]] = {}
    notices: list[str] = []
    works = {one.bot for outcomes in readiness.values() for one in outcomes if not one.fault}
    for id_, outcomes in readiness.items():
        for one in outcomes:
            if one.program is not None and (not one.fault or one.bot not in works):
                programs[id_][one.bot] = one.program
            if one.fault:
                faults.setdefault(one.bot, {})[hosts[id_]] = one.fault
            if one.warning:
                notices.append(f"bots.{one.bot}: on {hosts[id_]} it {one.warning}")
    eligibility = Eligibility(programs, (*notices, *_describe_faults(faults, works)))
    bots = dict.fromkeys(one.bot for outcomes in readiness.values() for one in outcomes)
    for bot in bots:
        if not eligibility.machines_for(bot):
            raise ConfigError(f"bots.{bot}: no machine can start it: {_list_faults(faults[bot])}")
    places = {bot: eligibility.machines_for(bot) for bot in bots}
    for first, second in combinations(bots, 2):
        if not places[first] & places[second]:
            reasons = _list_faults(faults[first] | faults[second])
            raise ConfigError(f"bots: no machine can start both {first} and {second}: {reasons}")
    return eligibility


def _describe_faults(faults: Mapping[str, Mapping[str, str]], works: set[str]) -> Iterator[str]:
    for bot, by_host in faults.items():
        if bot in works:
            for host, fault in by_host.items():
                yield f"bots.{bot}: does not play on {host}: {fault}"
        else:
            yield f"bots.{bot}: does not start on any machine: {_list_faults(by_host)}"


def _list_faults(by_host: Mapping[str, str]) -> str:
    return "; ".join(f"{host}: {fault}" for host, fault in by_host.items())


# --- workers --------------------------------------------------------------------------------------


_PREPARE_S: Final = 60.0


class Slots(Struct, frozen=True):
    """The number of games at a time on each machine that the operator asked for."""

    number: int
    force: bool
    """If True, they may be more than the machine has cores for."""


class Admitted(Struct, frozen=True):
    """A worker that is ready for its first game."""

    machine: Machine
    numbers: tuple[int, ...]
    """Its games at a time, counted from 0 on its machine."""
    prepared: Future[Any]
    """The worker forgets the run when this is released."""


class Admission(Struct, eq=False):
    """The conditions for workers of a cluster to take part in a run.  Methods may block for seconds."""

    cluster: Cluster
    settings: RunSettings
    time: TimeSettings
    report: Callable[[str], object]
    """Receives sentences for the operator."""
    here: Machine | None = None
    """This machine, if all workers are on it: then none of them is measured, and `slots` are possible."""
    slots: Slots | None = None
    """Default: as measured."""
    shipment: Shipment | None = None
    """Sends the bots, if they are not on the machines already."""
    isolation: str = ""
    """Isolation of the event, once a worker has been admitted."""
    faults: dict[str, str] = {}
    """Reasons why workers cannot take part, by their addresses."""
    idle: dict[str, str] = {}
    """Workers that have no slot, because others on their machine have all, with the ids of their machines."""
    unsettled: set[str] = set()
    """Workers to be admitted later, because the one that was to start the bots on their machine has left."""
    _reported: set[str] = set()
    _hosts: dict[str, str] = {}
    _readiness: dict[str, Sequence[Readiness]] = {}

    def measure(self, new: Mapping[str, WorkerState]) -> Mapping[str, Machine]:
        """Measure the machines of new workers, which must have the same arbiter."""
        if self.here is not None:
            return dict.fromkeys(new, self.here)
        survey = survey_workers(self.cluster, tuple(new), self.time)
        self.faults |= survey.faults
        return survey.machines

    def admit(
        self, new: Mapping[str, WorkerState], machines: Mapping[str, Machine], placement: Placement
    ) -> dict[str, Admitted]:
        """Give slots to new workers on measured machines, prepare them, and send them the bots.

        Return those that can play.  Raises ConfigError.
        """
        groups = group_by_machine(machines)
        tiers = self._choose_tiers({machine.id: machine for machine in machines.values()}.values())
        futures: dict[str, Future[Any]] = {}
        shares: dict[str, tuple[int, ...]] = {}
        slots: dict[str, int] = {}
        for machine_id, tier in tiers.items():
            machine = machines[groups[machine_id][0]]
            try:
                jobs = slots[machine_id] = self._choose_slots(machine)
            except ConfigError as error:
                self.faults |= dict.fromkeys(groups[machine_id], str(error))
                continue
            threads = {address: new[address].threads for address in groups[machine_id]}
            if self.slots is not None and sum(threads.values()) < jobs and machine_id not in self._hosts:
                self._report_once(
                    f"{machine.host} plays fewer games at a time than --jobs {jobs}, because its workers "
                    f"were started with --nthreads {sum(threads.values())}"
                )
            programs = self.settings.programs if self.shipment is None else ()
            settings = replace(self.settings, isolation=tier, programs=programs, jobs=jobs, speed=machine.speed)
            for address, numbers in placement.share(machine_id, jobs, threads).items():
                if numbers:
                    shares[address] = numbers
                    key = f"{self.cluster.run}-prepare-{address}"
                    own = replace(settings, numbers=numbers)
                    futures[address] = self.cluster.submit(address, prepare_run, own, key, key=key)
                else:
                    self.idle[address] = machine_id
        gone = self.cluster.wait_for(futures, _PREPARE_S)
        answers: dict[str, Prepared] = {}
        for address, future in futures.items():
            if address not in gone:
                fault = describe_failure(future)
                answer = None if fault else future.result()
                no_answer = Prepared(fault=fault or "it gave no answer")
                answers[address] = answer if isinstance(answer, Prepared) else no_answer
        self.faults |= {address: answer.fault for address, answer in answers.items() if answer.fault}
        able = {address: machines[address] for address, answer in answers.items() if not answer.fault}
        for address in able:
            self.isolation = self.isolation or answers[address].isolation
        return {
            address: Admitted(able[address], shares[address], futures[address])
            for address in self._deliver(able, slots, placement)
        }

    def _choose_tiers(self, machines: Collection[Machine]) -> Mapping[str, IsolationName | None]:
        """Choose the isolation on new machines: as on those that play already.  Raises ConfigError."""
        asked = self.settings.isolation
        if self.here is not None:  # decided by the coordinator, on this machine
            return {machine.id: asked for machine in machines}
        tiers = choose_tiers(tuple(machines), asked, mix=self.settings.mix_sandboxes, playing=self.isolation)
        if not self.isolation:
            # Of different ones, the least: the event is only as safe as that.
            self.isolation = SANDBOXED if set(tiers.of_machine.values()) == {SANDBOXED} else "process"
        for line in tiers.notices:
            self.report(line)
        return tiers.of_machine

    def _choose_slots(self, machine: Machine) -> int:
        """Choose the number of games at a time on a machine.  Raises ConfigError if they are too many for its cores."""
        if self.slots is None:
            return machine.slots
        if self.here is not None:
            return self.slots.number
        jobs = choose_jobs(self.slots.number, self.time, force=self.slots.force, cores=machine.cores)
        if jobs.warning is not None:
            self._report_once(f"{machine.host}: {jobs.warning}")
        return jobs.number

    def _deliver(
        self, machines: Mapping[str, Machine], slots: Mapping[str, int], placement: Placement
    ) -> Collection[str]:
        """Send the bots to prepared workers, and decide which bots play there; return the workers that have them.

        Raises ConfigError.
        """
        self._hosts |= {machine.id: machine.host for machine in machines.values()}
        if self.shipment is None or not machines:
            return machines.keys()
        readiness = self._readiness | self.shipment.deliver(group_by_machine(machines), slots)
        self.faults |= {address: fault for address, fault in self.shipment.errors.items() if address in machines}
        eligibility = decide_eligibility(self._hosts, readiness)
        self._readiness = readiness
        for line in eligibility.notices:
            self._report_once(line)
        for machine_id, programs in eligibility.programs.items():
            for bot in self.shipment.bots:
                if bot.program.name not in programs:
                    placement.forbid(machine_id, bot.program.name)
        able = [address for address in machines if address not in self.faults]
        self.unsettled = {address for address in able if machines[address].id not in self._readiness}
        return [address for address in able if address not in self.unsettled]

    def _report_once(self, sentence: str) -> None:
        if sentence not in self._reported:
            self._reported.add(sentence)
            self.report(sentence)

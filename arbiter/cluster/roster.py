"""Roster: the workers and machines that take part in a run, and those that do not play, or not all bots."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Final

import msgspec
from msgspec import Struct

from arbiter import __version__
from arbiter.cluster.connect import WorkerInfo
from arbiter.cluster.machines import Machine
from arbiter.cluster.messages import BotFault
from arbiter.errors import ConfigError
from arbiter.sandbox.select import ASKED_FOR, SANDBOXED, IsolationName

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


# --- machines that void games ---------------------------------------------------------------------


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


_MOST_FAULTS: Final = 3  # tasks in a row that a machine could not begin


class Roster:
    """The workers of a run."""

    def __init__(
        self,
        cluster: str,
        bots: Sequence[str],
        report: Callable[[str], object],
        asked: IsolationName | None,
        *,
        isolation: str = "",
        mix: bool = False,
    ) -> None:
        """Begin without workers of a cluster with a name; `report` receives sentences for the operator.

        `asked` is the isolation that was asked for, and `isolation` that of the event if it is known already; `mix`
        allows different ones on different machines.
        """
        self._cluster = cluster
        self._bots = bots
        self._report = report
        self._asked: IsolationName | None = asked
        self._mix = mix
        self.isolation = isolation
        """Isolation of the event, once there is a machine."""
        self.present: set[str] = set()
        """Addresses of all workers of the cluster."""
        self.threads = 0
        """The number of games that all workers together can play at the same time."""
        self.changes = 0
        """Counts the decisions that keep machines from games."""
        self.workers: dict[str, tuple[Machine, int]] = {}
        """The workers that may play, with their machines and their numbers of threads."""
        self.faults: dict[str, str] = {}
        """Reasons why the other workers of the cluster do not play."""
        self._machines: dict[str, Machine] = {}
        """All machines that may play, by their ids, also those that have left."""
        self._without: set[str] = set()
        """Machines that do not play because of their isolation."""
        self._excluded: set[str] = set()
        self._forbidden: dict[str, dict[str, BotFault]] = {bot: {} for bot in bots}
        """For each bot, the machines that cannot start it."""
        self._works: set[str] = set()
        self.blamed: set[str] = set()
        """Bots that introduce themselves on no machine: they play, because the fault is their own."""
        self._in_a_row: Counter[str] = Counter()
        self._voids = VoidCounts()
        self._reported: set[str] = set()

    def update(self, found: Mapping[str, WorkerInfo]) -> None:
        """Note the workers that the cluster has now, and report what is new.  Raises ConfigError."""
        machines: dict[str, Machine] = {}
        faults: dict[str, str] = {}
        for address, info in found.items():
            before = self.workers.get(address)
            if info.facts is None:
                faults[address] = "it was not started for games; start it with `arbiter worker`"
                continue
            version = info.facts.get("arbiter") if isinstance(info.facts, dict) else None
            if version != __version__:
                faults[address] = f"it has arbiter {version}, this machine has {__version__}; install the same version"
                continue
            try:
                machine = msgspec.convert(info.facts, Machine)
            except msgspec.ValidationError as error:
                faults[address] = f"the description of its machine is not possible: {error}"
                continue
            machines[address] = before[0] if before is not None and before[0] == machine else machine
        self._choose_tiers({one.id: one for one in machines.values()})
        for address, fault in faults.items():
            if self._machines and address not in self.faults:
                self.report(f"the worker {address} does not play: {fault}")
        self.faults = faults
        self.present = set(found)
        self.workers = {
            address: (machine, found[address].threads)
            for address, machine in machines.items()
            if machine.id in self._machines
        }
        self._count_threads()

    def _choose_tiers(self, machines: Mapping[str, Machine]) -> None:
        """Choose the isolation on machines that are new; some may not play.  Raises ConfigError."""
        new = {id_: one for id_, one in machines.items() if id_ not in self._machines and id_ not in self._without}
        if not new:
            return
        tiers = choose_tiers(tuple(new.values()), self._asked, mix=self._mix, playing=self.isolation)
        # Of different ones, the least: the event is only as safe as that.
        self.isolation = self.isolation or (SANDBOXED if set(tiers.of_machine.values()) == {SANDBOXED} else "process")
        for line in tiers.notices:
            self.report(line)
        self._machines |= {id_: new[id_] for id_ in tiers.of_machine}
        self._without |= new.keys() - tiers.of_machine.keys()

    def _count_threads(self) -> None:
        self.threads = sum(threads for machine, threads in self.workers.values() if machine.id not in self._excluded)
        self._is_uniform = (
            self.workers.keys() == self.present and not self._excluded and not any(self._forbidden.values())
        )

    @property
    def tier(self) -> IsolationName | None:
        """The isolation to ask workers for; None if each machine has its best one."""
        return None if self._mix and self._asked is None else SANDBOXED if self.isolation == SANDBOXED else "process"

    @property
    def machines(self) -> list[Machine]:
        """Each machine with workers once."""
        return list({machine.id: machine for machine, _ in self.workers.values()}.values())

    def report(self, sentence: str, *, again: bool = False) -> None:
        """Report something to the operator, once, or `again`."""
        if again or sentence not in self._reported:
            self._reported.add(sentence)
            self._report(sentence)

    # --- the choice of workers --------------------------------------------------------------------

    def choose(self, bots: Collection[str], avoided: Collection[str] = ()) -> set[str] | None:
        """Choose the workers that may play games of some bots; not those on `avoided` machines if there are others.

        Return None if any worker may, also one that joins later, and an empty set if none may now, but maybe later.
        Raises ConfigError if no machine may.
        """
        if self._is_uniform and not avoided:
            return None
        able = {address for address, (machine, _) in self.workers.items() if self._may_play(machine.id, bots)}
        others = {address for address in able if self.workers[address][0].id not in avoided}
        if others == self.present:
            return None
        if not able and not any(self._may_play(machine, bots) for machine in self._machines):
            raise self._explain(bots)
        return others or able

    def _may_play(self, machine: str, bots: Collection[str]) -> bool:
        return machine not in self._excluded and not any(machine in self._forbidden.get(bot, ()) for bot in bots)

    def _explain(self, bots: Collection[str]) -> ConfigError:
        """Explain why no machine may play games of some bots."""
        if self._machines.keys() <= self._excluded:
            return ConfigError(
                f"{self._cluster}: all machines are excluded; finished games are stored, run again to continue"
            )
        for bot in bots:
            if not any(self._may_play(machine, [bot]) for machine in self._machines):
                return ConfigError(f"bots.{bot}: no machine can start it: {self._list_faults(bot)}")
        reasons = "; ".join(faults for bot in bots if (faults := self._list_faults(bot)))
        return ConfigError(f"bots: no machine can start both {' and '.join(bots)}: {reasons}")

    def _list_faults(self, bot: str) -> str:
        return "; ".join(f"{self._machines[id_].host}: {fault.why}" for id_, fault in self._forbidden[bot].items())

    def can_spare(self, machine: str) -> bool:
        """Return True if any two bots can meet on another machine too."""
        others = {one.id for one in self.machines} - {machine}
        return all(
            any(self._may_play(other, pair) for other in others)
            for pair in combinations_with_replacement(self._bots, 2)
        )

    # --- what is learned about machines -----------------------------------------------------------

    def exclude(self, machine: Machine, fault: str) -> None:
        """Give no more games to a machine because of a fault; report it once."""
        if machine.id not in self._excluded:
            self._keep_out(machine.id)
            self.report(f"{machine.host} plays no more games, because {fault}")

    def _keep_out(self, machine: str) -> None:
        self._excluded.add(machine)
        self.changes += 1
        self._count_threads()

    def note_works(self, machine: Machine, bots: Collection[str]) -> None:
        """Note that a machine has begun games of some bots."""
        self._in_a_row[machine.id] = 0
        for bot in bots:
            if bot not in self._works:
                self._works.add(bot)
                for fault in self._forbidden.get(bot, {}).items():
                    self._report_fault(*fault)

    def note_fault(self, machine: Machine, fault: BotFault | str) -> None:
        """Note that a machine could not begin games; if one bot cannot start there, it plays on other machines.

        A bot that was started on all machines and introduced itself on none plays everywhere.
        """
        if isinstance(fault, str):
            self._in_a_row[machine.id] += 1
            if self._in_a_row[machine.id] == _MOST_FAULTS and self.can_spare(machine.id):
                self.exclude(machine, fault)
            return
        bot = fault.bot
        self._forbidden[bot][machine.id] = fault
        self.changes += 1
        self._count_threads()
        if not fault.was_started or bot in self._works:
            self._report_fault(machine.id, fault)
        elif not any(self._may_play(one.id, [bot]) for one in self.machines):
            self.blamed.add(bot)
            self.report(f"bots.{bot}: does not start on any machine: {self._list_faults(bot)}")
            self._forbidden[bot] = {id_: one for id_, one in self._forbidden[bot].items() if not one.was_started}

    def _report_fault(self, machine: str, fault: BotFault) -> None:
        self.report(f"bots.{fault.bot}: does not play on {self._machines[machine].host}: {fault.why}")

    def count_game(self, machine: Machine, *, voided: bool) -> None:
        """Count a game that is over; a machine that voids many more games than the others plays no more."""
        self._voids.add(machine.id, voided=voided)
        for machine_id, sentence in self._voids.judge(self.can_spare).items():
            self.report(f"{self._machines[machine_id].host} {sentence}")
            if machine_id in self._voids.excluded:
                self._keep_out(machine_id)

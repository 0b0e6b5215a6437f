"""Roster: the workers and machines that take part in a run, and those that do not play, or not all bots."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, Final

import msgspec

from arbiter import __version__
from arbiter.cluster.messages import BotFault
from arbiter.cluster.worker import NAME
from arbiter.errors import ConfigError
from arbiter.sandbox.select import ASKED_FOR, SANDBOXED, IsolationName
from arbiter.tournament.execution.machines import Machine

_MOST_FAULTS: Final = 3  # tasks in a row that a machine could not begin
_NAMED: Final = 3, 2
"""A machine is named if it has voided so many games, and a share so many times as large as that of all others."""
_EXCLUDED: Final = 5, 4
"""The same for a machine that is excluded."""


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
        self._games: Counter[str] = Counter()
        """Games that are over, by the ids of their machines."""
        self._voids: Counter[str] = Counter()
        """The voided ones of them."""
        self._named: set[str] = set()
        """Machines that were reported to void more games than the others."""
        self._reported: set[str] = set()

    def update(self, found: Mapping[str, Mapping[str, Any]]) -> None:
        """Note the workers that the cluster has now, as the scheduler reports them, and report what is new.

        Raises ConfigError.
        """
        machines: dict[str, Machine] = {}
        faults: dict[str, str] = {}
        for address, one in found.items():
            facts = one.get(NAME)
            version = facts.get("arbiter") if isinstance(facts, dict) else None
            if facts is None:
                faults[address] = "it was not started for games; start it with `arbiter worker`"
            elif version != __version__:
                faults[address] = f"it has arbiter {version}, this machine has {__version__}; install the same version"
            else:
                try:
                    machines[address] = msgspec.convert(facts, Machine)
                except msgspec.ValidationError as error:
                    faults[address] = f"the description of its machine is not possible: {error}"
        known = self._machines.keys() | self._without
        if new := [one for id_, one in {one.id: one for one in machines.values()}.items() if id_ not in known]:
            self._admit(new)
        for address, fault in faults.items():
            if self._machines and address not in self.faults:
                self.report(f"the worker {address} does not play: {fault}")
        self.faults = faults
        self.present = set(found)
        self.workers = {
            address: (machine, found[address]["nthreads"])
            for address, machine in machines.items()
            if machine.id in self._machines
        }

    def _admit(self, new: Sequence[Machine]) -> None:
        """Choose the isolation on new machines: the same on all, the best that one has, or the one asked for.

        With `mix`, each machine has its best one.  Some may not play.  Raises ConfigError.
        """
        without = [machine for machine in new if machine.sandbox != SANDBOXED]
        reasons = "; ".join(f"{machine.host}: {', '.join(machine.missing)}" for machine in without)
        isolation: IsolationName = "process"
        if self._asked == "process":
            if not self.isolation:
                self.report(ASKED_FOR)
        elif not self.isolation and len(without) == len(new):
            if self._asked == SANDBOXED:
                raise ConfigError(f"--sandbox full: no machine of the cluster supports the sandbox: {reasons}")
            self.report(f"bots run without a sandbox, because no machine has one: {reasons}")
        elif self._mix and self._asked is None and self.isolation != SANDBOXED:
            if without:
                hosts = ", ".join(machine.host for machine in without)
                self.report(f"bots run without a sandbox on {hosts}, and in one on the other machines")
            else:
                isolation = SANDBOXED
        elif self.isolation in ("", SANDBOXED):
            isolation = SANDBOXED
            advice = "" if self._asked or self._mix else ", or set mix_sandboxes = true in [cluster]"
            for machine in without:
                fault = f"it has no sandbox and others have one: {', '.join(machine.missing)}{advice}"
                self.report(f"{machine.host} does not play, because {fault}")
            self._without |= {machine.id for machine in without}
        # Of different ones, the least: the event is only as safe as that.
        self.isolation = self.isolation or isolation
        self._machines |= {machine.id: machine for machine in new if machine.id not in self._without}

    @property
    def threads(self) -> int:
        """The number of games that all workers together can play at the same time."""
        return sum(threads for machine, threads in self.workers.values() if machine.id not in self._excluded)

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
            self._excluded.add(machine.id)
            self.changes += 1
            self.report(f"{machine.host} plays no more games, because {fault}")

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
            if self._in_a_row[machine.id] == _MOST_FAULTS:
                if self.can_spare(machine.id):
                    self.exclude(machine, fault)
                else:
                    self.report(
                        f"{machine.host} begins no games, but is tried again, because no other can play: {fault}"
                    )
            return
        bot = fault.bot
        self._forbidden[bot][machine.id] = fault
        self.changes += 1
        if not fault.was_started or bot in self._works:
            self._report_fault(machine.id, fault)
        elif not any(self._may_play(one.id, [bot]) for one in self.machines):
            self.blamed.add(bot)
            self.report(f"bots.{bot}: does not start on any machine: {self._list_faults(bot)}")
            self._forbidden[bot] = {id_: one for id_, one in self._forbidden[bot].items() if not one.was_started}

    def _report_fault(self, machine: str, fault: BotFault) -> None:
        self.report(f"bots.{fault.bot}: does not play on {self._machines[machine].host}: {fault.why}")

    def count_game(self, machine: Machine, *, voided: bool) -> None:
        """Count a game that is over; machines that void many more games than the others are named, then excluded."""
        self._games[machine.id] += 1
        if voided:
            self._voids[machine.id] += 1
        for id_ in self._voids.keys() - self._excluded:
            host = self._machines[id_].host
            share = f"{self._voids[id_]} of its {self._games[id_]} games were voided"
            if self._is_above(id_, *_EXCLUDED) and self.can_spare(id_):
                self.exclude(self._machines[id_], f"{share}, more than four times as many as on the other machines")
            elif id_ not in self._named and self._is_above(id_, *_NAMED):
                self._named.add(id_)
                self.report(f"{host} voids more games than the other machines: {share}")

    def _is_above(self, machine: str, voids: int, ratio: int) -> bool:
        """Return True if a machine has voided so many games, and so many times as many as the others for its games."""
        other_games = self._games.total() - self._games[machine]
        other_voids = self._voids.total() - self._voids[machine]
        # One more void of the others, so that a machine is not judged before the others have played.
        return self._voids[machine] >= voids and (
            self._voids[machine] * (other_games + 1) > ratio * (other_voids + 1) * self._games[machine]
        )

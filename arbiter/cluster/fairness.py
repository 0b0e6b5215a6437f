"""Fair use of several machines: which bots play where, with which isolation, and which machine is not reliable."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from msgspec import Struct

from arbiter.cluster.bots.readiness import Readiness
from arbiter.cluster.machines import Machine
from arbiter.errors import ConfigError
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.select import ASKED_FOR, SANDBOXED, IsolationName

NAMED_VOIDS: Final = 3
EXCLUDED_VOIDS: Final = 5
_NAMED_RATIO: Final = 2
_EXCLUDED_RATIO: Final = 4


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


# --- voided games ---------------------------------------------------------------------------------


class VoidCounts:
    """The games that each machine has played and voided.

    A machine is named if it has voided at least 3 games, and a share more than twice that of all others together.  It
    is excluded from 5 games and four times the share on.
    """

    def __init__(self) -> None:
        self._games: Counter[str] = Counter()
        self._voids: Counter[str] = Counter()
        self._suspects: list[str] = []
        self._named: set[str] = set()
        self.excluded: set[str] = set()

    def add(self, machine: str, *, voided: bool) -> None:
        """Count a game of a machine that is over."""
        self._games[machine] += 1
        if voided:
            self._voids[machine] += 1
            if self._voids[machine] == NAMED_VOIDS:
                self._suspects.append(machine)

    def judge(self, can_spare: Callable[[str], bool]) -> dict[str, str]:
        """Return what is new about machines, as sentences for the operator without the names of the machines.

        A machine that the others cannot spare, because no other one can play some games, is not excluded.
        """
        found = {}
        for machine in tuple(self._suspects):
            share = f"{self._voids[machine]} of its {self._games[machine]} games were voided"
            if self._is_above(machine, EXCLUDED_VOIDS, _EXCLUDED_RATIO) and can_spare(machine):
                self._suspects.remove(machine)
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

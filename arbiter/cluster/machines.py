"""The machines of a cluster: what each of them has, how fast it is, and what it lacks."""

import platform
import re
import shutil
import socket
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from arbiter import __version__
from arbiter.clock import TimeSettings
from arbiter.cluster.connect import Cluster, open_running
from arbiter.resources import count_cores
from arbiter.sandbox.files.interpreters import describe_interpreter
from arbiter.sandbox.select import diagnose
from arbiter.tournament.machine import choose_jobs, find_processor, measure_speed

_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_INTERPRETERS: Final = (
    "pypy3",
    "node",
    "deno",
    "bun",
    "java",
    "dotnet",
    "mono",
    "ruby",
    "perl",
    "php",
    "julia",
    "guile",
)
_VERSION: Final = re.compile(r"(?<=[ v])\d+(\.\d+)+")


class Machine(Struct, frozen=True, kw_only=True):
    """A machine that plays games."""

    id: str
    """Identification of the machine since its start; processes in different containers have different ones."""
    host: str
    cores: int
    """Cores that the arbiter and the bots may use."""
    slots: int
    """Number of games that it can play at the same time."""
    speed: float
    """Speed of a core relative to the reference machine."""
    sandbox: str
    """Best isolation of bots that it supports: full or process."""
    python: str
    """Version of Python."""
    arbiter: str
    """Version of the arbiter."""
    processor: str
    interpreters: dict[str, str] = {}
    """Versions of the programs that run bots, besides Python, by their names; empty if a program does not print it."""
    missing: tuple[str, ...] = ()
    """Things that the operator should install or change."""


def identify_machine() -> str:
    """Return the identification of this machine."""
    try:
        boot = _BOOT.read_text("ascii").strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname()} {boot}".strip()


def measure_machine(time: TimeSettings | None = None, *, list_interpreters: bool = False) -> Machine:
    """Measure this machine, in about half a second; `time` are the settings of the games.  Default: usual ones."""
    sandbox = diagnose()
    missing = () if sandbox.why is None else (f"sandbox: {sandbox.why}; {sandbox.cure}",)
    found = {name: path for name in _INTERPRETERS if list_interpreters and (path := shutil.which(name)) is not None}
    versions = {name: _VERSION.search(describe_interpreter(Path(path))) for name, path in found.items()}
    return Machine(
        id=identify_machine(),
        host=socket.gethostname(),
        cores=count_cores(),
        slots=choose_jobs(None, time or TimeSettings()).number,
        speed=measure_speed(),
        sandbox=sandbox.sandbox,
        python=platform.python_version(),
        arbiter=__version__,
        processor=find_processor(),
        interpreters={name: version[0] if version else "" for name, version in versions.items()},
        missing=missing,
    )


def group_by_machine(measured: Mapping[str, Machine]) -> dict[str, tuple[str, ...]]:
    """Return the addresses of the workers of each machine, by the id of the machine."""
    groups: dict[str, tuple[str, ...]] = {}
    for address, machine in measured.items():
        groups[machine.id] = (*groups.get(machine.id, ()), address)
    return groups


def merge_measurements(measured: Iterable[Machine]) -> list[Machine]:
    """Return each machine once, with the median of the speeds that its processes measured at the same time."""
    groups: dict[str, list[Machine]] = {}
    for machine in measured:
        groups.setdefault(machine.id, []).append(machine)
    return [
        replace(group[0], speed=round(median(one.speed for one in group), 3))
        for group in sorted(groups.values(), key=lambda group: group[0].host)
    ]


class Survey(Struct, frozen=True):
    """Workers of a cluster."""

    machines: dict[str, Machine]
    """Machine of each worker that can play, by its address; workers of one machine have the same."""
    faults: dict[str, str]
    """Reasons why the other workers cannot play."""
    versions: dict[str, str]
    """Version of the arbiter of each worker that has one."""


def survey_workers(
    cluster: Cluster, workers: Sequence[str], time: TimeSettings | None = None, *, list_interpreters: bool = False
) -> Survey:
    """Measure the machines of workers, all at the same time, because the cores of a busy machine are slower.

    Raises ConfigError if the connection is lost.
    """
    # Of the standard library: workers without the arbiter, and with another Python, have it too.
    versions = dict(cluster.ask(metadata.version, "stratego-arbiter", workers=workers))
    faults = {}
    for address in workers:
        if address not in versions:
            faults[address] = f"it has no arbiter; install stratego-arbiter {__version__} there"
        elif versions[address] != __version__:
            faults[address] = (
                f"it has arbiter {versions[address]}, this machine has {__version__}; install the same version"
            )
    able = [address for address in workers if address not in faults]
    measured = cluster.ask(partial(measure_machine, time, list_interpreters=list_interpreters), workers=able)
    faults |= dict.fromkeys(set(able) - measured.keys(), "it could not be measured")
    merged = {machine.id: machine for machine in merge_measurements(measured.values())}
    return Survey({address: merged[machine.id] for address, machine in measured.items()}, faults, versions)


def find_missing(machine: Machine) -> Sequence[str]:
    """List what a machine lacks, compared with this one."""
    missing = list(machine.missing)
    if machine.arbiter != __version__:
        missing.append(f"arbiter {__version__}: it has {machine.arbiter}; install the same version on all machines")
    here = platform.python_version_tuple()[:2]
    if tuple(machine.python.split(".")[:2]) != here:
        missing.append(f"Python {'.'.join(here)}: it has {machine.python}, so bots in Python run differently")
    return missing


def list_machines(address: str) -> list[dict[str, Any]]:
    """List the machines of a running cluster, and the workers that cannot play, each with what is missing there.

    Raises ConfigError.
    """
    with open_running(address) as cluster:
        survey = survey_workers(cluster, tuple(cluster.list_workers()), list_interpreters=True)
        # Of the standard library, so that workers without the arbiter can answer too.
        hosts = cluster.ask(socket.gethostname, workers=tuple(survey.faults))
        pythons = cluster.ask(platform.python_version, workers=tuple(survey.faults))
    workers = Counter(machine.id for machine in survey.machines.values())
    found: list[dict[str, Any]] = [
        {**asdict(machine), "workers": workers[machine.id], "missing": list(find_missing(machine))}
        for machine in {machine.id: machine for machine in survey.machines.values()}.values()
    ]
    for worker, fault in survey.faults.items():
        python, version = pythons.get(worker), survey.versions.get(worker)
        found.append({"host": hosts.get(worker), "worker": worker, "workers": 1, "python": python, "arbiter": version})
        found[-1]["missing"] = [fault]
    return found

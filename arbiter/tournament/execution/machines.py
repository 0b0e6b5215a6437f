"""The machine of a worker: what it has, how fast it is, and what it lacks."""

import os
import platform
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct

from arbiter import __version__
from arbiter.clock import TimeSettings
from arbiter.resources import count_cores
from arbiter.sandbox.select import diagnose
from arbiter.tournament.machine import PlayingConditions, choose_jobs, find_processor, measure_speed

_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_LOAD_S: Final = 0.1
_IDLE_CORES: Final = 0.5


class Machine(Struct, frozen=True, kw_only=True):
    """A machine that plays games, as one of its worker processes describes it when it starts."""

    id: str
    """Identification of the machine since its start; processes in different containers have different ones."""
    process: str = ""
    """Identification of the worker process."""
    host: str
    cores: Annotated[int, Meta(ge=1)]
    """Cores that the arbiter and the bots may use."""
    slots: Annotated[int, Meta(ge=1)]
    """Number of games that it plays at the same time."""
    speed: Annotated[float, Meta(gt=0.01, lt=100)]
    """Speed of a core relative to the reference machine."""
    sandbox: str
    """Best isolation of bots that it supports: full or process."""
    python: str
    """Version of Python."""
    arbiter: str
    """Version of the arbiter."""
    processor: str
    missing: tuple[str, ...] = ()
    """Things that the operator should install or change."""

    def describe_conditions(self, isolation: str) -> PlayingConditions:
        """Describe the conditions of a game with bots in an isolation, as far as they are known without its report."""
        shared = {name: getattr(self, name) for name in ("host", "cores", "processor", "python", "arbiter", "speed")}
        return PlayingConditions(jobs=self.slots, load=None, lag_ms=0.0, sandbox=isolation, **shared)


def identify_machine() -> str:
    """Return the identification of this machine."""
    try:
        boot = _BOOT.read_text("ascii").strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname()} {boot}".strip()


def wait_until_idle(measure_load: Callable[[float], float], longest_s: float) -> None:
    """Wait until at least one core is idle, but not forever: the machine may play the games of other workers.

    `measure_load` returns the load of all cores, in percent, during some seconds.
    """
    limit = time.monotonic() + longest_s
    cores = os.cpu_count() or 1
    while time.monotonic() < limit and cores * (1 - measure_load(_LOAD_S) / 100) < _IDLE_CORES:
        pass


def measure_machine(slots: int | None = None) -> Machine:
    """Measure this machine, in about half a second; it plays `slots` games at a time.  Default: by its cores."""
    sandbox = diagnose()
    return Machine(
        id=identify_machine(),
        process=secrets.token_hex(8),
        host=socket.gethostname(),
        cores=count_cores(),
        slots=slots or choose_jobs(None, TimeSettings()).number,
        speed=measure_speed(),
        sandbox=sandbox.sandbox,
        python=platform.python_version(),
        arbiter=__version__,
        processor=find_processor(),
        missing=() if sandbox.why is None else (f"sandbox: {sandbox.why}; {sandbox.cure}",),
    )


def find_missing(machine: Machine) -> Sequence[str]:
    """List what a machine lacks, compared with this one."""
    missing = list(machine.missing)
    if machine.arbiter != __version__:
        missing.append(f"arbiter {__version__}: it has {machine.arbiter}; install the same version on all machines")
    here = platform.python_version_tuple()[:2]
    if tuple(machine.python.split(".")[:2]) != here:
        missing.append(f"Python {'.'.join(here)}: it has {machine.python}, so bots in Python run differently")
    return missing

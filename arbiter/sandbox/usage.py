"""The processor time and memory that processes have used, and how to stop and continue them; needs Linux and /proc."""

import contextlib
import os
import re
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError

_NS: Final = 1_000_000.0
_MS_A_TICK: Final = 1000 / os.sysconf("SC_CLK_TCK")
_CHUNK: Final = 65536
_CHILDREN_USED: Final = slice(13, 15)  # cutime and cstime among the fields of /proc/PID/stat that follow the name
_PROCESS_CLOCK: Final = 2  # as clock_getcpuclockid(3) numbers the clock of a process; Python has no name for it


def check_clock(settings: TimeSettings) -> None:
    """Check that this system can measure and stop programs if the settings need it.  Raises ConfigError."""
    if is_measurable():
        return
    if settings.clock == "cpu":
        raise ConfigError('time.clock: "cpu" needs Linux with /proc; use "wall" on this system')
    if not settings.pondering:
        raise ConfigError("time.pondering: false needs Linux with /proc; use true on this system")


def is_measurable() -> bool:
    """Return True if this system reports what processes use and which children they have."""
    own = os.getpid()
    return Path(f"/proc/{own}/task/{own}/children").exists()


def descendants(pid: int) -> list[int]:
    """List the children of a process, their children and so on, the closest first."""
    found = [pid]
    for parent in found:
        found += _children(parent)
    return found[1:]


def _children(pid: int) -> list[int]:
    """List the children of all threads of a process; none if it has ended."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - this runs at every answer
        return [int(child) for thread in threads for child in _read(f"/proc/{pid}/task/{thread}/children").split()]
    except OSError:
        return []


def cpu_ms(pids: Iterable[int]) -> float:
    """Return the processor time that processes have used, with the children that they reaped, in milliseconds.

    Living processes are measured in nanoseconds, reaped children in ticks of the system, usually 10 ms.
    """
    return sum(_own_ns(pid) / _NS + _children_ms(pid) for pid in pids)


def _own_ns(pid: int) -> int:
    try:
        return time.clock_gettime_ns(~pid << 3 | _PROCESS_CLOCK)
    except OSError:
        return 0


def _children_ms(pid: int) -> float:
    try:
        stat = _read(f"/proc/{pid}/stat")
    except OSError:
        return 0.0
    fields = stat[stat.rindex(b")") + 2 :].split()
    return sum(int(ticks) for ticks in fields[_CHILDREN_USED]) * _MS_A_TICK


def peak_mib(pids: Iterable[int]) -> float | None:
    """Return the largest address space that any of the processes has had, in MiB; None if unknown."""
    return max((peak for pid in pids if (peak := _peak_mib(pid)) is not None), default=None)


def _peak_mib(pid: int) -> float | None:
    try:
        found = re.search(rb"VmPeak:\s*(\d+) kB", _read(f"/proc/{pid}/status"))
    except OSError:
        return None
    return int(found[1]) / 1024 if found else None


def freeze(find: Callable[[], list[int]]) -> set[int]:
    """Stop the process groups of the processes that `find` returns, until it returns no new ones; return the groups.

    During a fork, the child also gets a signal to its group, but not a signal to its parent alone.
    """
    groups: set[int] = set()
    seen: set[int] = set()
    while fresh := set(find()) - seen:
        seen |= fresh
        found = {group for pid in fresh if (group := _group(pid))}
        _signal(found, signal.SIGSTOP)
        groups |= found
    return groups


def thaw(groups: Iterable[int]) -> None:
    """Continue stopped process groups."""
    _signal(groups, signal.SIGCONT)


def _group(pid: int) -> int | None:
    """Return the group of a process; None if it has ended, or if the group is the referee's own."""
    try:
        group = os.getpgid(pid)
    except OSError:
        return None
    return None if group == os.getpgrp() else group


def _signal(groups: Iterable[int], number: signal.Signals) -> None:
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def _read(path: str) -> bytes:
    # Many times faster than Path.read_bytes, and this runs at every answer.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, _CHUNK)
    finally:
        os.close(fd)

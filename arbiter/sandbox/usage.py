"""What processes have used of the processor, and how they are stopped and let go on; Linux only, by /proc."""

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
    """Check that this system can measure and stop programs where that is asked for.  Raises ConfigError."""
    if is_measurable():
        return
    if settings.clock == "cpu":
        raise ConfigError('time.clock: is "cpu", which needs Linux and its /proc; here it must be "wall"')
    if not settings.pondering:
        raise ConfigError("time.pondering: is false, which needs Linux and its /proc; here it must be true")


def is_measurable() -> bool:
    """Say whether this system tells what processes use and which are whose children."""
    own = os.getpid()
    return Path(f"/proc/{own}/task/{own}/children").exists()


def descendants(pid: int) -> list[int]:
    """List the children of a process, their children and so on, the nearest first."""
    found = [pid]
    for parent in found:
        found += _children(parent)
    return found[1:]


def _children(pid: int) -> list[int]:
    """List the children of all threads of a process; none where it is gone."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - asked at every answer
        return [int(child) for thread in threads for child in _read(f"/proc/{pid}/task/{thread}/children").split()]
    except OSError:
        return []


def cpu_ms(pids: Iterable[int]) -> float:
    """Add up what processes have used since they began, children that they waited for included, in milliseconds.

    What lives is measured in nanoseconds; children that have gone in ticks of the system, usually 10 ms.
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
    """Return the most address space that one of some processes has had, in MiB; None where nobody can tell."""
    return max((peak for pid in pids if (peak := _peak_mib(pid)) is not None), default=None)


def _peak_mib(pid: int) -> float | None:
    try:
        found = re.search(rb"VmPeak:\s*(\d+) kB", _read(f"/proc/{pid}/status"))
    except OSError:
        return None
    return int(found[1]) / 1024 if found else None


def freeze(find: Callable[[], list[int]]) -> set[int]:
    """Stop the processes that `find` finds, by their groups, until it finds no new ones; return the groups.

    A fork that is under way passes a group's signal on to the child, but not one that is sent to a single process.
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
    """Let stopped groups of processes go on."""
    _signal(groups, signal.SIGCONT)


def _group(pid: int) -> int | None:
    """Return the group of a process: none where it is gone, and never our own."""
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
    # Many times faster than Path.read_bytes, and this is asked at every answer.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, _CHUNK)
    finally:
        os.close(fd)

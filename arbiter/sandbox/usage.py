"""The processor time and memory that processes have used, and how to stop and continue them; needs Linux and /proc."""

import contextlib
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable
from functools import cache
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


@cache
def is_measurable() -> bool:
    """Return True if this system reports what processes use and which children they have."""
    own = os.getpid()
    return Path(f"/proc/{own}/task/{own}/children").exists()


def descendants(pid: int) -> list[int]:
    """List the children of a process, their children and so on, the closest first."""
    found = [pid]
    for parent in found:
        try:
            threads = os.listdir(f"/proc/{parent}/task")  # noqa: PTH208 - this runs at every answer
            children = [read_file(f"/proc/{parent}/task/{thread}/children") for thread in threads]
        except OSError:  # the process has ended
            continue
        found += [int(child) for line in children for child in line.split()]
    return found[1:]


def cpu_ms(pids: Iterable[int]) -> float:
    """Return the processor time that processes have used, with the children that they reaped, in milliseconds.

    Living processes are measured in nanoseconds, reaped children in ticks of the system, usually 10 ms.
    """
    total = 0.0
    for pid in pids:
        try:
            own_ns = time.clock_gettime_ns(~pid << 3 | _PROCESS_CLOCK)
        except OSError:  # it is dead; the children that it reaped still count
            own_ns = 0
        total += own_ns / _NS + reaped_ms(pid)
    return total


def living_cpu_ms(pids: Iterable[int]) -> float | None:
    """Return the processor time that living processes have used, in milliseconds; None if one has ended."""
    try:
        return sum(time.clock_gettime_ns(~pid << 3 | _PROCESS_CLOCK) for pid in pids) / _NS
    except OSError:
        return None


def newest_process() -> int | None:
    """Return the number of the process or thread that was started last on this machine; None if that is not shown."""
    return next(iter(_read_newest()), None) if _is_newest_shown() else None


def _read_newest() -> list[int]:
    return read_numbers(rb" (\d+)$", "/proc/loadavg")


@cache
def _is_newest_shown() -> bool:
    """Return True if the number changes at once: some containers show old values."""
    before = _read_newest()
    thread = threading.Thread(target=bool)
    thread.start()
    thread.join()
    return _read_newest() != before


def reaped_ms(pid: int) -> float:
    """Return the processor time of the children that a process has reaped, with those that they reaped, in ms.

    The kernel adds up exact times and shows whole ticks of the sum.
    """
    return sum(map(int, read_stat(pid)[_CHILDREN_USED])) * _MS_A_TICK


def is_ready_to_run(pid: int) -> bool:
    """Return True if a process is running, or waits only for a core or for a disk."""
    return read_stat(pid)[:1] in ([b"R"], [b"D"])


def find_parent(pid: int) -> int | None:
    """Return the parent of a process; None if it has ended."""
    fields = read_stat(pid)
    return int(fields[1]) if fields[1:] else None


def read_stat(pid: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat that follow the name, which may contain spaces and parentheses.

    There are none if the process has been reaped.
    """
    try:
        return read_file(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return []


def peak_mib(pids: Iterable[int]) -> float | None:
    """Return the most memory that any of the processes has used, in MiB; None if unknown."""
    peaks = [kib for pid in pids for kib in read_numbers(rb"^VmHWM:\s*(\d+) kB", f"/proc/{pid}/status")]
    return max(peaks) / 1024 if peaks else None


def prefer_as_victim(pid: int) -> None:
    """Let the kernel kill a process before any other one, and so before the referee, if the machine has no memory left.

    A program in a sandbox cannot undo this: `/proc` is read-only there.
    """
    with contextlib.suppress(OSError):
        write_file(f"/proc/{pid}/oom_score_adj", "1000")


def freeze(find: Callable[[], list[int]]) -> set[int]:
    """Stop the process groups of the processes that `find` returns, until it returns no new ones; return the groups.

    During a fork, the child also gets a signal to its group, but not a signal to its parent alone.
    """
    groups: set[int] = set()
    seen: set[int] = set()
    while fresh := set(find()) - seen:
        seen |= fresh
        found = set()
        for pid in fresh:
            with contextlib.suppress(OSError):
                found.add(os.getpgid(pid))
        found -= {os.getpgrp(), 0}  # never the referee's own, which 0 stands for too
        _signal(found, signal.SIGSTOP)
        groups |= found
    return groups


def thaw(groups: Iterable[int]) -> None:
    """Continue stopped process groups."""
    _signal(groups, signal.SIGCONT)


def _signal(groups: Iterable[int], number: signal.Signals) -> None:
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def read_file(path: str) -> bytes:
    """Read a small file of the kernel."""
    # Many times faster than Path.read_bytes, and this runs at every answer.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, _CHUNK)
    finally:
        os.close(fd)


def find_numbers(pattern: bytes, text: bytes) -> list[int]:
    """Return the numbers that the group of a pattern finds in a text; ^ and $ stand for the ends of lines."""
    return [int(found) for found in re.findall(pattern, text, re.MULTILINE)]


def read_numbers(pattern: bytes, path: str) -> list[int]:
    """Return the same for a small file of the kernel; an empty list if it cannot be read."""
    try:
        return find_numbers(pattern, read_file(path))
    except OSError:
        return []


def write_file(path: str | Path, text: str) -> None:
    """Write a value to a file of the kernel with one system call, without creating a file.  Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)

"""The memory that all processes of a bot use together: sampled, for systems on which no control group limits it."""

import contextlib
import os
import re
from collections.abc import Callable, Iterable
from typing import Final

import trio
from msgspec import Struct

from arbiter.clock import MS_PER_S
from arbiter.sandbox.cgroups import Cgroup
from arbiter.sandbox.usage import living_cpu_ms, newest_process, read_numbers

_SCRATCH: Final = ("tmp", "dev/shm")
_INODE: Final = 1536  # bytes of an empty file in memory, with its name
_SOCKET: Final = 512 << 10  # bytes that the buffers of a unix socket can hold if the kernel has its usual settings
_PAUSE_S: Final = (0.02, 0.2)
_GROWTH: Final = (2 << 30) * min(os.cpu_count() or 1, 4)  # bytes that all cores can fill in a second
_MOST_GROWTH: Final = 16 << 30  # bytes that no program fills in a second of processor time, even with huge pages
_LONGEST_S: Final = 1.0  # between two measurements
_UNSEEN_MS: Final = 10.0 * min(os.cpu_count() or 1, 4)  # that a control group may have used and does not show yet
# What belongs to no file, with the page tables; its shares in pages that several processes have; the page tables.
_UNSHARED: Final = rb"^(?:RssAnon|VmSwap|VmPTE):\s*(\d+) kB"
_SHARES: Final = rb"^(?:Pss_Anon|SwapPss):\s*(\d+) kB"
_PAGE_TABLES: Final = rb"^VmPTE:\s*(\d+) kB"
_KIB: Final = 1024
_MIB: Final = 1 << 20


class _Measurement(Struct, frozen=True):
    """A measurement, with what was known before it was made."""

    at: float
    """Time of trio's clock."""
    used: int
    """Memory in bytes."""
    pids: list[int]
    newest: int | None
    """The process that was started last on this machine; 0 if that does not matter."""
    cpu_ms: float | None
    """Processor time that the program had used."""


class MemoryWatch:
    """A limit for the memory of a program and all that it started, with its files and the buffers of its sockets.

    In a sandbox no other memory can grow: its processes have a limit for descriptors, and the system call filter
    refuses the rest.
    """

    def __init__(
        self, limit_mb: int, find: Callable[[], list[int]], first: int | None, group: Cgroup | None = None
    ) -> None:
        """Watch the processes that `find` returns, which are in a control group, if there is one.

        `first` is the first process of a sandbox; None without one.
        """
        self._limit = limit_mb * _MIB
        self._find = find
        self._first = first
        self._group = group
        self._folders: list[int] = []  # these and the next show the memory of a sandbox outside its processes
        self._sockets: int | None = None
        self._last: _Measurement | None = None
        self._next_look = trio.current_time() + self._pause_s(0)

    def is_due(self, now: float) -> bool:
        """Return True if the memory is to be measured now.

        A bot that has hardly used the processor since the last measurement cannot have filled much memory.  To find
        that out takes much less time.
        """
        if now < self._next_look:
            return False
        last = self._last
        if last is None or last.cpu_ms is None or last.newest is None or now - last.at > _LONGEST_S:
            return True
        # Without a control group, the processor time of processes that were started meanwhile is unknown.
        if self._newest() != last.newest or (cpu_ms := self._cpu_ms(last.pids)) is None:
            return True
        unseen_ms = 0.0 if self._group is None else _UNSEEN_MS
        most = last.used + (cpu_ms - last.cpu_ms + unseen_ms) / MS_PER_S * _MOST_GROWTH
        if most > self._limit:
            return True
        self._next_look = now + self._pause_s(most)
        return False

    def _newest(self) -> int | None:
        return newest_process() if self._group is None else 0

    def _cpu_ms(self, pids: Iterable[int]) -> float | None:
        if self._group is None:
            return living_cpu_ms(pids)
        try:
            return self._group.cpu_ms() or None  # 0 if the kernel does not show it
        except OSError:  # the group has been removed
            return None

    async def look(self) -> float | None:
        """Measure the memory; return how much is used, in MiB, if that is more than the limit."""
        if self._first is not None:
            with contextlib.suppress(OSError):
                for folder in _SCRATCH:
                    self._folders.append(os.open(f"/proc/{self._first}/root/{folder}", os.O_PATH | os.O_CLOEXEC))
                self._sockets = os.open(f"/proc/{self._first}/net/sockstat", os.O_RDONLY | os.O_CLOEXEC)
            self._first = None
        now = trio.current_time()
        newest = self._newest()
        pids = self._find()
        cpu_ms = self._cpu_ms(pids)
        used = self._kept_elsewhere() + sum(_sum_kib(pid, "status", _UNSHARED) for pid in pids)
        if used > self._limit:  # pages that a child shares with its parent were counted twice
            used = self._kept_elsewhere() + await trio.to_thread.run_sync(_count_shared_once, pids)
        if used > self._limit:
            return used / _MIB
        self._last = _Measurement(now, used, pids, newest, cpu_ms)
        self._next_look = trio.current_time() + self._pause_s(used)
        return None

    def _pause_s(self, used: float) -> float:
        """Return the time until the next look: the shorter, the sooner the limit can be reached."""
        shortest_s, longest_s = _PAUSE_S
        return min(max((self._limit - used) / _GROWTH, shortest_s), longest_s)

    def close(self) -> None:
        """Close all descriptors."""
        for descriptor in (*self._folders, *(() if self._sockets is None else (self._sockets,))):
            os.close(descriptor)

    def _kept_elsewhere(self) -> int:
        """Return the bytes in scratch folders, and at most in buffers of sockets, also of sockets that were closed."""
        total = 0
        for folder in self._folders:
            found = os.fstatvfs(folder)
            total += (found.f_blocks - found.f_bfree) * found.f_frsize + (found.f_files - found.f_ffree) * _INODE
        if self._sockets is not None:
            used = re.match(rb"sockets: used (\d+)", os.pread(self._sockets, 64, 0))
            total += int(used[1]) * _SOCKET if used else 0
        return total


def _count_shared_once(pids: Iterable[int]) -> int:
    """Return the bytes of processes that belong to no file; they share the cost of a page that they share."""
    return sum(_sum_kib(pid, "smaps_rollup", _SHARES) + _sum_kib(pid, "status", _PAGE_TABLES) for pid in pids)


def _sum_kib(pid: int, file: str, pattern: bytes) -> int:
    """Add up the KiB in a file of /proc/PID, as bytes; if the first thread has ended, in that of another thread.

    Return 0 if the process has ended.
    """
    found = read_numbers(pattern, f"/proc/{pid}/{file}")
    if not found:
        with contextlib.suppress(OSError):
            threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - many times faster than a Path
            numbers = (read_numbers(pattern, f"/proc/{pid}/task/{thread}/{file}") for thread in threads)
            found = next(filter(None, numbers), [])
    return sum(found) * _KIB

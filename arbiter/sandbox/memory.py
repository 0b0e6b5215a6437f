"""The memory that all processes of a bot use together: sampled, for systems on which no control group limits it."""

import contextlib
import os
import re
from collections.abc import Callable, Iterable
from typing import Final

import trio

from arbiter.sandbox.usage import read_file

_SCRATCH: Final = ("tmp", "dev/shm")
_INODE: Final = 1536  # bytes of an empty file in memory, with its name
_SOCKET: Final = 512 << 10  # bytes that the buffers of a unix socket can hold if the kernel has its usual settings
_PAUSE_S: Final = (0.02, 0.2)
_GROWTH: Final = (2 << 30) * min(os.cpu_count() or 1, 4)  # bytes that all cores can fill in a second
_KIB: Final = 1024
_MIB: Final = 1 << 20


class MemoryWatch:
    """A limit for the memory of a program and all that it started, with its files and the buffers of its sockets.

    In a sandbox no other memory can grow: its processes have a limit for descriptors, and the system call filter
    refuses the rest.
    """

    def __init__(self, limit_mb: int, find: Callable[[], list[int]], first: int | None) -> None:
        """Watch the processes that `find` returns.  `first` is the first process of a sandbox; None without one."""
        self._limit = limit_mb * _MIB
        self._find = find
        self._first = first
        self._folders: list[int] = []
        self._sockets: int | None = None
        self.next_look = self._after(0)
        """Time of trio's clock at which the memory should be measured."""

    async def look(self) -> float | None:
        """Measure the memory; return how much is used, in MiB, if that is more than the limit."""
        if self._first is not None:
            self._open(self._first)
            self._first = None
        used = self._kept_elsewhere() + sum(map(_count_unshared, pids := self._find()))
        if used > self._limit:  # pages that a child shares with its parent were counted twice
            used = self._kept_elsewhere() + await trio.to_thread.run_sync(_count_shared_once, pids)
        if used > self._limit:
            return used / _MIB
        self.next_look = self._after(used)
        return None

    def _after(self, used: int) -> float:
        """Return the time of the next look: the earlier, the sooner the limit can be reached."""
        shortest_s, longest_s = _PAUSE_S
        return trio.current_time() + min(max((self._limit - used) / _GROWTH, shortest_s), longest_s)

    def close(self) -> None:
        """Close all descriptors."""
        for descriptor in (*self._folders, *(() if self._sockets is None else (self._sockets,))):
            os.close(descriptor)

    def _open(self, first: int) -> None:
        """Open what shows the memory of a sandbox outside its processes."""
        with contextlib.suppress(OSError):
            for folder in _SCRATCH:
                self._folders.append(os.open(f"/proc/{first}/root/{folder}", os.O_PATH | os.O_CLOEXEC))
            self._sockets = os.open(f"/proc/{first}/net/sockstat", os.O_RDONLY | os.O_CLOEXEC)

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


def _count_unshared(pid: int) -> int:
    """Return the bytes of a process that belong to no file, with its page tables; 0 if it has ended."""
    return _sum_kib(pid, "status", rb"^(?:RssAnon|VmSwap|VmPTE):\s*(\d+) kB")


def _count_shared_once(pids: Iterable[int]) -> int:
    """Return the same for several processes, which share the cost of a page that they share."""
    total = 0
    for pid in pids:
        total += _sum_kib(pid, "smaps_rollup", rb"^(?:Pss_Anon|SwapPss):\s*(\d+) kB")
        total += _sum_kib(pid, "status", rb"^VmPTE:\s*(\d+) kB")
    return total


def _sum_kib(pid: int, file: str, pattern: bytes) -> int:
    """Add up the KiB in a file of /proc/PID; if the first thread has ended, in that of another thread."""
    found = _find(f"/proc/{pid}/{file}", pattern)
    if not found:
        with contextlib.suppress(OSError):
            threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - many times faster than a Path
            found = next(filter(None, (_find(f"/proc/{pid}/task/{thread}/{file}", pattern) for thread in threads)), [])
    return sum(map(int, found)) * _KIB


def _find(path: str, pattern: bytes) -> list[bytes]:
    try:
        return re.findall(pattern, read_file(path), re.MULTILINE)
    except OSError:
        return []

"""Control groups of Linux, version 2: one group for each sandbox, with limits for all of its processes together.

Making groups needs a part of the tree that belongs to the arbiter.  Freezing, killing and measuring work in every such
part; limits need controllers, which not every system delegates.
"""

import contextlib
import os
import re
import secrets
import time
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.resources import parse_groups
from arbiter.sandbox.files.identity import open_folder, try_lock
from arbiter.sandbox.usage import descendants, find_numbers, read_file, write_file

CONTROLLERS: Final = ("memory", "pids", "cpu")
"""The controllers that sandboxes use if they are available."""
_PREFIX: Final = "arbiter-bots-"  # groups of arbiters, each with the groups of its sandboxes
_REMOVAL_TRIES: Final = 40
_REMOVAL_PAUSE_S: Final = 0.005
_NAME_BYTES: Final = 6
_US_PER_MS: Final = 1000.0
_CHUNK: Final = 4096


class GroupLimits(Struct, frozen=True):
    """Limits for all processes of a group together; each needs its controller."""

    memory_mb: int
    """Memory of all kinds, that of the kernel included, in MiB."""
    processes: int
    """Processes and threads."""


class Cgroup:
    """The group of one sandbox.  All processes that its processes start belong to it; no process can leave it."""

    def __init__(self, path: Path, controllers: frozenset[str], ended: list["Cgroup"]) -> None:
        """Take over a group.  `ended` are the groups that will be removed."""
        self.path = path
        self.controllers = controllers
        self._ended = ended
        self._cpu_stat: int | None = os.open(path / "cpu.stat", os.O_RDONLY | os.O_CLOEXEC)

    def attach(self, pids: Iterable[int]) -> None:
        """Move processes into the group, each with its threads but without its children, unless it has ended.

        This may wait for 30 ms in the kernel: call it in a thread.
        """
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                write_file(f"{self.path}/cgroup.procs", str(pid))

    def attach_tree(self, pid: int) -> None:
        """Move a process into the group, then what it started meanwhile; call this in a thread too."""
        self.attach([pid])
        self.attach(descendants(pid))

    def processes(self) -> set[int]:
        """Return the processes of the group."""
        return set(list_processes(self.path))

    def freeze(self) -> None:
        """Stop all processes.  No signal continues them; SIGKILL ends them."""
        write_file(self.path / "cgroup.freeze", "1")

    def thaw(self) -> None:
        """Let all processes continue."""
        write_file(self.path / "cgroup.freeze", "0")

    def cpu_ms(self) -> float:
        """Return the processor time of all processes that have ever been in the group, in milliseconds."""
        assert self._cpu_stat is not None  # noqa: S101 - the group has not been removed
        return parse_usage_us(os.pread(self._cpu_stat, _CHUNK, 0)) / _US_PER_MS

    def set_weight(self, weight: int) -> None:
        """Set the share of the processor, 1 to 10000; the default of a group is 100.  Needs the controller `cpu`."""
        write_file(self.path / "cpu.weight", str(weight))

    def count_out_of_memory(self) -> int:
        """Return how often the kernel has killed the group because it reached its own limit of memory."""
        if "memory" not in self.controllers:
            return 0
        events = read_file(f"{self.path}/memory.events")
        counts = [find_numbers(rb"^%b (\d+)$" % name, events) for name in (b"oom", b"oom_kill")]
        return min(sum(found) for found in counts)  # `oom` also counts limits of groups above

    def kill(self) -> None:
        """Kill all processes at once, frozen ones too."""
        _kill(self.path)

    def discard(self) -> None:
        """Let the group be removed when the next one has been made.  All its processes must have been killed."""
        self._ended.append(self)

    def remove(self) -> None:
        """Remove the group.  All its processes must have been killed; this waits up to 0.2 s for the last one."""
        if self._cpu_stat is not None:
            os.close(self._cpu_stat)
            self._cpu_stat = None
        _remove(self.path)


class CgroupTree:
    """The group of this arbiter, in which it makes the groups of its sandboxes.

    It is locked while the arbiter lives, which distinguishes it from one that a killed arbiter left behind.
    """

    def __init__(self, base: Path) -> None:
        """Make the group in `base`, and remove those that killed arbiters left there.  Raises OSError and NoCgroups."""
        for left in base.glob(f"{_PREFIX}*"):
            with contextlib.suppress(OSError):  # it is removed by somebody else, or belongs to another user
                if (lock := _try_lock(left)) is not None:
                    _close(left, lock)
        _enable(base, move=True)
        self.path, lock = _make_locked(base)
        if not (self.path / "cgroup.freeze").exists() or not (self.path / "cpu.stat").exists():
            _close(self.path, lock)
            raise NoCgroups("this kernel cannot stop and measure control groups; that needs Linux 5.2 or newer")
        _enable(self.path, move=False)
        self.controllers = frozenset(_words(self.path / "cgroup.subtree_control")) & frozenset(CONTROLLERS)
        self._ended: list[Cgroup] = []
        self._close = weakref.finalize(self, _close, self.path, lock)

    def create(self, name: str, limits: GroupLimits) -> Cgroup:
        """Make a group for a sandbox.  Raises OSError."""
        path = self.path / name
        path.mkdir()
        try:
            if "memory" in self.controllers:
                write_file(path / "memory.max", str(limits.memory_mb << 20))
                write_file(path / "memory.oom.group", "1")
                with contextlib.suppress(FileNotFoundError):  # a system without swap
                    write_file(path / "memory.swap.max", "0")
            if "pids" in self.controllers:
                write_file(path / "pids.max", str(limits.processes))
            return Cgroup(path, self.controllers, self._ended)
        except BaseException:
            path.rmdir()
            raise

    def create_for(self, pid: int, name: str, limits: GroupLimits) -> Cgroup:
        """Make a group for a sandbox and move a process and all that it has started into it.  Raises OSError.

        Call this in a thread: it can wait for 30 ms in the kernel, and so can every change of another group meanwhile.
        """
        group = self.create(name, limits)
        try:
            group.attach_tree(pid)
        except BaseException:
            group.discard()
            raise
        with contextlib.suppress(IndexError):  # other threads do this too
            while True:
                self._ended.pop().remove()
        return group

    def close(self) -> None:
        """Remove the group of this arbiter, and what is left in it."""
        for group in self._ended:
            group.remove()
        self._close()


# --- files of a group -----------------------------------------------------------------------------


def _enable(path: Path, *, move: bool) -> None:
    """Enable the controllers for the children of a group; with `move`, move its processes into a leaf if necessary."""
    control = path / "cgroup.subtree_control"
    available = set(_words(path / "cgroup.controllers")).difference(_words(control))
    missing = [name for name in CONTROLLERS if name in available]
    if missing and move and not is_root(path):
        leaf = path / OWN_LEAF
        leaf.mkdir(exist_ok=True)
        for pid in list_processes(path):
            with contextlib.suppress(ProcessLookupError):
                write_file(leaf / "cgroup.procs", str(pid))
    for name in missing:
        with contextlib.suppress(OSError):  # bound to version 1, or used by threads
            write_file(control, f"+{name}")


def _make_locked(base: Path) -> tuple[Path, int]:
    """Make a group with a new name and lock it; the sweep of another arbiter may remove it before it is locked."""
    while True:
        path = base / f"{_PREFIX}{secrets.token_hex(_NAME_BYTES)}"
        path.mkdir()
        with contextlib.suppress(FileNotFoundError):
            if (lock := _try_lock(path)) is not None:
                if path.exists():
                    return path, lock
                os.close(lock)


def _try_lock(path: Path) -> int | None:
    descriptor = open_folder(path)
    if try_lock(descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _close(path: Path, lock: int) -> None:
    with contextlib.suppress(OSError):
        _kill(path)
        for child in path.glob("*/"):
            _remove(child)
        _remove(path)
    os.close(lock)


def _kill(path: Path) -> None:
    if (path / "cgroup.kill").exists():  # from Linux 5.14 on
        write_file(path / "cgroup.kill", "1")
        return
    for file in path.rglob("cgroup.procs"):
        for pid in list_processes(file.parent):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)


def _remove(path: Path) -> None:
    for _ in range(_REMOVAL_TRIES):
        with contextlib.suppress(FileNotFoundError):
            try:
                path.rmdir()
            except OSError:  # its last process has not quite ended
                time.sleep(_REMOVAL_PAUSE_S)
                continue
        return


def parse_usage_us(stat: bytes) -> int:
    """Return the processor time in cpu.stat in microseconds; 0 if it is missing."""
    _, _, rest = stat.partition(b"usage_usec ")
    return int(rest.split(b"\n", 1)[0] or 0)


def _words(path: Path) -> list[str]:
    return path.read_text().split()


# --- the place of groups on this machine ----------------------------------------------------------


OWN_LEAF: Final = "arbiter"
"""Name of the group that the arbiter moves into: a group with controllers for its children has no own processes."""
_MOUNT_FIELDS: Final = 6
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")
_DELEGATED: Final = ("user.delegate", "trusted.delegate")  # attributes that systemd sets on delegated groups


class NoCgroups(Exception):
    """The arbiter cannot make control groups here, and why."""


def find_own_group() -> Path:
    """Return the folder of the group that this process is in.  Raises NoCgroups."""
    try:
        groups = parse_groups(Path("/proc/self/cgroup").read_bytes())
        mounts = Path("/proc/self/mountinfo").read_bytes()
    except OSError:
        raise NoCgroups("this system has no control groups") from None
    own = next((Path(path) for controllers, path in groups if not controllers), None)
    if own is None:
        raise NoCgroups("the kernel has no control groups of version 2")
    for root, mount_point in parse_mounts(mounts):
        if own.is_relative_to(root) and ".." not in own.parts:
            return mount_point / own.relative_to(root)
    raise NoCgroups("control groups of version 2 are not mounted, or only another part of them is")


def find_base() -> Path:
    """Return the folder in which this process may make groups.  Raises NoCgroups."""
    own = find_own_group()
    base = own.parent if own.name == OWN_LEAF else own
    if not all(os.access(path, os.W_OK) for path in (base, base / "cgroup.procs", base / "cgroup.subtree_control")):
        raise NoCgroups(f"the control group {base} belongs to another user, or is read-only")
    if not (is_root(base) or _is_delegated(base) or own != base or list_processes(base) == [os.getpid()]):
        raise NoCgroups(f"the control group {base} has other processes too, and was not delegated to this one")
    return base


def parse_mounts(text: bytes) -> Iterator[tuple[Path, Path]]:
    """Yield the root and the mount point of each tree of version 2 in /proc/self/mountinfo.

    The file contains names from the folders of bots: any bytes.  The kernel escapes spaces and newlines.
    """
    for line in os.fsdecode(text).split("\n"):
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if right.split(" ")[0] == "cgroup2" and len(fields) >= _MOUNT_FIELDS:
            root, mount_point = (_ESCAPED.sub(lambda found: chr(int(found[1], 8)), field) for field in fields[3:5])
            yield Path(root), Path(mount_point)


def is_root(path: Path) -> bool:
    """Return True for the root of the whole tree, which may have processes and controllers for its children."""
    return not (path / "cgroup.type").exists()


def _is_delegated(path: Path) -> bool:
    for name in _DELEGATED:
        with contextlib.suppress(OSError):
            if os.getxattr(path, name) == b"1":
                return True
    return False


def list_processes(path: Path) -> list[int]:
    """List the processes of a group."""
    return [int(pid) for pid in read_file(f"{path}/cgroup.procs").split()]

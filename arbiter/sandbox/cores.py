"""The processor, shared out: cores among games, and the priority of a bot that is not asked.

The processes of a control group with the controller `cpu` share a weight, which the arbiter can change.  Elsewhere,
Linux schedules the processes of a session as one group (autogroup), so that many processes get no more than one.  A
program with the rights of root can lower the priority of a session and restore it.  Other users cannot restore what
they have lowered; they can confine processes to some of the cores.
"""

import contextlib
import fcntl
import os
import subprocess
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.resources import parse_groups
from arbiter.sandbox.cgroups import Cgroup, NoCgroups, find_own_group
from arbiter.sandbox.usage import write_file

Cores = frozenset[int]

_CORES_A_GAME: Final = 2  # both bots of a game may compute
_CORE: Final = "/sys/devices/system/cpu/cpu{}/uevent"  # locked as long as a process claims the core
_TOPOLOGY: Final = ("physical_package_id", "core_id")


def share_out(jobs: int) -> list[Cores | None]:
    """Return the cores of each of `jobs` games, as many for each; None stands for all cores.

    The cores are shared out only if each game of several gets at least two.
    """
    usable = sorted(os.sched_getaffinity(0), key=_place) if hasattr(os, "sched_getaffinity") else []
    each = len(usable) // jobs
    if jobs == 1 or each < _CORES_A_GAME:
        return [None] * jobs
    return [frozenset(usable[number * each : (number + 1) * each]) for number in range(jobs)]


def claim_cores(games: int, slots: int) -> list[Cores | None]:
    """Claim the cores of `games` games for this process; the machine plays `slots` games at a time.

    Processes of this machine claim different cores.  None stands for all cores, if there are not enough.  The kernel
    gives the cores of a process that has ended back.
    """
    claimed: list[Cores | None] = []
    for cores in share_out(slots):
        if cores is not None and len(claimed) < games and _lock_all(cores):
            claimed.append(cores)
    return claimed + [None] * (games - len(claimed))


def _lock_all(cores: Cores) -> bool:
    """Lock the files of some cores until this process ends; return False if another process has one of them."""
    locks: list[int] = []
    try:
        for core in sorted(cores):
            locks.append(os.open(_CORE.format(core), os.O_RDONLY | os.O_CLOEXEC))
            fcntl.flock(locks[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        for lock in locks:
            with contextlib.suppress(OSError):
                os.close(lock)
        return False
    return True


def _place(core: int) -> tuple[int, ...]:
    """Return a sort key: cores that share a part of the processor follow each other."""
    folder = Path(f"/sys/devices/system/cpu/cpu{core}/topology")
    place = []
    for name in _TOPOLOGY:
        try:
            place.append(int((folder / name).read_text()))
        except (OSError, ValueError):
            place.append(0)
    return (*place, core)


@contextlib.contextmanager
def starting_on(cores: Cores | None) -> Iterator[None]:
    """Let the processes that this thread starts use only some cores; None means no change."""
    if cores is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


# --- the priority of a bot that uses the processor while its opponent is asked --------------------


_ENABLED: Final = Path("/proc/sys/kernel/sched_autogroup_enabled")
_LOWEST: Final = "19"  # about 1/70 of a normal share
_NORMAL: Final = "0"
_LOWEST_WEIGHT: Final = 1
_NORMAL_WEIGHT: Final = 100
_CONTROLLER: Final = "cpu"


class Priority(Struct, frozen=True):
    """A way to change the priority of all processes of a bot."""

    lower: Callable[[], object]
    """Lets the processes of others come first."""
    restore: Callable[[], object] | None = None
    """Undoes that; None if it is not necessary."""


def select_priority(group: Cgroup | None, pid: int, find: Callable[[], list[int]]) -> Priority | None:
    """Choose how to change the priority of the processes that `find` returns, in a group and in the session of one.

    None if this machine has no way: a single core, and no right to change priorities.
    """
    if group is not None and _CONTROLLER in group.controllers:
        return Priority(partial(group.set_weight, _LOWEST_WEIGHT), partial(group.set_weight, _NORMAL_WEIGHT))
    if can_change_sessions():
        return Priority(partial(_set_session, pid, _LOWEST), partial(_set_session, pid, _NORMAL))
    cores = sorted(os.sched_getaffinity(pid))
    return Priority(partial(_confine, find, set(cores[len(cores) // 2 :]))) if len(cores) > 1 else None


def _set_session(pid: int, nice: str) -> None:
    with contextlib.suppress(OSError):  # the process has ended
        write_file(f"/proc/{pid}/autogroup", nice)


def _confine(find: Callable[[], list[int]], cores: set[int]) -> None:
    """Confine all threads, until no other is found; new ones are as confined as those that start them.

    The other cores are left to the opponent, also later.
    """
    is_complete = False
    while not is_complete:
        is_complete = True
        for pid in find():
            with contextlib.suppress(OSError):  # it has ended
                for thread in map(int, os.listdir(f"/proc/{pid}/task")):  # noqa: PTH208 - hundreds, in the event loop
                    with contextlib.suppress(OSError):
                        if not os.sched_getaffinity(thread) <= cores:
                            is_complete = False
                            os.sched_setaffinity(thread, cores)


@cache
def can_change_sessions() -> bool:
    """Return True if sessions are scheduled as groups here, and this process may change them at any time."""
    try:
        if _ENABLED.read_text().strip() != "1" or not _is_in_root_group():
            return False
        # A process of its own: the session of this one may be that of the kernel, which has no priority.
        with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, start_new_session=True) as child:
            for _ in range(2):  # without the rights of root, this is refused more than ten times a second
                write_file(f"/proc/{child.pid}/autogroup", _NORMAL)
    except OSError:
        return False
    return True


def _is_in_root_group() -> bool:
    """Return True if no control group shares out the processor here: in one, sessions do not count."""
    groups = parse_groups(Path("/proc/self/cgroup").read_bytes())
    if any(_CONTROLLER in controllers and path != "/" for controllers, path in groups):
        return False
    try:
        return not (find_own_group() / "cpu.weight").exists()
    except NoCgroups:
        return True

"""The cores and the memory that this process may use, and its priority.

They are those of the machine, or of its control groups.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from math import floor
from pathlib import Path, PurePosixPath
from typing import Final, Literal

_MOUNTS: Final = {  # of control groups: of version 2, and of each controller in version 1
    "": ("sys/fs/cgroup", "sys/fs/cgroup/unified"),
    "cpu": ("sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"),
    "memory": ("sys/fs/cgroup/memory",),
}
_MIB: Final = 1 << 20
_GROUP_FIELDS: Final = 3
LOW_PRIORITY: Final = 10
_AUTOGROUP: Final = Path("/proc/self/autogroup")


def lower_priority() -> None:
    """Give this process the niceness LOW_PRIORITY.

    Linux schedules sessions as groups (autogroups), among which only the niceness of the group counts.  It is changed
    only if this process leads its session: otherwise other programs, such as a shell, would become slow too.
    """
    os.nice(LOW_PRIORITY)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):
            _AUTOGROUP.write_text(str(LOW_PRIORITY), encoding="ascii")


@cache
def count_cores(root: Path = Path("/")) -> int:
    """Return the number of whole cores that this process may use, at least 1.

    `root` is the root of the file system, which shows the limits of control groups.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quotas = filter(None, map(_read_quota, list_control_groups(root, "cpu")))
    return max(1, min([cores, *map(floor, quotas)]))


def _read_quota(group: Path) -> float | None:
    """Read the limit of one control group in cores; None if it has none."""
    try:
        if (group / "cpu.max").exists():
            quota, period = (group / "cpu.max").read_text().split()
        else:
            quota, period = ((group / f"cpu.cfs_{name}_us").read_text().strip() for name in ("quota", "period"))
        return int(quota) / int(period) if int(quota) > 0 else None
    except (OSError, ValueError):  # "max" is no limit
        return None


def find_memory_mb(root: Path = Path("/")) -> tuple[int, Path | None]:
    """Return the memory in MiB that this process may use, and the file of the control group that limits it.

    The file is None if only the machine limits the memory.
    """
    limits: list[tuple[int, Path | None]] = [(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), None)]
    for group in list_control_groups(root, "memory"):
        for file in (group / "memory.max", group / "memory.limit_in_bytes"):
            try:
                limits.append((int(file.read_text()), file))
            except (OSError, ValueError):  # "max" is no limit
                continue
    most, file_of_limit = min(limits, key=lambda limit: limit[0])
    return most // _MIB, file_of_limit


def list_control_groups(root: Path, controller: Literal["cpu", "memory"]) -> Iterator[Path]:
    """Yield the folders of this process's control groups and of those above them, in both versions."""
    try:
        groups = parse_groups((root / "proc/self/cgroup").read_bytes())
    except OSError:
        return
    for controllers, path in groups:
        if path and (not controllers or controller in controllers):
            group = PurePosixPath(path.lstrip("/"))
            for mount in _MOUNTS[controller if controllers else ""]:
                yield from (root / mount / place for place in (group, *group.parents))


def parse_groups(text: bytes) -> list[tuple[frozenset[str], str]]:
    """Return the controllers and the path of each group in /proc/self/cgroup; that of version 2 has no controllers.

    Names of groups are any bytes but newlines.  Lines of another form are left out.
    """
    lines = (line.split(":", 2) for line in os.fsdecode(text).split("\n"))
    return [(frozenset(line[1].split(",")) - {""}, line[2]) for line in lines if len(line) == _GROUP_FIELDS]

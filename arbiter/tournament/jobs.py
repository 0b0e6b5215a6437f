"""The number of games that are played at the same time, and the cores that they need."""

import os
from collections.abc import Iterator
from functools import cache
from math import floor
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from msgspec import Struct

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError

_CGROUP: Final = "proc/self/cgroup"
_MOUNTS: Final = {  # of control groups: of version 2, and of each controller in version 1
    "": ("sys/fs/cgroup", "sys/fs/cgroup/unified"),
    "cpu": ("sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"),
    "memory": ("sys/fs/cgroup/memory",),
}


class Jobs(Struct, frozen=True, kw_only=True):
    """The number of games at a time, and why."""

    number: int
    cores: int
    why: str
    warning: str | None = None

    def describe(self) -> str:
        """Describe number and reason in a phrase."""
        return f"{_count(self.number, 'game')} at a time: {self.why}"

    def values(self) -> dict[str, object]:
        """Return the values by their names in the event stream."""
        return {"jobs": self.number, "cores": self.cores, "why": self.why, "warning": self.warning}


def choose_jobs(
    asked: int | None, time: TimeSettings, *, setting: str = "--jobs", force: bool = False, cores: int | None = None
) -> Jobs:
    """Choose the number of games at a time: the number asked for by a setting, or one per two cores.

    Both bots of a game may think at the same time, so more games make clocks unfair.
    Raises ConfigError if bots would lose on time because the machine has too few cores, unless `force` is set.
    """
    cores = count_cores() if cores is None else cores
    usual = max(1, cores // 2)
    if asked is None:
        why = f"half of {_count(cores, 'core')}" if cores > 1 else "the machine has one core"
        if time.pondering and cores > 1:
            why += ", because bots may think on the opponent's time"
        return Jobs(number=usual, cores=cores, why=why)
    why = f"{setting}, on {_count(cores, 'core')}"
    games = _count(asked, "game")
    most = cores if time.clock == "wall" else floor(cores * time.wall_factor)
    if asked > most:
        if not force:
            raise ConfigError(
                f"{setting}: {games} at a time are too many for {_count(cores, 'core')}: bots would lose on time because "
                f"they wait for each other; use {usual}, or add --force-jobs"
            )
        warning = (
            f"{games} at a time on {_count(cores, 'core')}: bots may lose on time because they wait for each other"
        )
        return Jobs(number=asked, cores=cores, why=why, warning=warning)
    if time.clock == "wall" and time.pondering and asked > usual:
        warning = (
            f"{games} at a time on {_count(cores, 'core')}: bots that think on the opponent's time slow each other; "
            f"use {usual}, or set pondering = false"
        )
        return Jobs(number=asked, cores=cores, why=why, warning=warning)
    return Jobs(number=asked, cores=cores, why=why)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


# --- cores ----------------------------------------------------------------------------------------


@cache
def count_cores(root: Path = Path("/")) -> int:
    """Return the number of whole cores that this process may use, at least 1.

    `root` is the root of the file system, which shows the limits of control groups.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([cores, *map(floor, _list_quotas(root))]))


def _list_quotas(root: Path) -> Iterator[float]:
    """Yield the limits in cores of this process's control groups and of those above them."""
    for group in list_control_groups(root, "cpu"):
        quota = _read_quota(group)
        if quota is not None:
            yield quota


def list_control_groups(root: Path, controller: Literal["cpu", "memory"]) -> Iterator[Path]:
    """Yield the folders of this process's control groups and of those above them, in both versions."""
    try:
        text = os.fsdecode((root / _CGROUP).read_bytes())
    except OSError:
        return
    for line in text.split("\n"):  # names of groups are any bytes but newlines
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if not path or (controllers and controller not in controllers.split(",")):
            continue
        group = PurePosixPath(path.lstrip("/"))
        for mount in _MOUNTS[controller if controllers else ""]:
            yield from (root / mount / place for place in (group, *group.parents))


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

"""The cores of this machine, shared out among games that are played at the same time."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

Cores = frozenset[int]

_CORES_A_GAME: Final = 2  # both bots of a game may compute
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

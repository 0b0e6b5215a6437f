"""The memory that bots may use together, compared with that of the machine."""

import os
from collections.abc import Iterator, Sequence
from heapq import nlargest
from pathlib import Path
from typing import Final

from arbiter.tournament.jobs import list_control_groups

_MIB: Final = 1 << 20


def find_memory_warning(limits_mb: Sequence[int], jobs: int, waiting: int = 0, root: Path = Path("/")) -> str:
    """Return a warning if the bots of all concurrent games may use more memory than the machine has; empty if not.

    `limits_mb` are the memory limits of all bots in MiB; the two bots of a game are different ones.  `waiting` is the
    number of processes that may wait for their next game.
    """
    most_mb = jobs * sum(nlargest(2, limits_mb)) + waiting * max(limits_mb, default=0)
    machine_mb = count_memory_mb(root)
    if most_mb <= machine_mb:
        return ""
    idle = f" and {waiting} processes that wait for their next game" if waiting else ""
    fresh = ', or set processes = "fresh"' if waiting else ""
    return (
        f"{jobs} game{'s' * (jobs != 1)} at a time{idle} may use {most_mb:,} MiB of memory, and this machine has "
        f"{machine_mb:,} MiB; lower memory_mb of the bots, or use fewer --jobs{fresh}"
    )


def count_memory_mb(root: Path = Path("/")) -> int:
    """Return the memory in MiB that this process may use: that of the machine, or the limit of a control group."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([machine, *_list_limits(root)]) // _MIB


def _list_limits(root: Path) -> Iterator[int]:
    for group in list_control_groups(root, "memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            try:
                yield int((group / name).read_text())
            except (OSError, ValueError):  # "max" is no limit
                continue

"""The number of games that are played at the same time, and the cores and the memory that they need."""

from collections.abc import Sequence
from heapq import nlargest
from math import floor
from pathlib import Path

from msgspec import Struct

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError, write_count
from arbiter.resources import count_cores, find_memory_mb


class Jobs(Struct, frozen=True, kw_only=True):
    """The number of games at a time, and why."""

    number: int
    cores: int
    why: str
    warning: str | None = None

    def describe(self) -> str:
        """Describe number and reason in a phrase."""
        return f"{write_count(self.number, 'game')} at a time: {self.why}"

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
        why = f"half of {write_count(cores, 'core')}" if cores > 1 else "the machine has one core"
        if time.pondering and cores > 1:
            why += ", because bots may think on the opponent's time"
        return Jobs(number=usual, cores=cores, why=why)
    why = f"{setting}, on {write_count(cores, 'core')}"
    games = write_count(asked, "game")
    most = cores if time.clock == "wall" else floor(cores * time.wall_factor)
    if asked > most:
        if not force:
            raise ConfigError(
                f"{setting}: {games} at a time are too many for {write_count(cores, 'core')}: bots would lose on time because "
                f"they wait for each other; use {usual}, or add --force-jobs"
            )
        warning = (
            f"{games} at a time on {write_count(cores, 'core')}: bots may lose on time because they wait for each other"
        )
        return Jobs(number=asked, cores=cores, why=why, warning=warning)
    if time.clock == "wall" and time.pondering and asked > usual:
        warning = (
            f"{games} at a time on {write_count(cores, 'core')}: bots that think on the opponent's time slow each other; "
            f"use {usual}, or set pondering = false"
        )
        return Jobs(number=asked, cores=cores, why=why, warning=warning)
    return Jobs(number=asked, cores=cores, why=why)


def find_memory_warning(limits_mb: Sequence[int], jobs: int, waiting: int = 0, root: Path = Path("/")) -> str:
    """Return a warning if the bots of all concurrent games may use more memory than the machine has; empty if not.

    `limits_mb` are the memory limits of all bots in MiB; the two bots of a game are different ones.  `waiting` is the
    number of processes that may wait for their next game.
    """
    most_mb = jobs * sum(nlargest(2, limits_mb)) + waiting * max(limits_mb, default=0)
    machine_mb, _ = find_memory_mb(root)
    if most_mb <= machine_mb:
        return ""
    idle = f" and {waiting} processes that wait for their next game" if waiting else ""
    fresh = ', or set processes = "fresh"' if waiting else ""
    return (
        f"{write_count(jobs, 'game')} at a time{idle} may use {most_mb:,} MiB of memory, and this machine has "
        f"{machine_mb:,} MiB; lower memory_mb of the bots, or use fewer --jobs{fresh}"
    )

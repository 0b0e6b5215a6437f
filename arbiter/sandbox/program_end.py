"""The end of a program, and the evidence for its cause."""

import time
from contextlib import suppress
from functools import lru_cache
from typing import Final, Literal

from msgspec import Struct

from arbiter.sandbox.usage import read_file

KillEvidence = Literal["sandbox_killed", "out_of_memory", "killed"]
"""The evidence about a SIGKILL that the arbiter did not send.

sandbox_killed: it hit a process of the sandbox that no bot can reach.  out_of_memory: the machine's out-of-memory
killer was active meanwhile.  killed: the bot may have sent it to itself.
"""
_VMSTAT: Final = "/proc/vmstat"
_PERIOD_S: Final = 0.5


class ProgramEnd(Struct, frozen=True):
    """The end of a program."""

    how: str
    """Description, such as "exited with status 1"."""
    kill: KillEvidence | None = None
    """None if it was not ended by a SIGKILL."""


def count_oom_kills() -> int:
    """Return how many processes the out-of-memory killer of this machine has killed; 0 if that is not known."""
    with suppress(OSError):
        _, found, rest = read_file(_VMSTAT).partition(b"\noom_kill ")
        if found:
            return int(rest.split(b"\n", 1)[0])
    return 0


def count_earlier_oom_kills() -> int:
    """Return the same as it was at most half a second ago: in series of short games, each look counts."""
    return _count_in_period(int(time.monotonic() / _PERIOD_S))


@lru_cache(maxsize=1)
def _count_in_period(_number: int) -> int:
    return count_oom_kills()


def describe_kill(how: str, *, is_outside: bool, oom_kills: int) -> ProgramEnd:
    """Describe the end of a program by a SIGKILL that the arbiter did not send.

    `oom_kills` is the number of processes that the out-of-memory killer has killed meanwhile.
    """
    how += "; the arbiter did not send this signal"
    if oom_kills:
        processes = "a process" if oom_kills == 1 else f"{oom_kills} processes"
        return ProgramEnd(f"{how}, and this machine ran out of memory and killed {processes}", "out_of_memory")
    if is_outside:
        return ProgramEnd(f"{how}, and no bot can send it to its sandbox", "sandbox_killed")
    return ProgramEnd(how, "killed")

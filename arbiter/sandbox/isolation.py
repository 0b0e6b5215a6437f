"""The common parts of both isolations: a program, the launcher that starts it, the handle of its processes, its end."""

import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from arbiter.sandbox.cgroups import Cgroup
from arbiter.sandbox.files.identity import Identity
from arbiter.sandbox.usage import read_numbers
from protocol.reasons import EndOfProgram, KillEvidence

ARMED: Final = b"armed"
GO: Final = b"\n"

# The launcher sets the limits, prints `armed`, and runs the program when it reads a line.
# If the referee dies meanwhile, the launcher reads the end of its input, and no code of the bot ever runs.
_LAUNCHER: Final = 'ulimit -c 0; ulimit -n 256; ulimit -f 65536; {more}echo armed; read -r _ || exit 125; exec "$@"'


class Program(Struct, frozen=True, kw_only=True):
    """A bot's program: what to start, where, and how far it is trusted."""

    name: str
    argv: tuple[str, ...]
    inner: tuple[str, ...] = ()
    """Arguments of a second program that this one starts.  Default: none."""
    folder: Path
    """Working folder."""
    memory_mb: int = 2048
    """Memory limit in MiB."""
    trusted: bool = False
    """If True, the program may run without a sandbox if this machine cannot build one."""
    base: Path | None = None
    """Folder of the operator, in which links are the operator's.  Default: the working folder."""
    examined: tuple[str, str] | None = None
    """Digest and interpreter of a submitted program when it was examined: its folder is its entry."""
    read: tuple[Path, ...] = ()
    """Files and folders that the program may read, besides its own folder and its interpreter."""
    environment: tuple[tuple[str, str], ...] = ()
    """Environment variables with their values."""
    copies: tuple[tuple[Path, Path], ...] = ()
    """Copies of the bot's files and folders, and the paths at which a sandbox shows them.  Default: the originals."""


def write_words(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Return words in which {NAME} is replaced by the value of that name."""
    written = list(words)
    for name, value in values.items():
        written = [word.replace(f"{{{name}}}", value) for word in written]
    return written


def list_variables(words: Iterable[str], values: Mapping[str, str]) -> dict[str, str]:
    """Return the values that no word names as {NAME}."""
    text = "\0".join(words)
    return {name: value for name, value in values.items() if f"{{{name}}}" not in text}


def with_values(program: Program, values: Mapping[str, str]) -> Program:
    """Return a program with values of its parameters: in its arguments as {NAME}, else as environment variables."""
    if not values:
        return program
    return replace(
        program,
        argv=tuple(write_words(program.argv, values)),
        inner=tuple(write_words(program.inner, values)),
        environment=(
            *program.environment,
            *list_variables((*program.argv, *program.inner), values).items(),
        ),
    )


class ProcessHandle(Protocol):
    """Control over one started program and all processes that it starts."""

    group: Cgroup | None
    """Control group of the processes; None if there is none, and until `wait_killable` has returned."""
    group_fault: OSError | None
    """The error in making the control group; None if there was none.  Known at the same time."""

    def attach(self, pid: int) -> None:
        """Take over a process that was started: a child of the referee that leads its own process group."""

    async def wait_killable(self) -> None:
        """Wait until `kill` is certain to reach every process."""

    def kill(self) -> None:
        """Kill every process at once."""

    async def wait_dead(self) -> None:
        """Wait until no process is alive.  The first one must have been reaped before."""

    def release(self) -> None:
        """Free what the program needed.  This is the last call, even if no process was started."""

    def find_signal(self, status: int) -> signal.Signals | None:
        """Return the signal that ended the program if the first process reports it by its exit status."""


class Launch(Struct, frozen=True):
    """The preparations to start a program."""

    argv: tuple[str, ...]
    """Arguments, launcher included."""
    env: Mapping[str, str]
    folder: Path
    """Working folder of the first process."""
    handle: ProcessHandle
    descriptors: tuple[int, ...] = ()
    """File descriptors that are inherited under their own numbers."""
    shown: Mapping[Path, Identity] = {}
    """Paths at which the program must see certain files and folders when it begins."""
    wrapper_processes: int = 0
    """Number of the isolation's own processes between the referee and the launcher.

    They are not measured.  They are stopped only if they share a process group with the program.
    """


class Isolation(Protocol):
    """A way to start programs."""

    name: str
    """Name in every record."""

    def launch(self, program: Program, mark: str) -> Launch:
        """Prepare to start a program whose processes carry a mark."""


def launcher_arguments(argv: tuple[str, ...], more_limits: str = "") -> tuple[str, ...]:
    """Return the arguments of the launcher of a program.

    The address space has no limit: the JVM, .NET and others reserve much more of it than they use.
    """
    return ("/bin/sh", "-c", _LAUNCHER.format(more=more_limits), "launcher", *argv)


# --- the end of a program -------------------------------------------------------------------------


_VMSTAT: Final = "/proc/vmstat"
_PERIOD_S: Final = 0.5


class ProgramEnd(Struct, frozen=True):
    """The end of a program."""

    how: EndOfProgram
    kill: KillEvidence | None = None
    """None if it was not ended by a SIGKILL."""
    oom_kills: int = 0
    """Number of processes that the out-of-memory killer of this machine has killed meanwhile."""


def count_oom_kills() -> int:
    """Return how many processes the out-of-memory killer of this machine has killed; 0 if that is not known."""
    return sum(read_numbers(rb"^oom_kill (\d+)$", _VMSTAT))


def count_earlier_oom_kills() -> int:
    """Return the same as it was at most half a second ago: in series of short games, each look counts."""
    return _count_in_period(int(time.monotonic() / _PERIOD_S))


@lru_cache(maxsize=1)
def _count_in_period(_number: int) -> int:
    return count_oom_kills()

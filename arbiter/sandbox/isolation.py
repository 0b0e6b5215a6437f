"""A tier: a way to start programs and to keep them in hand.  The gate stands in front of a program in every tier."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from arbiter.sandbox.program import Program

ARMED: Final = b"armed"
GO: Final = b"\n"

# The gate sets the limits, says that it stands, and runs the program only when it is told to:
# if the referee dies while it starts bots, the gate reads the end of its input and no bot code ever runs.
_GATE: Final = (
    "ulimit -c 0; ulimit -n 256; ulimit -f 65536; ulimit -v {kib} 2>/dev/null; {more}"
    'echo armed; read -r _ || exit 125; exec "$@"'
)


class ProcessHandle(Protocol):
    """What keeps one started program in hand, with all that it starts."""

    def began(self, pid: int) -> None:
        """Hear that the launch has become a process, a child of ours that leads its own group."""
        ...

    async def settle(self) -> None:
        """Wait until `kill` will be certain to reach all of it."""
        ...

    def kill(self) -> None:
        """Kill all of it at once."""
        ...

    async def finish(self) -> None:
        """Wait until nothing of it is alive, once its first process was reaped."""
        ...

    def release(self) -> None:
        """Let go of what was needed for it; the last call, also where it never began."""
        ...

    def exit_words(self, status: int) -> str:
        """Describe an exit status."""
        ...


class Launch(Struct, frozen=True):
    """How a program is started: its arguments behind the gate, its environment, its working folder.

    `descriptors` are inherited under their own numbers; `hold` keeps the process in hand.  `keepers` counts the
    processes of the tier's own between us and the gate; they are not measured, and not stopped unless they share a
    process group with the program.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    folder: Path
    hold: ProcessHandle
    descriptors: tuple[int, ...] = ()
    keepers: int = 0


class Isolation(Protocol):
    """A way to start programs; `name` stands in every record."""

    name: str

    def launch(self, program: Program, private: Path, mark: str) -> Launch:
        """Say how to start a program that carries a mark; `private` may be made, and goes with the hold's release."""
        ...


def gated(program: Program, more_limits: str = "") -> tuple[str, ...]:
    """Put a program behind the gate."""
    gate = _GATE.format(kib=program.memory_mb * 1024, more=more_limits)
    return ("/bin/sh", "-c", gate, "gate", *program.argv)

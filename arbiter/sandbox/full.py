"""The tier `full`: each bot alone in a sandbox of bubblewrap, with a filter on what it asks of the kernel.

README.md tells what that promises and what it does not.
"""

import os
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.sandbox.bwrap import CLOSING, Bwrap, bwrap_arguments
from arbiter.sandbox.first_process import FirstProcess
from arbiter.sandbox.isolation import GO, Launch, gated
from arbiter.sandbox.orphans import MARK, REFEREE
from arbiter.sandbox.program import Program
from arbiter.sandbox.seccomp import seccomp_filter
from arbiter.sandbox.toolchains import hidden, visible
from arbiter.sandbox.unprivileged import Unprivileged

PROCESSES: Final = 64
# Set inside, where they are counted for the sandbox alone; bash and dash call the limit by different letters.
_MORE_LIMITS: Final = f"ulimit -u {PROCESSES} 2>/dev/null || ulimit -p {PROCESSES}; "
_KEEPERS: Final = 2  # bwrap, and the sandbox's first process, which is bwrap too
_TRIAL_S: Final = 20
_A_PAGE: Final = "4096"  # bytes: the least that a file system of memory can have


class SandboxProbe(Struct, frozen=True):
    """What came of a program that was run once in the sandbox: its exit status, what it wrote on stdout and stderr."""

    status: int
    out: str
    err: str


class Sandbox:
    """The tier `full`."""

    name = "full"

    def __init__(self, bwrap: Bwrap, users: Unprivileged | None, secrets: Sequence[Path] = ()) -> None:
        """Build sandboxes with a bwrap; `users` are whom bots run under where the referee is root.

        `secrets`, whose names may be patterns, are hidden wherever they lie.
        Raises KeyError on a machine that the filter does not know.
        """
        self._bwrap = bwrap.path
        self._walls = bwrap_arguments(bwrap)
        self._filter = seccomp_filter(platform.machine())
        self._users = users
        self._secrets = secrets

    @property
    def runs_as_others(self) -> bool:
        """Tell whether bots run under other users than the referee's."""
        return self._users is not None

    def launch(self, program: Program, private: Path, mark: str) -> Launch:  # noqa: ARG002 - its scratch is memory
        """Say how to start a program.  Raises OSError where what it is to read is not there."""
        return self._launch(self._shown(program), program, mark)

    def _launch(self, shown: tuple[str, ...], program: Program, mark: str) -> Launch:
        user = None if self._users is None else self._users.take()
        report, told = os.pipe()
        rules = _readable(self._filter)
        inherited = ("--info-fd", str(told), "--seccomp", str(rules))
        argv = (
            *(() if user is None else Unprivileged.argv(user)),
            *(self._bwrap, *self._walls, *shown, *CLOSING, *inherited, "--"),
            *gated(program, _MORE_LIMITS),
        )
        hold = FirstProcess(mark, report, (told, rules), lambda: self._left(user))
        env = {MARK: mark, REFEREE: str(os.getpid()), "PATH": os.defpath}  # bwrap's own, which it does not pass on
        return Launch(argv, env, Path("/"), hold, (told, rules), _KEEPERS)

    def _left(self, user: int | None) -> None:
        if self._users is not None and user is not None:
            self._users.give_back(user)

    def _shown(self, program: Program) -> tuple[str, ...]:
        """Return the words that show a program what it may read, and put it into its folder."""
        reach = self._users.within_reach if self._users is not None else _itself
        paths = visible(program)
        binds = (word for path in paths for word in ("--ro-bind", str(reach(path)), str(path)))
        covers = (word for path in hidden(self._secrets, paths) for word in _cover(path))
        return (*binds, *covers, "--chdir", str(program.folder))

    def try_out(self, program: Program, command: tuple[str, ...]) -> SandboxProbe:
        """Run a command to its end where a program would be run.

        Raises OSError, and TimeoutExpired where it does not end.
        """
        launch = self._launch(self._shown(program), replace(program, argv=command), mark="trial")
        try:
            done = subprocess.run(  # noqa: S603 - starting strangers' programs is the trade
                launch.argv,
                input=GO,
                capture_output=True,
                env=dict(launch.env),
                cwd=launch.folder,
                pass_fds=launch.descriptors,
                timeout=_TRIAL_S,
                check=False,
            )
        finally:
            launch.hold.release()
        out, err = (text.decode("utf-8", "backslashreplace") for text in (done.stdout, done.stderr))
        return SandboxProbe(done.returncode, out, err)


def _cover(path: Path) -> tuple[str, ...]:
    """Return the words that lay nothing over a file, or over a folder with whatever will come into it."""
    if path.is_dir():
        return ("--size", _A_PAGE, "--tmpfs", str(path), "--remount-ro", str(path))
    return ("--ro-bind", os.devnull, str(path))


def _itself(path: Path) -> Path:
    return path


def _readable(content: bytes) -> int:
    """Put bytes where a descriptor reads them from their beginning to their end."""
    descriptor = os.memfd_create("filter")
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor

"""Isolation `full`: each bot alone in a bubblewrap sandbox, with a filter for its system calls.

arbiter/referee/README.md describes what this guarantees and what it does not.
"""

import os
import platform
import subprocess
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.sandbox.bwrap import COPIES, READ_ONLY, Bwrap, Unprivileged, bwrap_arguments
from arbiter.sandbox.cgroups import Cgroup, CgroupTree, GroupLimits
from arbiter.sandbox.files.identity import Identity, identify
from arbiter.sandbox.files.visible import HiddenFiles, Visible, find_visible
from arbiter.sandbox.isolation import GO, Launch, Program, launcher_arguments
from arbiter.sandbox.process import MARK, REFEREE
from arbiter.sandbox.sandbox_handle import SandboxHandle
from arbiter.sandbox.seccomp import SESSIONS, seccomp_filter

# Threads count too, and runtimes start some for each core.
PROCESSES: Final = max(64, 32 + 4 * (os.cpu_count() or 1))
# Set inside, where processes are counted for the sandbox alone; bash and dash use different letters for the limit.
_MORE_LIMITS: Final = f"ulimit -u {PROCESSES} 2>/dev/null || ulimit -p {PROCESSES}; "
_WRAPPER_PROCESSES: Final = 2  # bwrap, and the first process of the sandbox, which is bwrap too
_PROBE_S: Final = 20
_VIEW: Final = "65536"  # bytes of a folder that only holds mount points and links


class SandboxProbe(Struct, frozen=True):
    """The outcome of a command that was run once in a sandbox."""

    status: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        """The last line of its stderr, or its status."""
        lines = self.err.strip().splitlines()
        return lines[-1] if lines else f"status {self.status}"


class Sandbox:
    """Starts programs in sandboxes."""

    name = "full"

    def __init__(
        self,
        bwrap: Bwrap,
        users: Unprivileged | None,
        hidden_files: HiddenFiles | None = None,
        groups: CgroupTree | None = None,
    ) -> None:
        """Prepare to build sandboxes.

        `users` are the users that bots run as if the referee is root.  `hidden_files` are hidden from every bot.
        `groups` makes a control group for each bot.

        Raises KeyError if there is no system call filter for this machine.
        """
        self._bwrap = bwrap.path
        self._arguments = bwrap_arguments(bwrap)
        self.controllers = None if groups is None else groups.controllers
        """Controllers of the control group of each bot; None if bots have no control groups."""
        self.runs_as_others = users is not None
        """True if bots run as other users than the referee."""
        self.allows_sessions = "cpu" in (self.controllers or ())
        """True if bots may start sessions, because a control group shares out the processor."""
        allowed = SESSIONS if self.allows_sessions else frozenset()
        self._filter = os.memfd_create("filter")
        os.write(self._filter, seccomp_filter(platform.machine(), allowed))
        weakref.finalize(self, os.close, self._filter)
        self._users = users
        self._hidden_files = hidden_files or HiddenFiles()
        self._visible: dict[Program, Visible] = {}
        self._groups = groups

    def launch(self, program: Program, mark: str) -> Launch:
        """Prepare to start a program.  Raises OSError if a file that it may read does not exist."""
        make_group = None
        if self._groups is not None:
            limits = GroupLimits(program.memory_mb, PROCESSES + _WRAPPER_PROCESSES)
            make_group = partial(self._groups.create_for, name=mark, limits=limits)
        return self._launch(program, program.argv, mark, make_group)

    def _launch(
        self,
        program: Program,
        argv: tuple[str, ...],
        mark: str,
        make_group: Callable[[int], Cgroup] | None = None,
    ) -> Launch:
        file_arguments, shown = self._file_arguments(program)
        as_user, release_user = ((), None) if self._users is None else self._users.take()
        info_read, info_write = os.pipe()
        filter_file = _open_to_read(f"/proc/self/fd/{self._filter}")
        copies = {path: _open_to_read(path) for path in COPIES}
        arguments = (
            *(*as_user, self._bwrap, *self._arguments),
            *(word for path, file in copies.items() for word in ("--file", str(file), path)),
            *(*file_arguments, "--chdir", str(program.folder), *READ_ONLY),
            *(word for name, value in program.environment for word in ("--setenv", name, value)),
            *("--info-fd", str(info_write), "--seccomp", str(filter_file), "--"),
            *launcher_arguments(argv, _MORE_LIMITS),
        )

        inherited = (info_write, filter_file, *copies.values())
        handle = SandboxHandle(mark, info_read, inherited, release_user, make_group)
        env = {MARK: mark, REFEREE: str(os.getpid()), "PATH": os.defpath}  # for bwrap, which does not pass it on
        return Launch(arguments, env, Path("/"), handle, inherited, shown, _WRAPPER_PROCESSES)

    def find_visible(self, program: Program) -> Visible:
        """Find what a program is shown; later changes of its folder do not change that."""
        if program not in self._visible:
            self._visible[program] = find_visible(program, self._hidden_files)
        return self._visible[program]

    def _file_arguments(self, program: Program) -> tuple[tuple[str, ...], dict[Path, Identity]]:
        """Return the arguments that show a program the files it may read, and what it must see.  Raises OSError."""
        visible = self.find_visible(program)
        if visible.fault is not None:
            raise OSError(visible.fault)
        arguments: list[str] = []
        shown: dict[Path, Identity] = {}
        for real, path in visible.paths:
            source = None if self._users is None else self._users.within_reach(real)
            if source is None:
                shown[path] = identify(real)
            arguments += ("--ro-bind", str(source or real), str(path))
        arguments += (word for real, path in visible.links for word in ("--symlink", str(real), str(path)))
        for view in visible.views:
            arguments += ("--size", _VIEW, "--tmpfs", str(view.folder))
            for real, path in view.entries:
                source = None if self._users is None else self._users.within_reach(real)
                if source is None and real.exists():
                    identify(real)
                arguments += ("--ro-bind-try", str(source or real), str(path))
            for target, path in view.links:
                arguments += ("--symlink", target, str(path))
            arguments += ("--remount-ro", str(view.folder))
        return tuple(arguments), {
            path: identity for path, identity in shown.items() if shown.keys().isdisjoint(path.parents)
        }

    def try_out(self, program: Program, command: tuple[str, ...]) -> SandboxProbe:
        """Run a command to its end in the sandbox of a program.

        Raises OSError.  Raises TimeoutExpired if the command does not end.
        """
        launch = self._launch(program, command, "probe")
        try:
            done = subprocess.run(  # noqa: S603 - starting other people's programs is the purpose
                launch.argv,
                input=GO,
                capture_output=True,
                env=dict(launch.env),
                cwd=launch.folder,
                pass_fds=launch.descriptors,
                timeout=_PROBE_S,
                check=False,
            )
        finally:
            launch.handle.release()
        out = done.stdout.decode("utf-8", "backslashreplace")
        err = done.stderr.decode("utf-8", "backslashreplace")
        return SandboxProbe(done.returncode, out, err)


def _open_to_read(path: str) -> int:
    """Open a file with a position of its own, which bwrap reads to its end."""
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC)

"""Isolation `full`: each bot alone in a bubblewrap sandbox, with a filter for its system calls.

arbiter/referee/README.md describes what this guarantees and what it does not.
"""

import contextlib
import os
import platform
import re
import signal
import subprocess
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct

from arbiter.sandbox.bwrap import COPIES, READ_ONLY, Bwrap, Unprivileged, bwrap_arguments
from arbiter.sandbox.cgroups import Cgroup, CgroupTree, GroupLimits
from arbiter.sandbox.files.identity import Identity, identify
from arbiter.sandbox.files.visible import HiddenFiles, Visible, find_visible
from arbiter.sandbox.isolation import GO, Launch, Program, launcher_arguments
from arbiter.sandbox.process import MARK, REFEREE, end_orphans
from arbiter.sandbox.seccomp import SESSIONS, seccomp_filter
from arbiter.sandbox.usage import find_parent

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
        return (self.err.strip().splitlines() or [f"status {self.status}"])[-1]


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

    def launch(self, program: Program, mark: str, command: tuple[str, ...] | None = None) -> Launch:
        """Prepare to start a program, or another command in its sandbox, which gets no control group.

        Raises OSError if a file that the program may read does not exist.
        """
        make_group = None
        if self._groups is not None and command is None:
            limits = GroupLimits(program.memory_mb, PROCESSES + _WRAPPER_PROCESSES)
            make_group = partial(self._groups.create_for, name=mark, limits=limits)
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
            *launcher_arguments(command or program.argv, _MORE_LIMITS),
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
        launch = self.launch(program, "probe", command)
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


# --- control over the processes of one sandbox ----------------------------------------------------


_CHUNK: Final = 4096
_SHELL_SIGNAL_BASE: Final = 128


class SandboxHandle(Struct, eq=False):
    """Control over a sandbox by its first process: when that dies, every process in the sandbox dies.

    bwrap reports the number of the first process.  If bwrap alone is killed in its first milliseconds, the first
    process can stay alive.
    """

    mark: str
    info: int
    """Descriptor of bwrap's report."""
    inherited: tuple[int, ...]
    """Descriptors to close once bwrap has them."""
    release_user: Callable[[], object] | None
    """Makes the user of the bot available to others, if it has one of its own."""
    make_group: Callable[[int], Cgroup] | None = None
    """Makes a control group for a process and what it has started, in a thread.  Default: no group."""
    group: Cgroup | None = None
    group_fault: OSError | None = None
    _bwrap_pid: int = 0
    _pidfd: int | None = None
    _grouping: "_Grouping | None" = None

    def attach(self, pid: int) -> None:
        """Take over bwrap's own process."""
        self._bwrap_pid = pid
        if self.make_group is not None:
            self._grouping = _Grouping(partial(self.make_group, pid))
        self._close_inherited()

    async def wait_killable(self) -> None:
        """Wait until bwrap has reported the first process, or has ended without one, and for the control group."""
        os.set_blocking(self.info, False)
        report = b""
        while b"}" not in report:
            await trio.lowlevel.wait_readable(self.info)
            chunk = os.read(self.info, _CHUNK)
            if not chunk:
                break
            report += chunk
        if found := re.search(rb'"child-pid":\s*(\d+)', report):
            with contextlib.suppress(ProcessLookupError):  # it has ended
                pidfd = os.pidfd_open(int(found[1]))
                if find_parent(int(found[1])) == self._bwrap_pid:
                    self._pidfd = pidfd
                else:  # another process has its number by now
                    os.close(pidfd)
        if self._grouping is not None:
            try:
                self.group = await self._grouping.wait()
            except OSError as error:
                self.group_fault = error

    def kill(self) -> None:
        """Kill the first process, then bwrap.  It must not have been reaped: until then its number is its own."""
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._bwrap_pid, signal.SIGKILL)

    async def wait_dead(self) -> None:
        """Wait until the first process is dead; it ends after all others of its sandbox."""
        if self._pidfd is not None:
            await trio.lowlevel.wait_readable(self._pidfd)
            with contextlib.suppress(ChildProcessError):  # it is the referee's child only if bwrap died first
                os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOHANG)  # noqa: ASYNC222 - it is dead
        else:
            await end_orphans(self._bwrap_pid, self.mark)

    def release(self) -> None:
        """Close all descriptors and release the user."""
        self._close_inherited()
        os.close(self.info)
        if self._pidfd is not None:
            os.close(self._pidfd)
        if self.release_user is not None:
            self.release_user()
        if self.group is not None:
            self.group.discard()

    def find_signal(self, status: int) -> signal.Signals | None:
        """Return the signal that bwrap has turned into an exit status, as a shell does."""
        with contextlib.suppress(ValueError):
            return signal.Signals(status - _SHELL_SIGNAL_BASE)
        return None

    def _close_inherited(self) -> None:
        for descriptor in self.inherited:
            os.close(descriptor)
        self.inherited = ()


class _Grouping:
    """A thread that makes the control group of a sandbox: it often waits in the kernel, while bwrap works."""

    def __init__(self, make: Callable[[], Cgroup]) -> None:
        """Begin at once: the event loop may be busy with the start of another bot."""
        self._made: Callable[[], Cgroup] | None = None
        self._is_over = trio.Event()
        self._is_awaited = False
        self._token = trio.lowlevel.current_trio_token()
        trio.lowlevel.start_thread_soon(make, lambda outcome: self._end(outcome.unwrap))

    def _end(self, made: Callable[[], Cgroup]) -> None:
        """Note the outcome, in the thread.  The event loop is woken only if it waits: that takes more time."""
        self._made = made
        if self._is_awaited:
            self._token.run_sync_soon(self._is_over.set)

    async def wait(self) -> Cgroup:
        """Wait for the group.  Raises OSError."""
        self._is_awaited = True
        if self._made is None:
            await self._is_over.wait()
        assert self._made is not None  # noqa: S101 - it is over
        return self._made()

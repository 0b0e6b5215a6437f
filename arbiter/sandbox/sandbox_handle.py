"""Control over the processes of one sandbox."""

import contextlib
import os
import re
import signal
from collections.abc import Callable
from typing import Final

import trio

from arbiter.sandbox.cgroups import Cgroup
from arbiter.sandbox.orphans import end_orphans
from arbiter.sandbox.usage import find_parent

_CHUNK: Final = 4096
_SHELL_SIGNAL_BASE: Final = 128


class SandboxHandle:
    """Control over a sandbox by its first process: when that dies, every process in the sandbox dies.

    bwrap reports the number of the first process.  If bwrap alone is killed in its first milliseconds, the first
    process can stay alive.
    """

    def __init__(
        self, mark: str, info: int, inherited: tuple[int, ...], release_user: Callable[[], None], group: Cgroup | None
    ) -> None:
        """Read bwrap's report from `info`; `inherited` are descriptors to close once bwrap has them."""
        self.group = group
        self._mark = mark
        self._info = info
        self._inherited = inherited
        self._release_user = release_user
        self._bwrap_pid = 0
        self._pidfd: int | None = None

    def attach(self, pid: int) -> None:
        """Take over bwrap's own process."""
        self._bwrap_pid = pid
        self._close_inherited()

    async def wait_killable(self) -> None:
        """Wait until bwrap has reported the first process, or has ended without one."""
        if self.group is not None:  # the first move often waits in the kernel, so it is done while bwrap works
            await trio.to_thread.run_sync(self.group.attach_tree, self._bwrap_pid)
        os.set_blocking(self._info, False)
        report = b""
        while b"}" not in report:
            await trio.lowlevel.wait_readable(self._info)
            chunk = os.read(self._info, _CHUNK)
            if not chunk:
                break
            report += chunk
        if found := re.search(rb'"child-pid":\s*(\d+)', report):
            self._pidfd = _open_child(int(found[1]), self._bwrap_pid)

    def kill(self) -> None:
        """Kill the first process, then bwrap.  It must not have been reaped: until then its number is not used again."""
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._bwrap_pid, signal.SIGKILL)

    async def wait_dead(self) -> None:
        """Wait until the first process is dead, which it is only after all others of its sandbox."""
        if self._pidfd is not None:
            await trio.lowlevel.wait_readable(self._pidfd)
            with contextlib.suppress(ChildProcessError):  # it is the referee's child only if bwrap died first
                os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOHANG)  # noqa: ASYNC222 - it is dead
        else:
            await end_orphans(self._bwrap_pid, self._mark)

    def release(self) -> None:
        """Close all descriptors and release the user."""
        self._close_inherited()
        os.close(self._info)
        if self._pidfd is not None:
            os.close(self._pidfd)
        self._release_user()
        if self.group is not None:
            self.group.remove()

    def is_killed(self, status: int) -> bool:
        """Return True if bwrap reports that the program was ended by SIGKILL."""
        return status == _SHELL_SIGNAL_BASE + signal.SIGKILL

    def describe_exit(self, status: int) -> str:
        """Describe an exit status in words; bwrap turns a signal into a status, as a shell does."""
        try:
            return f"exited with status {status} ({signal.Signals(status - _SHELL_SIGNAL_BASE).name})"
        except ValueError:
            return f"exited with status {status}"

    def _close_inherited(self) -> None:
        for descriptor in self._inherited:
            os.close(descriptor)
        self._inherited = ()


def _open_child(pid: int, parent: int) -> int | None:
    """Open a descriptor of a child process; None if it has ended, even if another process has its number by now."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    if find_parent(pid) == parent:
        return pidfd
    os.close(pidfd)
    return None

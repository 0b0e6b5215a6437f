"""Control over the processes of one sandbox."""

import contextlib
import os
import re
import signal
from collections.abc import Callable
from functools import partial
from typing import Final

import trio

from arbiter.sandbox.cgroups import Cgroup
from arbiter.sandbox.process import end_orphans
from arbiter.sandbox.usage import find_parent

_CHUNK: Final = 4096
_SHELL_SIGNAL_BASE: Final = 128


class SandboxHandle:
    """Control over a sandbox by its first process: when that dies, every process in the sandbox dies.

    bwrap reports the number of the first process.  If bwrap alone is killed in its first milliseconds, the first
    process can stay alive.
    """

    def __init__(
        self,
        mark: str,
        info: int,
        inherited: tuple[int, ...],
        release_user: Callable[[], object] | None,
        make_group: Callable[[int], Cgroup] | None = None,
    ) -> None:
        """Read bwrap's report from `info`; `inherited` are descriptors to close once bwrap has them.

        `release_user` makes the user of the bot available to others, if it has one of its own.
        `make_group` makes a control group for a process and what it has started, in a thread.  Default: no group.
        """
        self.group: Cgroup | None = None
        self.group_fault: OSError | None = None
        self._mark = mark
        self._make_group = make_group
        self._info = info
        self._inherited = inherited
        self._release_user = release_user
        self._bwrap_pid = 0
        self._pidfd: int | None = None
        self._grouping: _Grouping | None = None

    def attach(self, pid: int) -> None:
        """Take over bwrap's own process."""
        self._bwrap_pid = pid
        if self._make_group is not None:
            self._grouping = _Grouping(partial(self._make_group, pid))
        self._close_inherited()

    async def wait_killable(self) -> None:
        """Wait until bwrap has reported the first process, or has ended without one, and for the control group."""
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
        if self._release_user is not None:
            self._release_user()
        if self.group is not None:
            self.group.discard()

    def find_signal(self, status: int) -> signal.Signals | None:
        """Return the signal that bwrap has turned into an exit status, as a shell does."""
        with contextlib.suppress(ValueError):
            return signal.Signals(status - _SHELL_SIGNAL_BASE)
        return None

    def _close_inherited(self) -> None:
        for descriptor in self._inherited:
            os.close(descriptor)
        self._inherited = ()


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

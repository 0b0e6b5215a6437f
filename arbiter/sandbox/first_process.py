"""The first process of a sandbox: with it everything in the sandbox dies.

bwrap tells its number once it exists.  Killed alone in its first milliseconds, bwrap would leave it running.
"""

import contextlib
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio

from arbiter.sandbox.orphans import end_orphans

_CHUNK: Final = 4096
_FROM_SIGNALS: Final = 128


class FirstProcess:
    """Keeps a sandbox in hand by a descriptor of its first process.

    `report` is where bwrap tells of it; `lent` are descriptors that bwrap inherits; `done` is called at the end.
    """

    def __init__(self, mark: str, report: int, lent: tuple[int, ...], done: Callable[[], None]) -> None:
        self._mark = mark
        self._report = report
        self._lent = lent
        self._done = done
        self._outer = 0
        self._pidfd: int | None = None

    def began(self, pid: int) -> None:
        """Hear which process is bwrap itself."""
        self._outer = pid
        self._close_lent()

    async def settle(self) -> None:
        """Wait until bwrap tells of its first process, or is gone without one."""
        os.set_blocking(self._report, False)
        told = b""
        while b"}" not in told:
            await trio.lowlevel.wait_readable(self._report)
            chunk = os.read(self._report, _CHUNK)
            if not chunk:
                break
            told += chunk
        if found := re.search(rb'"child-pid":\s*(\d+)', told):
            self._pidfd = _held(int(found[1]), self._outer)

    def kill(self) -> None:
        """Kill the first process, and bwrap after it; before bwrap is reaped, for until then the number is ours."""
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._outer, signal.SIGKILL)

    async def finish(self) -> None:
        """Wait until the first process is dead, which it is only after all others of its sandbox."""
        if self._pidfd is not None:
            await trio.lowlevel.wait_readable(self._pidfd)
            with contextlib.suppress(ChildProcessError):  # it is ours to reap only where bwrap died first
                os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOHANG)  # noqa: ASYNC222 - it is dead
        await end_orphans(self._outer, self._mark)

    def release(self) -> None:
        """Close what is open for it."""
        self._close_lent()
        os.close(self._report)
        if self._pidfd is not None:
            os.close(self._pidfd)
        self._done()

    def exit_words(self, status: int) -> str:
        """Describe an exit status; bwrap makes one of a signal, as a shell does."""
        words = f"exited with status {status}"
        try:
            return f"{words}, as {signal.Signals(status - _FROM_SIGNALS).name} makes it"
        except ValueError:
            return words

    def _close_lent(self) -> None:
        for descriptor in self._lent:
            os.close(descriptor)
        self._lent = ()


def _held(pid: int, parent: int) -> int | None:
    """Open a descriptor of a process; None where it is gone, or its number is another's by now."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    if _parent(pid) == parent:
        return pidfd
    os.close(pidfd)
    return None


def _parent(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None

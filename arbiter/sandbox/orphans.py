"""Processes that outlive their parent: adopted, recognised by the mark of their bot, and ended.

Linux only: on other systems a program that leaves its process group on purpose escapes isolation `process`.
"""

import contextlib
import ctypes
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Final

import trio

from arbiter.sandbox.usage import read_file

MARK: Final = "ARBITER_BOT"
REFEREE: Final = "ARBITER_REFEREE"  # the number of the referee's process
_PR_SET_CHILD_SUBREAPER: Final = 36
_DYING_S: Final = 0.002


def adopt_orphans() -> bool:
    """Make this process the parent of the processes that its descendants leave behind; return True if it is."""
    if sys.platform != "linux":
        return False
    return bool(ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


async def end_orphans(group: int, mark: str) -> None:
    """Reap a process group that was killed; kill and reap the processes with a bot's mark, and those that they leave.

    The group comes first: a dead process has no mark any more, and a dying one has not yet released its children.
    """
    await _reap(-group)
    wanted = f"{MARK}={mark}".encode()
    while orphans := [pid for pid in _children() if wanted in _environment(pid)]:
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            await _reap(pid)


async def _reap(which: int) -> None:
    """Wait until no child of this process is left, by number or by group.

    A killed process with much memory takes some time to die; other games must not wait for it.
    """
    with contextlib.suppress(ChildProcessError):
        while True:
            dead, _ = os.waitpid(which, os.WNOHANG)  # noqa: ASYNC222 - this does not wait
            if not dead:
                await trio.sleep(_DYING_S)


def find_marked(mark: str) -> list[int]:
    """List the processes with a bot's mark.  No process in a sandbox has one."""
    wanted = f"{MARK}={mark}".encode()
    return [pid for pid in _all_processes() if wanted in _environment(pid)]


def end_leftovers() -> None:
    """End the sandboxes that killed referees left behind before the sandboxes could notice.

    No bot runs in them yet: they wait for a message of a bwrap that no longer exists.
    """
    for pid in _all_processes():
        for word in _environment(pid):
            name, _, referee = word.decode("ascii", "replace").partition("=")
            if name == REFEREE and not Path("/proc", referee).exists():
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)


def _children() -> list[int]:
    """List the children of this process; adopted orphans are among them."""
    tid = threading.main_thread().native_id
    try:
        return [int(pid) for pid in read_file(f"/proc/self/task/{tid}/children").split()]
    except OSError:
        return []


def _all_processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []

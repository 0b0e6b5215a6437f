"""Isolation `process`: a process group, limits and a scratch folder.  Against buggy bots, not hostile ones."""

import ctypes
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct

from arbiter.sandbox.cgroups import Cgroup
from arbiter.sandbox.files.identity import open_folder, try_lock
from arbiter.sandbox.isolation import Launch, Program, launcher_arguments
from arbiter.sandbox.usage import is_measurable, read_numbers

_PREFIX: Final = "arbiter-bot-"
_KIB_PER_MIB: Final = 1024
_NEW_S: Final = 60  # a folder that was made less than this ago may not be locked yet


class ProcessIsolation:
    """Starts a program in its own session, with limits, a clean environment and a scratch folder."""

    name = "process"

    def launch(self, program: Program, mark: str) -> Launch:
        """Prepare to start a program.  Raises OSError if its scratch folder cannot be made."""
        scratch = Scratch(mark)
        env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(scratch.path),
            "TMPDIR": str(scratch.path),
            **dict(program.environment),
            MARK: mark,
        }
        # Only if nothing measures the memory that is used.
        limit = "" if is_measurable() else f"ulimit -v {program.memory_mb * _KIB_PER_MIB} 2>/dev/null; "
        argv = launcher_arguments(program.argv, limit)
        return Launch(argv, env, program.folder, GroupHandle(mark, scratch))


class GroupHandle(Struct, eq=False):
    """Control over a process group; processes that leave the group are found by their mark."""

    mark: str
    scratch: "Scratch"
    group: Cgroup | None = None
    group_fault: OSError | None = None
    _pid: int = 0

    def attach(self, pid: int) -> None:
        """Take over a process group."""
        self._pid = pid

    async def wait_killable(self) -> None:
        """Return at once: a group can be killed from the beginning."""

    def kill(self) -> None:
        """Kill the group.  Its leader must not have been reaped: until then its number is not used again."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)

    async def wait_dead(self) -> None:
        """End the processes that have left the group."""
        await end_orphans(self._pid, self.mark)

    def release(self) -> None:
        """Remove the scratch folder."""
        self.scratch.remove()

    def find_signal(self, _status: int) -> signal.Signals | None:
        """Return None: the signal itself is seen."""


# --- scratch folders ------------------------------------------------------------------------------


class Scratch:
    """A bot's scratch folder.

    It is locked while the referee lives, which distinguishes it from a folder that a killed referee left.
    Raises OSError if it cannot be made.
    """

    def __init__(self, mark: str) -> None:
        self.path = scratch_path(mark)
        self.path.mkdir(mode=0o700)
        self._lock = open_folder(self.path)
        with suppress(OSError):  # not every file system has locks; on such a one no folder is removed as left behind
            try_lock(self._lock)

    def remove(self) -> None:
        """Remove the folder and its contents."""
        try:
            self.path.rmdir()  # most bots leave nothing there
        except OSError:
            shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def scratch_path(mark: str) -> Path:
    """Return the path of the scratch folder of the bot with a mark."""
    return Path(tempfile.gettempdir(), f"{_PREFIX}{mark}")


def remove_leftovers() -> None:
    """Remove the scratch folders of this user that killed referees left behind."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # it is locked, not a folder, or gone
            folder = open_folder(path)
            try:
                found = os.fstat(folder)
                is_old = found.st_uid == os.geteuid() and time.time() - found.st_mtime > _NEW_S
                if is_old and try_lock(folder):
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(folder)


# --- processes that outlive their parent ----------------------------------------------------------
# Adopted, recognised by the mark of their bot, and ended.  Linux only: on other systems a program that leaves its
# process group on purpose escapes this isolation.


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
    # The children of this process; adopted orphans are among them.
    children = f"/proc/self/task/{threading.main_thread().native_id}/children"
    while orphans := [pid for pid in read_numbers(rb"\d+", children) if wanted in _environment(pid)]:
        for pid in orphans:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            await _reap(pid)


async def _reap(which: int) -> None:
    """Wait until no child of this process is left, by number or by group.

    A killed process with much memory takes some time to die; other games must not wait for it.
    """
    with suppress(ChildProcessError):
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
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)


def _all_processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []

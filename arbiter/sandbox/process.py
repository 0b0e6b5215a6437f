"""Isolation `process`: a process group, limits and a scratch folder.  Against buggy bots, not hostile ones."""

import ctypes
import os
import resource
import shutil
import signal
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct

from arbiter.sandbox.cgroups import Cgroup
from arbiter.sandbox.files.identity import open_folder, try_lock
from arbiter.sandbox.isolation import Launch, Program, launcher_arguments
from arbiter.sandbox.usage import is_measurable, read_numbers

SCRATCH_PREFIX: Final = "arbiter-bot-"
"""Start of the names of scratch folders."""
NEW_SCRATCH_S: Final = 60
"""A scratch folder that was made less than this ago may not be locked yet."""
_KIB_PER_MIB: Final = 1024


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
        _leaders[pid] = self.mark

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
        _leaders.pop(self._pid, None)
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
    return Path(tempfile.gettempdir(), f"{SCRATCH_PREFIX}{mark}")


# --- processes that outlive their parent ----------------------------------------------------------
# Adopted, recognised, and ended.  Linux only: on other systems a program that leaves its process group on purpose
# escapes this isolation.


MARK: Final = "ARBITER_BOT"
REFEREE: Final = "ARBITER_REFEREE"  # the number of the referee's process
_PR_SET_CHILD_SUBREAPER: Final = 36
_DYING_S: Final = 0.002
_HUNT_S: Final = 2.0
_MARKED: Final = f"{MARK}=".encode()


def adopt_orphans() -> bool:
    """Make this process the parent of the processes that its descendants leave behind; return True if it is."""
    if sys.platform != "linux":
        return False
    return bool(ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


_leaders: Final[dict[int, str]] = {}
"""The processes with which the bots were started that have not ended, with their marks."""


async def end_orphans(group: int, mark: str) -> None:
    """Reap a process group that was killed; kill and reap what a bot has left behind, and what that leaves behind.

    The group comes first: a dead process has no mark any more, and a dying one has not yet released its children.
    If a bot starts processes faster than they can be killed, the end of the next bot continues.
    """
    await _reap(-group)
    until = trio.current_time() + _HUNT_S
    forbidden: set[int] = set()  # programs with the rights of another user, such as su
    while (orphans := set(_find_orphans(group, mark)) - forbidden) and trio.current_time() < until:
        for pid in orphans:
            try:
                os.kill(pid, signal.SIGKILL)
            except PermissionError:
                forbidden.add(pid)
            except ProcessLookupError:  # the end of another bot has reaped it
                pass
            else:
                await _reap(pid)
        await trio.lowlevel.checkpoint()


def _find_orphans(group: int, mark: str) -> list[int]:
    """List the adopted processes of a bot, and those that have hidden to which bot they belong.

    A process keeps the limits of its bot and the session of its parent, unless it begins a session of its own; it can
    also begin without the mark in its environment.  No bot can get into the session of the arbiter.
    """
    others = {other.encode() for pid, other in _leaders.items() if pid != group}
    own_session = os.getsid(0)
    own_limit = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    found = []
    # The children of this process; adopted orphans are among them.
    for pid in read_numbers(rb"\d+", f"/proc/self/task/{threading.main_thread().native_id}/children"):
        with suppress(ProcessLookupError, PermissionError):
            session = os.getsid(pid)
            if session == own_session or (pid in _leaders and pid != group):
                continue
            marks = {word[len(_MARKED) :] for word in _environment(pid) if word.startswith(_MARKED)}
            is_hidden = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1] != own_limit and session not in _leaders
            if mark.encode() in marks or session == group or (is_hidden and marks.isdisjoint(others)):
                found.append(pid)
    return found


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

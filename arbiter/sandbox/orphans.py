"""Processes that outlive their parent: adopted, recognised by the bot's mark, and ended.

Linux only: elsewhere a program that leaves its process group on purpose escapes this tier.
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

MARK: Final = "ARBITER_BOT"
REFEREE: Final = "ARBITER_REFEREE"  # the number of the process whose bot it is
_PR_SET_CHILD_SUBREAPER: Final = 36
_DYING_S: Final = 0.002


def adopt_orphans() -> bool:
    """Make this process the parent of whatever its descendants leave behind; say whether it is."""
    if sys.platform != "linux":
        return False
    return bool(ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


async def end_orphans(group: int, mark: str) -> None:
    """Reap a process group that was killed; kill and reap what carries a bot's mark, and what those leave in turn.

    The group comes first: a dead process has no mark any more, and one that is dying has not yet let its children go.
    """
    await _reap(-group)
    wanted = f"{MARK}={mark}".encode()
    while orphans := [pid for pid in _children() if _carries(pid, wanted)]:
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            await _reap(pid)


async def _reap(which: int) -> None:
    """Wait for children of this process, by number or by group, until there is none left of them.

    A killed process with much memory takes its time to die: other games must not stand still meanwhile.
    """
    with contextlib.suppress(ChildProcessError):
        while True:
            dead, _ = os.waitpid(which, os.WNOHANG)  # noqa: ASYNC222 - this looks and does not wait
            if not dead:
                await trio.sleep(_DYING_S)


def carriers(mark: str) -> list[int]:
    """List the processes that carry a bot's mark; in a sandbox none does."""
    wanted = f"{MARK}={mark}".encode()
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*") if _carries(int(entry.name), wanted)]


def _children() -> list[int]:
    """List the children of this process, which adopted orphans are."""
    tid = threading.main_thread().native_id
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{tid}/children").read_text().split()]
    except OSError:
        return []


def _carries(pid: int, wanted: bytes) -> bool:
    try:
        return wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def end_leftovers() -> None:
    """End what referees that were killed left behind: sandboxes so young that they could not notice.

    No bot was in them yet: they wait for a word of a bwrap that is gone.
    """
    for entry in Path("/proc").glob("[0-9]*"):
        referee = _referee(entry)
        if referee and not Path("/proc", referee).exists():
            with contextlib.suppress(OSError):
                os.kill(int(entry.name), signal.SIGKILL)


def _referee(process: Path) -> str | None:
    try:
        words = (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return None
    wanted = f"{REFEREE}=".encode()
    return next((word[len(wanted) :].decode("ascii", "replace") for word in words if word.startswith(wanted)), None)

"""A diagnosis of what this machine supports, for the operator."""

import os
import platform
import resource
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.sandbox.bwrap import find_bwrap
from arbiter.sandbox.probe import SWITCHES, NoSandbox, open_sandbox, read_setting
from arbiter.sandbox.seccomp import MACHINES

_FILES_A_GAME: Final = 12
_CGROUP: Final = Path("/sys/fs/cgroup")


class Diagnosis(Struct, frozen=True):
    """The isolation that bots would get here."""

    sandbox: str
    """Name of the isolation."""
    why: str | None
    """Why there is no sandbox."""
    cure: str | None
    """How to fix that."""
    points: dict[str, str]
    """The points examined, and what was found."""


def diagnose() -> Diagnosis:
    """Examine this machine; this builds a sandbox."""
    why, cure = None, None
    try:
        open_sandbox()
    except NoSandbox as reason:
        why, cure = reason.why, reason.cure
    return Diagnosis(
        sandbox="process" if why else "full",
        why=why,
        cure=cure,
        points={
            "system": f"{platform.system()} {platform.release()} on {platform.machine()}",
            "bubblewrap": _bubblewrap(),
            "user namespaces": _namespaces(),
            "seccomp": _seccomp(),
            "user": _user(),
            "memory in all": _memory(),
            "cores": str(os.cpu_count() or 1),
            "open files": _files(),
            "processes": _processes(),
        },
    )


def _bubblewrap() -> str:
    bwrap = find_bwrap()
    return "not installed" if bwrap is None else f"{bwrap.version}, {bwrap.path}"


def _namespaces() -> str:
    forbidding = [path for path, value, _ in SWITCHES if read_setting(path) == value]
    return f"forbidden by {', '.join(forbidding)}" if forbidding else "not forbidden by any known setting"


def _seccomp() -> str:
    if platform.machine() not in MACHINES:
        return f"no filter for {platform.machine()}"
    available = read_setting("/proc/sys/kernel/seccomp/actions_avail")
    return "not supported by the kernel" if available is None else "supported"


def _user() -> str:
    if os.geteuid() == 0:
        return "root; bots run as users without an account, and read only what everybody may read"
    return f"{os.geteuid()}; bots run as the same user, and of what they are shown they read what this user may read"


def _memory() -> str:
    """Describe the limit for all processes together: the arbiter limits only each process."""
    limits = [path for path in ("memory.max", "memory/memory.limit_in_bytes") if (_CGROUP / path).exists()]
    return f"limited by the machine, and by {_CGROUP / limits[0]}" if limits else "limited by the machine"


def _files() -> str:
    limit = _limit(resource.RLIMIT_NOFILE)
    return "unlimited" if limit is None else f"{limit}, enough for {limit // _FILES_A_GAME} games at a time"


def _processes() -> str:
    limit = _limit(resource.RLIMIT_NPROC)
    return "unlimited" if limit is None else f"{limit} for this user"


def _limit(which: int) -> int | None:
    soft, _ = resource.getrlimit(which)
    return None if soft == resource.RLIM_INFINITY else soft

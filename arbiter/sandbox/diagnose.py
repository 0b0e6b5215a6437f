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
    """Reason if there is no sandbox."""
    cure: str | None
    """Way to fix that."""
    points: dict[str, str]
    """The points examined, and what was found."""


def diagnose() -> Diagnosis:
    """Examine this machine; this builds a sandbox."""
    why, cure = None, None
    try:
        open_sandbox()
    except NoSandbox as reason:
        why, cure = reason.why, reason.cure
    bwrap = find_bwrap()
    forbidding = [path for path, value, _ in SWITCHES if read_setting(path) == value]
    seccomp = "supported"
    if platform.machine() not in MACHINES:
        seccomp = f"no filter for {platform.machine()}"
    elif read_setting("/proc/sys/kernel/seccomp/actions_avail") is None:
        seccomp = "not supported by the kernel"
    user = f"{os.geteuid()}; bots run as the same user, and of what they are shown they read what this user may read"
    if os.geteuid() == 0:
        user = "root; bots run as users without an account, and read only what everybody may read"
    points = {
        "system": f"{platform.system()} {platform.release()} on {platform.machine()}",
        "bubblewrap": "not installed" if bwrap is None else f"{bwrap.version}, {bwrap.path}",
        "user namespaces": f"forbidden by {', '.join(forbidding)}"
        if forbidding
        else "not forbidden by a known setting",
        "seccomp": seccomp,
        "user": user,
    }
    return Diagnosis("process" if why else "full", why, cure, points | _examine_limits())


def _examine_limits() -> dict[str, str]:
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    processes, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    # For all processes together: the arbiter limits the memory of each process only.
    memory = "limited by the machine"
    for path in ("memory.max", "memory/memory.limit_in_bytes"):
        if (_CGROUP / path).exists():
            memory += f", and by {_CGROUP / path}"
            break
    unlimited = resource.RLIM_INFINITY
    return {
        "memory in all": memory,
        "cores": str(os.cpu_count() or 1),
        "open files": "unlimited"
        if files == unlimited
        else f"{files}, enough for {files // _FILES_A_GAME} games at a time",
        "processes": "unlimited" if processes == unlimited else f"{processes} for this user",
    }

"""What this machine can promise, found out point by point, for the operator to read."""

import os
import platform
import resource
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.sandbox.bwrap import find_bwrap
from arbiter.sandbox.probe import SWITCHES, NoSandbox, open_sandbox, setting
from arbiter.sandbox.seccomp import MACHINES

_FILES_A_GAME: Final = 12
_CGROUP: Final = Path("/sys/fs/cgroup")


class Diagnosis(Struct, frozen=True):
    """The tier that bots would be played in, what hinders a better one and cures it, and the points looked at."""

    sandbox: str
    why: str | None
    cure: str | None
    points: dict[str, str]


def diagnose() -> Diagnosis:
    """Look at everything once; a sandbox is built for it."""
    lack: NoSandbox | None = None
    try:
        open_sandbox()
    except NoSandbox as error:
        lack = error
    return Diagnosis(
        sandbox="process" if lack else "full",
        why=lack.why if lack else None,
        cure=lack.cure if lack else None,
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
    against = [path for path, value, _ in SWITCHES if setting(path) == value]
    return f"forbidden by {', '.join(against)}" if against else "not forbidden by any setting known here"


def _seccomp() -> str:
    if platform.machine() not in MACHINES:
        return f"no filter for {platform.machine()}"
    known = setting("/proc/sys/kernel/seccomp/actions_avail")
    return "the kernel has none" if known is None else "filter of our own"


def _user() -> str:
    if os.geteuid() == 0:
        return "root; bots run under users that nobody has, and read only what everybody may"
    return f"{os.geteuid()}; bots run under the same, and read what it may of what they are shown"


def _memory() -> str:
    """Tell whether anything bounds it: we set a limit for each process, and none for all of them."""
    limits = [path for path in ("memory.max", "memory/memory.limit_in_bytes") if (_CGROUP / path).exists()]
    return f"bounded by the machine's, and by {_CGROUP / limits[0]}" if limits else "bounded by the machine's"


def _files() -> str:
    limit = _limit(resource.RLIMIT_NOFILE)
    return "unlimited" if limit is None else f"{limit}, enough for {limit // _FILES_A_GAME} games at once"


def _processes() -> str:
    limit = _limit(resource.RLIMIT_NPROC)
    return "unlimited" if limit is None else f"{limit} of this user"


def _limit(which: int) -> int | None:
    soft, _ = resource.getrlimit(which)
    return None if soft == resource.RLIM_INFINITY else soft

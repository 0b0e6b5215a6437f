"""A diagnosis of what this machine supports, for the operator."""

import os
import platform
import resource
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.resources import find_memory_mb
from arbiter.sandbox.bwrap import SCRATCH, find_bwrap
from arbiter.sandbox.cgroup_places import NoCgroups, find_base
from arbiter.sandbox.cgroups import CONTROLLERS
from arbiter.sandbox.full import PROCESSES
from arbiter.sandbox.priority import can_change_sessions
from arbiter.sandbox.probe import SWITCHES, NoSandbox, open_sandbox, read_setting
from arbiter.sandbox.seccomp import ARCHITECTURES

_FILES_A_GAME: Final = 24
_DELEGATE: Final = "start with `systemd-run --user --scope -p Delegate=yes arbiter run ...`, as root without --user"
_NEEDS_TREE: Final = (
    "start the arbiter in a control group of version 2 of its own, with the controllers memory, pids and cpu"
)


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
    sandboxed: dict[str, str] = {}
    try:
        sandboxed = _examine_sandbox(open_sandbox().controllers)
    except NoSandbox as reason:
        why, cure = reason.why, reason.cure
    bwrap = find_bwrap()
    forbidding = [path for path, value, _ in SWITCHES if read_setting(path) == value]
    seccomp = "supported"
    if platform.machine() not in ARCHITECTURES:
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
    return Diagnosis("process" if why else "full", why, cure, points | sandboxed | _examine_limits())


def _examine_sandbox(controllers: frozenset[str] | None) -> dict[str, str]:
    """Describe what holds for a bot in a sandbox, with the controllers of its control group; None without a group."""
    owned = controllers or frozenset()
    if controllers is None:
        groups = f"none: {_find_reason()}"
    else:
        groups = f"one for each bot, with {', '.join(sorted(owned)) or 'no controllers'}"
    is_shared = "cpu" in owned or can_change_sessions()
    points = {
        "control groups": groups,
        "memory of a bot": "memory_mb for all its processes and files, "
        + ("limited by the kernel" if "memory" in owned else "measured up to 50 times a second"),
        "files of a bot": f"{SCRATCH >> 20} MiB; their number counts as memory",
        "processes of a bot": f"{PROCESSES}, threads included",
        "busy off turn": "low priority" if is_shared else "half of the cores",
        "stopping a bot": "SIGSTOP; a bot that uses the processor while it is stopped loses",
        "processor clock": "misses processes that end while their parent ignores SIGCHLD",
    }
    if controllers is not None:
        points |= {"stopping a bot": "no signal continues it", "processor clock": "counts all processes"}
    if not frozenset(CONTROLLERS) <= owned:
        points["more limits"] = _DELEGATE if Path("/run/systemd/system").exists() else _NEEDS_TREE
    return points


def _find_reason() -> str:
    """Return why there are no control groups here."""
    try:
        base = find_base()
    except NoCgroups as reason:
        return str(reason)
    return f"none could be made in {base}"


def _examine_limits() -> dict[str, str]:
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    processes, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    memory_mb, limit = find_memory_mb()
    unlimited = resource.RLIM_INFINITY
    return {
        "memory in all": f"{memory_mb:,} MiB" + (f", limited by {limit}" if limit else ""),
        "cores": str(os.cpu_count() or 1),
        "open files": "unlimited"
        if files == unlimited
        else f"{files}, enough for {files // _FILES_A_GAME} games at a time",
        "processes": "unlimited" if processes == unlimited else f"{processes} for this user",
    }

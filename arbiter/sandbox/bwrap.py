"""bubblewrap, the program that builds sandboxes: where it is, what it supports, and the arguments it gets."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.sandbox.files.toolchains import LOCAL, LOCAL_PARTS, SYSTEM, is_system

NEEDED: Final = "0.7"  # the first version that limits the size of a scratch folder
_SIZE_OPTION: Final = "--size"
_DISABLE_NAMESPACES: Final = "--disable-userns"  # from 0.8 on; the system call filter refuses new namespaces too

SCRATCH: Final = 64 << 20
_SHARED: Final = 1 << 20
_NOTHING: Final = 4096
_TMP: Final = "/tmp"  # noqa: S108 - inside the sandbox

# Of /etc only what linkers, interpreters and their libraries read, besides the copies.
_ETC: Final = ("alternatives", "ssl/certs", "crypto-policies", "java*", "mono", "localtime")
_ENVIRONMENT: Final = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": _TMP, "TMPDIR": _TMP}

COPIES: Final = tuple(
    path
    for path in (
        "/etc/ld.so.cache",
        "/etc/ssl/openssl.cnf",
        # Of /proc/sys only what allocators and runtimes read; none of it changes while a bot runs.
        "/proc/sys/vm/overcommit_memory",
        "/proc/sys/vm/max_map_count",
        "/proc/sys/kernel/cap_last_cap",
    )
    if os.access(path, os.R_OK)
)
"""Small files that a sandbox gets copies of: a mount takes bwrap longer, as it then reads the list of all mounts."""
_COPIED_SETTINGS: Final = 16384  # bytes: a page for each of those

_DEVICES: Final = ("null", "full", "urandom")
# A shared mapping of /dev/zero is memory that no limit counts; /dev/full can be read in the same way, not mapped.
_DEVICE_LINKS: Final = {
    "zero": "full",
    "random": "urandom",
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
}

# The last arguments: they make the rest read-only once everything is in its place.
READ_ONLY: Final = tuple(
    word
    for folder in ("/proc/sys", *([str(LOCAL)] if LOCAL.is_dir() else []), "/")
    for word in ("--remount-ro", folder)
)


class Bwrap(Struct, frozen=True):
    """The bwrap of this machine."""

    path: str
    version: str
    options: frozenset[str]

    @property
    def limits_sizes(self) -> bool:
        """True if it can limit the size of a scratch folder; without this it cannot be used."""
        return _SIZE_OPTION in self.options


def find_bwrap() -> Bwrap | None:
    """Find bwrap and ask for its version and options; None if there is none that runs."""
    path = shutil.which("bwrap")
    if path is None:
        return None
    try:
        version = _output_of(path, "--version")
        usage = _output_of(path, "--help")
    except OSError:
        return None
    options = frozenset(re.findall(r"^\s*(--[a-z-]+)", usage, re.MULTILINE))
    return Bwrap(path, version.rpartition(" ")[2].strip(), options)


def _output_of(path: str, option: str) -> str:
    done = subprocess.run([path, option], capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout + done.stderr


def bwrap_arguments(bwrap: Bwrap) -> tuple[str, ...]:
    """Return the arguments that are the same for each bot: namespaces, system folders, scratch folders, environment."""
    arguments = ["--unshare-all", "--unshare-user"]
    if _DISABLE_NAMESPACES in bwrap.options:
        arguments.append(_DISABLE_NAMESPACES)
    arguments += ("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "arena", "--clearenv")
    arguments += _system_folders()
    for path in (path for pattern in _ETC for path in sorted(Path("/etc").glob(pattern))):
        if path.is_symlink() and is_system(path.resolve()):
            arguments += ("--symlink", str(path.resolve()), str(path))
        else:
            arguments += ("--ro-bind-try", str(path), str(path))
    arguments += ("--proc", "/proc")
    # The first process in a sandbox is bwrap's own.  A bot that could write its memory could make it outlive the referee.
    arguments += (*_memory_folder("/proc/1", _NOTHING), "--remount-ro", "/proc/1")
    # With /proc/PID/autogroup, a bot could undo the priority that the referee gives it while it is not asked.
    arguments += ("--remount-ro", "/proc")
    # Counters of the whole machine, which other sandboxes can read too.
    arguments += _memory_folder("/proc/sys", _COPIED_SETTINGS)
    # No terminals: they are counted for the whole machine, so that two sandboxes could communicate by opening some.
    for device in _DEVICES:
        arguments += ("--dev-bind", f"/dev/{device}", f"/dev/{device}")
    for name, target in _DEVICE_LINKS.items():
        arguments += ("--symlink", target, f"/dev/{name}")
    arguments += _memory_folder("/dev/shm", _SHARED)  # noqa: S108 - inside the sandbox
    arguments += _memory_folder(_TMP, SCRATCH)
    for name, value in _ENVIRONMENT.items():
        arguments += ("--setenv", name, value)
    return tuple(arguments)


def _system_folders() -> Iterator[str]:
    """Yield the arguments that show the system's programs and libraries; of /usr/local only these too."""
    for path in map(Path, SYSTEM):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    if LOCAL.is_dir():  # read-only at the end: a bot's own folder may be in it
        yield from _memory_folder(str(LOCAL), _NOTHING)
        for folder in (LOCAL / part for part in LOCAL_PARTS):
            if folder.is_dir() and any(folder.iterdir()):
                yield from ("--ro-bind", str(folder), str(folder))


def _memory_folder(path: str, size: int) -> tuple[str, ...]:
    return (_SIZE_OPTION, str(size), "--tmpfs", path)

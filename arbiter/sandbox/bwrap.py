"""bubblewrap, the program that builds sandboxes: where it is, what it can do, and the walls we ask it for."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.sandbox.toolchains import SYSTEM

NEEDED: Final = "0.7"  # the first that bounds the size of scratch
_SIZE_OPTION: Final = "--size"
_DISABLE_NAMESPACES: Final = "--disable-userns"  # from 0.8 on; the filter refuses new namespaces too

SCRATCH: Final = 64 << 20
_SHARED: Final = 1 << 20
_NOTHING: Final = 4096

# Of /etc only what linkers, interpreters and their libraries look for.
_ETC: Final = ("ld.so.cache", "alternatives", "ssl/openssl.cnf", "ssl/certs", "crypto-policies", "java*", "localtime")


class Bwrap(Struct, frozen=True):
    """The bwrap of this machine."""

    path: str
    version: str
    options: frozenset[str]

    @property
    def bounds_sizes(self) -> bool:
        """Tell whether it can bound the size of scratch, without which it is no use to us."""
        return _SIZE_OPTION in self.options


def find_bwrap() -> Bwrap | None:
    """Find bwrap and ask what it can do; None where there is none that runs."""
    path = shutil.which("bwrap")
    if path is None:
        return None
    try:
        version, usage = (_asked(path, word) for word in ("--version", "--help"))
    except OSError:
        return None
    return Bwrap(
        path, version.rpartition(" ")[2].strip(), frozenset(re.findall(r"^\s*(--[a-z-]+)", usage, re.MULTILINE))
    )


def _asked(path: str, word: str) -> str:
    done = subprocess.run([path, word], capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout + done.stderr


def bwrap_arguments(bwrap: Bwrap) -> tuple[str, ...]:
    """Return the words that build what is the same for each bot: the system's folders, and nothing else of the host."""
    own_namespaces = ["--unshare-all", "--unshare-user"]
    if _DISABLE_NAMESPACES in bwrap.options:
        own_namespaces.append(_DISABLE_NAMESPACES)
    return (
        *own_namespaces,
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "arena", "--clearenv"),
        *_system(),
        *("--proc", "/proc"),
        # The first process there is bwrap's own: who could write its memory could make it outlive the referee.
        *_memory("/proc/1", _NOTHING),
        *("--remount-ro", "/proc/1"),
        *("--dev", "/dev"),
        *_memory("/dev/shm", _SHARED),  # noqa: S108 - the sandbox's own
        *_memory("/tmp", SCRATCH),  # noqa: S108 - the sandbox's own
        *_environment(),
    )


# What makes the rest read-only, after everything has been put in its place.
CLOSING: Final = ("--remount-ro", "/dev", "--remount-ro", "/")


def _system() -> tuple[str, ...]:
    return tuple(word for path in SYSTEM for word in _shown(Path(path))) + tuple(
        word
        for pattern in _ETC
        for path in sorted(Path("/etc").glob(pattern))
        for word in ("--ro-bind-try", str(path), str(path))
    )


def _shown(path: Path) -> tuple[str, ...]:
    """Show one of the system's folders as it is: a folder, a link to another one, or nothing."""
    if path.is_symlink():
        return ("--symlink", str(path.readlink()), str(path))
    return ("--ro-bind", str(path), str(path)) if path.is_dir() else ()


def _memory(path: str, size: int) -> tuple[str, ...]:
    return (_SIZE_OPTION, str(size), "--tmpfs", path)


def _environment() -> tuple[str, ...]:
    scratch = "/tmp"  # noqa: S108 - the sandbox's own
    values = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": scratch, "TMPDIR": scratch}
    return tuple(word for name, value in values.items() for word in ("--setenv", name, value))

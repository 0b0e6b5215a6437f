"""The programs that build sandboxes: bubblewrap, and unshare, which runs it without the rights of root."""

import ctypes
import os
import pwd
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.sandbox.files.identity import open_place
from arbiter.sandbox.files.temporary import GROUP
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
    # The first process in a sandbox is bwrap's own: a bot that could write its memory could let it outlive the referee.
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


# --- unprivileged users ---------------------------------------------------------------------------


_STAGE: Final = Path("/run/arbiter-stage")
_USERS: Final = range(50_000, 52_048)  # two for each of 1024 games at a time

_CLONE_NEWNS: Final = 0x00020000
_BIND: Final = 4096 | 16384  # MS_BIND | MS_REC
_MAKE_SLAVE: Final = 16384 | 1 << 19  # MS_REC | MS_SLAVE
_PLAIN: Final = 2 | 4  # MS_NOSUID | MS_NODEV


class Unprivileged:
    """The users that bots run as if the referee runs as root, and the folder in which they find what they may read.

    Each bot runs as a user number that no account has.  The files that it may read are bound to places that this user
    can reach, in mounts that only the referee and its bots have, and that vanish with them.
    """

    def __init__(self, unshare: str) -> None:
        """Set up the mounts; `unshare` is the program that changes the user.  Raises OSError."""
        self._unshare = unshare
        self._free = {user for user in _USERS if not _is_known(user)}
        self._stage = _make_stage()
        self._staged: dict[Path, Path] = {}

    def take(self) -> tuple[tuple[str, ...], Callable[[], object]]:
        """Take a user that no other bot of this referee runs as.  Raises OSError if all are in use.

        Return the arguments that run the rest of a command line as this user, in no other group, without privileges,
        and a function that makes the user available to other bots again.
        """
        if not self._free:
            raise OSError("all users for bots are in use: play fewer games at a time")
        user = self._free.pop()
        # This unshares nothing.  Other programs that change the user look for its name first, which takes longer.
        return (self._unshare, f"--setgid={GROUP}", f"--setuid={user}", "--"), partial(self._free.add, user)

    def within_reach(self, real: Path) -> Path | None:
        """Return another path of a file or folder, which bots reach even if they may not enter the folders above it.

        It stays the same file or folder if another one takes its place.  Return None if there are no such paths here.
        Raises OSError.
        """
        if self._stage is None:
            return None
        if real not in self._staged:
            place = self._stage / str(len(self._staged))
            with open_place(real) as opened:
                if stat.S_ISDIR(os.fstat(opened).st_mode):
                    place.mkdir()
                else:
                    place.touch()
                _mount(f"/proc/self/fd/{opened}", place, None, _BIND)
            self._staged[real] = place
        return self._staged[real]


def _is_known(user: int) -> bool:
    try:
        pwd.getpwuid(user)
    except KeyError:
        return False
    return True


def _make_stage() -> Path | None:
    """Make a mount namespace with an empty folder in it; None if even root may not, as in many containers.

    Other processes see at most an empty folder.  The mounts vanish with the last process that has them.
    """
    if not _STAGE.is_mount():
        if _libc().unshare(_CLONE_NEWNS) != 0:
            return None
        _STAGE.mkdir(exist_ok=True)
        _mount("none", Path("/"), None, _MAKE_SLAVE)
        _mount("tmpfs", _STAGE, "tmpfs", _PLAIN, "mode=711,size=1m")
    place = Path(tempfile.mkdtemp(dir=_STAGE))
    place.chmod(0o711)
    return place


def _mount(source: str, target: Path, kind: str | None, flags: int, data: str | None = None) -> None:
    words = (None if word is None else os.fsencode(word) for word in (source, target, kind))
    if _libc().mount(*words, ctypes.c_ulong(flags), None if data is None else data.encode()) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), source)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)

"""Unprivileged users for bots if the referee runs as root.

Each bot runs as a user number that no account has.  The files that it may read are bound to places that this user
can reach, in mounts that only the referee and its bots have, and that vanish with them.
"""

import ctypes
import os
import pwd
import stat
import tempfile
from pathlib import Path
from typing import Final

from arbiter.sandbox.files.identity import open_place

_STAGE: Final = Path("/run/arbiter-stage")
_USERS: Final = range(50_000, 52_048)  # two for each of 1024 games at a time

_CLONE_NEWNS: Final = 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_REC, _MS_SLAVE = 2, 4, 4096, 16384, 1 << 19


class Unprivileged:
    """The users that bots run as, and the folder in which they find what they may read."""

    def __init__(self, unshare: str) -> None:
        """Set up the mounts; `unshare` is the program that changes the user.  Raises OSError."""
        self._unshare = unshare
        self._free = {user for user in _USERS if not _is_known(user)}
        self._stage = _make_stage()
        self._staged: dict[Path, Path] = {}

    def take(self) -> int:
        """Take a user that no other bot of this referee runs as.  Raises OSError if all are in use."""
        if not self._free:
            raise OSError("all users for bots are in use: play fewer games at a time")
        return self._free.pop()

    def give_back(self, user: int) -> None:
        """Make a user available to other bots again."""
        self._free.add(user)

    def arguments(self, user: int) -> tuple[str, ...]:
        """Return the arguments that run the rest of a command line as a user, in no other group, without privileges.

        This unshares nothing.  Other programs that change the user look for its name first, which takes longer.
        """
        return (self._unshare, f"--setgid={user}", f"--setuid={user}", "--")

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
                _mount(f"/proc/self/fd/{opened}", place, None, _MS_BIND | _MS_REC)
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
        _mount("none", Path("/"), None, _MS_REC | _MS_SLAVE)
        _mount("tmpfs", _STAGE, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=711,size=1m")
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

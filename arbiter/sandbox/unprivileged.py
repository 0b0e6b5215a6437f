"""What a referee that runs as root does so that its bots do not.

Each bot runs under a user number that nobody has.  What it is to read is put within that user's reach: bound to a
place of its own in mounts that only the referee and its bots have, and that vanish with them.
"""

import ctypes
import os
import pwd
import tempfile
from pathlib import Path
from typing import Final

_STAGE: Final = Path("/run/arbiter-stage")
_USERS: Final = range(50_000, 52_048)  # two for each of 1024 games side by side

_CLONE_NEWNS: Final = 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_REC, _MS_SLAVE = 2, 4, 4096, 16384, 1 << 19


class Unprivileged:
    """The users that bots run under, and the place where they find what they may read."""

    def __init__(self) -> None:
        self._free = {user for user in _USERS if not _is_known(user)}
        self._stage = _own_mounts()
        self._staged: dict[Path, Path] = {}

    def take(self) -> int:
        """Take a user that no other bot of this referee runs under.  Raises OSError where all are taken."""
        if not self._free:
            raise OSError("all users for bots are taken: play fewer games side by side")
        return self._free.pop()

    def give_back(self, user: int) -> None:
        """Let another bot have a user."""
        self._free.add(user)

    @staticmethod
    def argv(user: int) -> tuple[str, ...]:
        """Put what follows under a user, for good and without any rights."""
        ids = (f"--reuid={user}", f"--regid={user}", "--clear-groups")
        return ("setpriv", *ids, "--no-new-privs", "--inh-caps=-all", "--")

    def within_reach(self, path: Path) -> Path:
        """Return a path under which a user reaches a file or folder, whatever lies above it.  Raises OSError."""
        if self._stage is None:
            return path
        if path not in self._staged:
            place = self._stage / str(len(self._staged))
            _make_like(path, place)
            _mount(str(path), place, None, _MS_BIND | _MS_REC)
            self._staged[path] = place
        return self._staged[path]


def _is_known(user: int) -> bool:
    try:
        pwd.getpwuid(user)
    except KeyError:
        return False
    return True


def _own_mounts() -> Path | None:
    """Take mounts of our own with an empty place in them; None where even root may not, as in many containers.

    Others see an empty folder at most, and the mounts go with the last process that has them, however it ends.
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


def _make_like(path: Path, place: Path) -> None:
    if path.is_dir():
        place.mkdir()
    else:
        place.touch()


def _mount(source: str, target: Path, kind: str | None, flags: int, data: str | None = None) -> None:
    words = (None if word is None else os.fsencode(word) for word in (source, target, kind))
    if _libc().mount(*words, ctypes.c_ulong(flags), None if data is None else data.encode()) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), source)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)

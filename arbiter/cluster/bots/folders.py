"""The folders of a machine in which archives of bots are unpacked, once for all processes that use them.

A process holds a shared lock on each folder that it uses.  The last one that stops using a folder removes it.  If all
were killed, the next process of the arbiter on the machine removes it.
"""

import errno
import fcntl
import os
import re
import secrets
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from arbiter.cluster.bots.archives import Archive, BadArchive, check_archive, remove_folder, unpack
from arbiter.sandbox.files.identity import open_folder, try_lock

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_NEW: Final = "new-"
_OLD: Final = "old-"
_NEW_S: Final = 60  # a folder that was made less than this ago may not be locked yet
_TRIES: Final = 100
_PAUSE_S: Final = 0.05


class BotFolders:
    """The folders that this process uses.  All methods may take seconds."""

    def __init__(self, place: Path | None = None) -> None:
        """Remove what killed processes left in `place`.  Default: a folder of this user among the temporary files.

        Raises OSError if the place belongs to another user, or cannot be made.
        """
        self._place = _make_place(place or Path(tempfile.gettempdir(), f"arbiter-bots-{os.geteuid()}"))
        self._held: dict[str, int] = {}
        for path in self._place.iterdir():
            with suppress(OSError):  # it is not a folder, or has just been removed
                lock = open_folder(path)
                try:
                    is_new = path.name.startswith(_NEW) and time.time() - os.fstat(lock).st_mtime < _NEW_S
                    if not is_new:
                        self._remove_unused(path, lock)
                finally:
                    os.close(lock)

    def find(self, digest: str) -> Path | None:
        """Return the folder of an archive, and use it from now on; None if it has not been unpacked."""
        if digest not in self._held:
            if not _DIGEST.fullmatch(digest):
                return None
            held = _hold(self._place / digest)
            if held is None:
                return None
            self._held[digest] = held
        return self._place / digest

    def unpack(self, archive: Archive) -> Path:
        """Unpack an archive, unless it has been unpacked before, and use its folder from now on.

        Raises BadArchive.  Raises OSError if there is no space.
        """
        if not _DIGEST.fullmatch(archive.digest):
            raise BadArchive("its address is not a digest")
        check_archive(archive)
        for _ in range(_TRIES):
            if (found := self.find(archive.digest)) is not None:
                return found
            if (held := self._unpack_new(archive)) is not None:
                self._held[archive.digest] = held
            else:
                time.sleep(_PAUSE_S)  # another process has just unpacked it, or is removing it
        raise OSError(f"{self._place / archive.digest} is locked; end the process that holds it")

    def _unpack_new(self, archive: Archive) -> int | None:
        """Unpack an archive and return its lock; None if its folder exists."""
        new = self._place / f"{_NEW}{secrets.token_hex(8)}"
        new.mkdir(mode=0o711)  # bots may run as other users
        lock = open_folder(new)
        try_lock(lock, fcntl.LOCK_SH)
        try:
            unpack(archive, new)
            new.rename(self._place / archive.digest)
        except BaseException as error:
            os.close(lock)
            remove_folder(new)
            if isinstance(error, OSError) and error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return None
            raise
        return lock

    def close(self) -> None:
        """Stop using all folders; those that no other process uses are removed."""
        while self._held:
            digest, lock = self._held.popitem()
            try:
                self._remove_unused(self._place / digest, lock)
            finally:
                os.close(lock)

    def _remove_unused(self, path: Path, lock: int) -> None:
        """Remove an open folder if no process uses it."""
        if not try_lock(lock, fcntl.LOCK_EX):
            return
        with suppress(OSError):  # it was removed by somebody else
            if not path.name.startswith(_OLD):
                old = self._place / f"{_OLD}{secrets.token_hex(8)}"
                path.rename(old)  # from now on no process finds it
                path = old
            remove_folder(path)


def _make_place(place: Path) -> Path:
    """Make the folder in which archives are unpacked, or check that no other user can change it."""
    mode = 0o711 if os.geteuid() == 0 else 0o700
    with suppress(FileExistsError):
        place.mkdir(mode=mode)
    found = place.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise OSError(f"{place} is not a folder that only this user can change; remove it")
    return place


def _hold(path: Path) -> int | None:
    """Open and lock a folder; None if it does not exist or is being removed."""
    try:
        lock = open_folder(path)
    except OSError:
        return None
    with suppress(OSError):
        if try_lock(lock, fcntl.LOCK_SH) and os.path.samestat(os.fstat(lock), path.lstat()):
            return lock
    os.close(lock)
    return None

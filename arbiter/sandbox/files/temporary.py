"""Folders of this user among the temporary files: those that killed processes left behind are removed."""

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from arbiter.sandbox.files.identity import open_folder, try_lock

GROUP: Final = 49_999
"""The group of bots that root starts, each as another user.  No account is expected to have it."""


def make_closed_folder(folder: Path) -> None:
    """Make a folder that no other user may enter, except the bots that root starts; leave one that exists as it is."""
    with suppress(FileExistsError):
        folder.mkdir(0o700, parents=True)
        _admit_bots(folder)


def _admit_bots(folder: Path) -> None:
    if os.geteuid() == 0:
        with suppress(OSError):  # some containers and file systems have no such group
            os.chown(folder, -1, GROUP)
            folder.chmod(0o710)


@contextmanager
def open_temporary(prefix: str) -> Iterator[Path]:
    """Make a folder whose name begins with a prefix, and remove it afterwards.

    It is locked meanwhile, which distinguishes it from a folder that a killed process left; those are removed first.
    Raises OSError if it cannot be made.
    """
    remove_leftovers(prefix)
    folder, lock = _make_locked(prefix)
    try:
        _admit_bots(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _make_locked(prefix: str) -> tuple[Path, int]:
    """Make a folder and lock it; make another one if a process has taken it for left behind before."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix))
        with suppress(FileNotFoundError):
            lock = open_folder(folder)
            try:
                is_ours = try_lock(lock) and folder.exists()
            except OSError:  # not every file system has locks; on such a one no folder is removed as left behind
                is_ours = True
            if is_ours:
                return folder, lock
            os.close(lock)


def remove_leftovers(prefix: str, older_than_s: float = 0.0) -> None:
    """Remove the folders whose names begin with a prefix, that are some seconds old and that no process has locked."""
    for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):  # it is locked, not a folder, or gone
            folder = open_folder(path)
            try:
                found = os.fstat(folder)
                is_old = found.st_uid == os.geteuid() and time.time() - found.st_mtime >= older_than_s
                if is_old and try_lock(folder):
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(folder)


def make_own_folder(name: str) -> Path:
    """Return the folder of this user with a name, which no other user can change; make it if it is missing.

    The number of the user is added to the name.  Raises OSError if it belongs to another user, or cannot be made.
    """
    folder = Path(tempfile.gettempdir(), f"{name}-{os.geteuid()}")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise OSError(f"{folder} is not a folder that only this user can change; remove it")
    return folder

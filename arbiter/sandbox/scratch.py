"""The folder that is a bot's own for scratch: locked while we live, so that what we leave can be told from what is used."""

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_PREFIX: Final = "arbiter-bot-"
_NEW_S: Final = 60  # a folder may not be locked yet that was made a moment ago


def place_for(mark: str) -> Path:
    """Name the folder of the bot with a mark."""
    return Path(tempfile.gettempdir(), f"{_PREFIX}{mark}")


class Scratch:
    """A bot's folder, from its making to its removal.  Raises OSError where it cannot be made."""

    def __init__(self, path: Path) -> None:
        path.mkdir(mode=0o700)
        self._path = path
        self._lock = _opened(path)
        with suppress(OSError):  # not every file system has locks; there, nobody takes it for left
            _lock(self._lock)

    def remove(self) -> None:
        """Remove the folder and what is in it."""
        shutil.rmtree(self._path, ignore_errors=True)
        os.close(self._lock)


def remove_leftovers() -> None:
    """Remove the folders that referees left which were killed: those of our user that nobody holds any more."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            _remove_if_left(path)


def _remove_if_left(path: Path) -> None:
    """Remove a folder if it is left.  Raises OSError where it is held, is no folder or is gone."""
    folder = _opened(path)
    try:
        found = os.fstat(folder)
        if found.st_uid == os.geteuid() and time.time() - found.st_mtime > _NEW_S:
            _lock(folder)
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(folder)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def _lock(folder: int) -> None:
    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)

"""Files and folders by their identity: those that were checked, or are locked, and no others put in their place."""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple


class Identity(NamedTuple):
    """The number of a file or folder on this machine."""

    device: int
    inode: int


@contextmanager
def open_place(real: Path) -> Iterator[int]:
    """Open a file or folder at a real path without reading it.  Raises OSError if a part of the path is now a link."""
    place = os.open(real, os.O_PATH | os.O_CLOEXEC)
    try:
        if os.readlink(f"/proc/self/fd/{place}") != str(real):  # noqa: PTH115 - the path of the open file itself
            raise OSError(f"{real} was replaced by a link during the run")
        yield place
    finally:
        os.close(place)


def identify(real: Path) -> Identity:
    """Return the identity of a file or folder at a real path.  Raises OSError if a part of the path is now a link."""
    with open_place(real) as place:
        found = os.fstat(place)
    return Identity(found.st_dev, found.st_ino)


def open_folder(path: Path) -> int:
    """Open a folder that is not a link.  Raises OSError."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def try_lock(folder: int, kind: int = fcntl.LOCK_EX) -> bool:
    """Lock an open folder, or change its lock; return False if another process prevents that.  Raises OSError."""
    try:
        fcntl.flock(folder, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def check_shown(pid: int, expected: Mapping[Path, Identity]) -> None:
    """Check that a process sees the expected files and folders at some paths.  Raises OSError."""
    for path, identity in expected.items():
        with suppress(PermissionError):  # a machine may forbid to look into a sandbox
            found = Path(f"/proc/{pid}/root{path}").lstat()
            if Identity(found.st_dev, found.st_ino) != identity:
                raise OSError(f"{path} was replaced while its sandbox was built")

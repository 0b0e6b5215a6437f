"""Open files that unknown people may have made or named: regular files only, without waiting, up to a size.

Such a name may lead to a pipe that is never written, a device, a file of the kernel, or a link to any of these.
"""

import contextlib
import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 256 * 2**20
"""Bytes of a file that are read at most."""
KINDS: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link",
}
"""Names of the kinds of files that are not opened."""
_KERNEL: Final = ("/proc/", "/sys/")
_OPTIONS: Final = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK: Final = 2**20


def open_to_read(path: str | Path, *, follow: bool = True) -> int:
    """Open a regular file for reading; with `follow`, its name may be a link.  Raises OSError.

    What is opened is what was examined, even if another file takes its place meanwhile; nothing else is opened.
    """
    folder, name = os.path.split(path)
    try:
        real = os.path.realpath(path if follow else folder)
    except ValueError:  # a NUL character
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from None
    real = real if follow else os.path.join(real, name)  # noqa: PTH118 - many times faster than Path
    if real.startswith(_KERNEL):
        raise OSError(errno.EINVAL, "it belongs to the kernel", path)
    _check_regular(os.lstat(real), path)
    if not hasattr(os, "O_PATH"):  # another system than Linux
        return _open(real, os.O_RDONLY | os.O_NOFOLLOW)
    place = os.open(real, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _check_regular(os.fstat(place), path)
        found = os.readlink(f"/proc/self/fd/{place}")  # noqa: PTH115 - the path of the open file itself
        if found not in (real, f"{real} (deleted)"):  # `write_private` may just have put a newer file in its place
            raise OSError(errno.ELOOP, "it was replaced meanwhile", path)
        return os.open(f"/proc/self/fd/{place}", os.O_RDONLY | _OPTIONS)
    finally:
        os.close(place)


def open_to_write(path: str | Path, flags: int, *, mode: int = 0o644, folder: int | None = None) -> int:
    """Open or create a regular file for writing, in an open folder if there is one.  Raises OSError.

    A link in the place of the file is not followed.
    """
    check_regular(path, folder)
    return _open(path, flags | os.O_NOFOLLOW, mode=mode, folder=folder)


def check_regular(path: str | Path, folder: int | None = None) -> None:
    """Raise OSError if something other than a regular file is at a path."""
    with contextlib.suppress(FileNotFoundError):
        _check_regular(os.stat(path, dir_fd=folder, follow_symlinks=False), path)


def _open(path: str | Path, flags: int, *, mode: int = 0, folder: int | None = None) -> int:
    file = os.open(path, flags | _OPTIONS, mode, dir_fd=folder)
    try:
        _check_regular(os.fstat(file), path)
    except OSError:
        os.close(file)
        raise
    return file


def _check_regular(found: os.stat_result, path: str | Path) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, f"it is {KINDS.get(stat.S_IFMT(found.st_mode), 'no file')}", path)


def read_file(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """Read a regular file.  Raises OSError, in particular if it has more than `most` bytes."""
    with os.fdopen(open_to_read(path), "rb") as file:
        data = file.read(most + 1) if os.fstat(file.fileno()).st_size <= most else None
    if data is None or len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most >> 10:,} KiB", path)
    return data


def read_text(path: str | Path, most: int = MOST_BYTES) -> str:
    """Read a regular file as text in UTF-8, with any ends of lines.  Raises OSError and UnicodeDecodeError."""
    return read_file(path, most).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def read_start(path: str | Path, size: int) -> bytes:
    """Read the start of a regular file; nothing if there is none, or if it cannot be read."""
    try:
        file = open_to_read(path)
    except OSError:
        return b""
    try:
        return os.read(file, size)
    finally:
        os.close(file)


def hash_start(path: str | Path, most: int, *, follow: bool = True) -> str:
    """Return the SHA-256 of the first `most` bytes of a regular file, in hexadecimal.  Raises OSError."""
    found = hashlib.sha256()
    with os.fdopen(open_to_read(path, follow=follow), "rb") as file:
        while most > 0 and (chunk := file.read(min(_CHUNK, most))):
            found.update(chunk)
            most -= len(chunk)
    return found.hexdigest()


def write_into(folder: Path, name: str, data: bytes) -> None:
    """Write a file below a folder, and make the folders between them; links below it are not followed.

    A link in the place of the file is replaced.  Raises OSError.
    """
    *parents, last = Path(name).parts
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for parent in parents:
            with contextlib.suppress(FileExistsError):
                os.mkdir(parent, dir_fd=place)
            inner = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place)
            os.close(place)
            place = inner
        try:
            if not stat.S_ISREG(os.stat(last, dir_fd=place, follow_symlinks=False).st_mode):
                os.unlink(last, dir_fd=place)
        except FileNotFoundError:
            pass
        file = open_to_write(last, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode=0o666, folder=place)
        with os.fdopen(file, "wb") as written:
            written.write(data)
    finally:
        os.close(place)


def write_private(file: Path, data: bytes) -> None:
    """Write or replace a file at once, which only its owner can read.  Raises OSError."""
    new = file.with_name(f".{file.name}.{os.getpid()}")
    with os.fdopen(open_to_write(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode=0o600), "wb") as written:
        written.write(data)
    os.replace(new, file)  # noqa: PTH105 - Path.replace does the same

"""Archives of bots' files for other machines: pack them, and unpack them without trusting the sender.

An archive contains the files that the digest of a program covers, so both machines can compare what they have.
"""

import errno
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Final, Literal, cast

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.sandbox.files.identity import open_folder, try_lock
from arbiter.sandbox.files.interpreters import MOST_BYTES
from arbiter.sandbox.isolation import Program
from arbiter.tournament.programs import DIGITS, MOST_FILES, ProgramDigest

OWN: Final = "bot"
"""Folder in an archive with the files of the bot's own folder."""
NAMED: Final = "named"
"""Folder in an archive with other files that the command names."""
_MOST_PATH: Final = 1024  # bytes of a name in an archive
_MOST_NAME: Final = 255  # bytes of each part of it
_SHARE: Final = "or set shared = true in [cluster] if all machines have it at the same path"

_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

Kind = Literal["file", "program", "link"]
"""A regular file, an executable one, or a symbolic link, whose content is its target."""


class BadArchive(Exception):
    """An archive that must not be unpacked; the text explains it."""


class PackedFile(Struct, frozen=True):
    name: str
    """Relative path in the folder of the unpacked archive."""
    kind: Kind
    content: bytes


class Archive(Struct, frozen=True):
    """The files of a bot's program."""

    digest: str
    """Digest of the program, which is the address of the archive."""
    files: tuple[PackedFile, ...]


# --- packing --------------------------------------------------------------------------------------


def pack(program: Program, found: ProgramDigest, paths: dict[str, Path]) -> Archive:
    """Pack the files of a program, given its digest and the paths of the files in its listing.

    Files that are declared with `read` are not packed: each machine must have them.
    Raises ConfigError if a file cannot be sent, or has changed since the digest.
    """
    if found.left_out:
        raise _refuse(program, f"its files are too many or too large to be sent: {found.left_out} were left out")
    files: dict[str, PackedFile] = {}
    size = 0
    for listed, path in paths.items():
        name = name_in_archive(listed, path, program)
        kind, digest = cast("tuple[Kind, str]", found.listing[listed].split(" ", 1))
        if name is None or (name in files and kind != "link"):
            continue
        content = _read(program, path, kind)
        if hashlib.sha256(content).hexdigest()[:DIGITS] != digest:
            raise _refuse(program, f"{path} has changed while it was packed; wait until it is complete, and run again")
        size += len(content)
        if size > MOST_BYTES:
            raise _refuse(program, f"its files have more than {MOST_BYTES >> 20} MiB, too much to be sent")
        files[name] = PackedFile(name, kind, content)
    archive = Archive(found.digest, tuple(files.values()))
    try:
        check_archive(archive)
    except BadArchive as fault:
        raise _refuse(program, f"its files cannot be sent: {fault}") from None
    return archive


def name_in_archive(listed: str, path: Path, program: Program) -> str | None:
    """Return the name in an archive of a file with a name in a listing; None if it is not packed."""
    if path.is_relative_to(program.folder):
        return f"{OWN}/{path.relative_to(program.folder)}"
    return f"{NAMED}/{listed.partition(':')[0]}/{path.name}" if listed[0].isdigit() else None


def _read(program: Program, path: Path, kind: str) -> bytes:
    """Read a file or a link as it is listed.  Raises ConfigError."""
    special = _refuse(program, f"{path} is a pipe, a socket or a device; remove it")
    if kind == "special":
        raise special
    try:
        if kind == "link":
            return os.fsencode(os.readlink(path))  # noqa: PTH115 - a Path normalises it
        place = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with os.fdopen(place, "rb") as file:
            if stat.S_ISREG(os.fstat(place).st_mode):
                return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise _refuse(program, f"{path} cannot be read: {error.strerror}") from None
    raise special


def _refuse(program: Program, fault: str) -> ConfigError:
    return ConfigError(f"bots.{program.name}: {fault}, {_SHARE}")


# --- checking and unpacking -----------------------------------------------------------------------


def check_archive(archive: Archive) -> None:
    """Check that an archive, which anyone may have made, can be unpacked.  Raises BadArchive."""
    if len(archive.files) > MOST_FILES:
        raise BadArchive(f"there are more than {MOST_FILES} files")
    if sum(len(file.content) for file in archive.files) > MOST_BYTES:
        raise BadArchive(f"the files have more than {MOST_BYTES >> 20} MiB")
    kinds: dict[PurePosixPath, str] = {}
    for file in archive.files:
        path = _check_name(file.name)
        if path in kinds:
            raise BadArchive(f"{file.name!r} is in it twice")
        kinds[path] = file.kind
        if file.kind == "link":
            _check_link(path, file.content)
        elif file.kind not in ("file", "program"):
            raise BadArchive(f"{file.name!r} is neither a file nor a link")
    for path in kinds:
        if parent := next((str(parent) for parent in path.parents if parent in kinds), None):
            raise BadArchive(f"{str(path)!r} is inside {parent!r}, which is not a folder")


def _check_name(name: str) -> PurePosixPath:
    """Return the path of a name in an archive.  Raises BadArchive."""
    parts = name.split("/")
    try:
        sizes = [len(part.encode()) for part in parts]
    except UnicodeEncodeError:
        raise BadArchive(f"{name!r} is not UTF-8; rename it") from None
    if "\0" in name or any(part in ("", ".", "..") for part in parts) or parts[0] not in (OWN, NAMED) or not parts[1:]:
        raise BadArchive(f"{name!r} is not a path inside the folder")
    if max(sizes) > _MOST_NAME or sum(sizes) + len(sizes) > _MOST_PATH:
        raise BadArchive(f"{name[:_MOST_NAME]!r} is too long a name; shorten it")
    return PurePosixPath(name)


def _check_link(path: PurePosixPath, content: bytes) -> None:
    """Check that a link is relative and leads to a path in the same folder.  Raises BadArchive."""
    target = content.decode("utf-8", "backslashreplace")
    is_inside = path.parts[0] == OWN and content != b"" and b"\0" not in content and not target.startswith("/")
    depth = len(path.parts) - 2
    for part in target.split("/"):
        depth += 0 if part in ("", ".") else -1 if part == ".." else 1
        is_inside = is_inside and depth >= 0
    if not is_inside:
        raise BadArchive(f"{str(path)!r} is a link out of the folder, to {target!r}; replace it by a file")


def unpack(archive: Archive, folder: Path) -> None:
    """Unpack an archive into an empty folder, read-only.

    Links are made last, so no file is written through one.  Raises BadArchive, and OSError if the disk is full.
    """
    check_archive(archive)
    for top in (OWN, NAMED):
        (folder / top).mkdir()
    try:
        for file in sorted(archive.files, key=lambda file: file.kind == "link"):
            path = folder / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            if file.kind == "link":
                path.symlink_to(os.fsdecode(file.content))
                continue
            with os.fdopen(os.open(path, _CREATE, 0o600), "wb") as written:
                written.write(file.content)
            path.chmod(0o555 if file.kind == "program" else 0o444)
    except (FileExistsError, NotADirectoryError):
        raise BadArchive(f"{file.name!r} is in it twice for the file system of this machine") from None
    inside = (folder / OWN).resolve()
    for file in archive.files:
        if file.kind == "link" and not Path(os.path.realpath(folder / file.name)).is_relative_to(inside):
            raise BadArchive(f"{file.name!r} is a link out of the folder; replace it by a file")
    for path in _list_folders(folder):
        path.chmod(0o555)


def remove_folder(folder: Path) -> None:
    """Remove an unpacked archive, or a part of one.  Raises OSError."""
    for path in chain([folder], _list_folders(folder)):
        path.chmod(0o700)
    shutil.rmtree(folder)


def _list_folders(folder: Path) -> Iterator[Path]:
    """Yield the folders in a folder, outer ones first, without following links."""
    for place, folders, _files in os.walk(folder):
        for name in folders:
            path = Path(place, name)
            if not path.is_symlink():
                yield path


# --- folders of unpacked archives -----------------------------------------------------------------


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
        self._place = place or Path(tempfile.gettempdir(), f"arbiter-bots-{os.geteuid()}")
        with suppress(FileExistsError):
            self._place.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700)
        found = self._place.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise OSError(f"{self._place} is not a folder that only this user can change; remove it")
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
        path = self._place / digest
        if digest not in self._held:
            if not _DIGEST.fullmatch(digest):
                return None
            try:
                lock = open_folder(path)
            except OSError:
                return None
            with suppress(OSError):  # else it is being removed
                if try_lock(lock, fcntl.LOCK_SH) and os.path.samestat(os.fstat(lock), path.lstat()):
                    self._held[digest] = lock
                    return path
            os.close(lock)
            return None
        return path

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
            new = self._place / f"{_NEW}{secrets.token_hex(8)}"
            new.mkdir(mode=0o711)  # bots may run as other users
            lock = open_folder(new)
            try_lock(lock, fcntl.LOCK_SH)
            try:
                unpack(archive, new)
                new.rename(self._place / archive.digest)
                self._held[archive.digest] = lock
            except BaseException as error:
                os.close(lock)
                remove_folder(new)
                if not isinstance(error, OSError) or error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
                time.sleep(_PAUSE_S)  # another process has just unpacked it, or is removing it
        raise OSError(f"{self._place / archive.digest} is locked; end the process that holds it")

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

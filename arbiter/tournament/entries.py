"""Entries: read-only copies of bots' files, by the digests of their programs; what is digested is what plays."""

import fcntl
import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec.structs import replace

import sample_bots
from arbiter.errors import ConfigError
from arbiter.sandbox.files.entry import EntryFile, check_entry, sign_file
from arbiter.sandbox.files.links import Forbidden
from arbiter.sandbox.files.temporary import make_closed_folder, open_temporary
from arbiter.sandbox.files.toolchains import is_shared
from arbiter.sandbox.files.untrusted import open_to_read
from arbiter.sandbox.isolation import Program
from arbiter.tournament.loading import FilesInMemory
from arbiter.tournament.programs import ProgramDigests

_SUFFIX: Final = ".entries"  # of the folder next to the results
OWN: Final = "bot"
"""Folder in an entry with the files of the bot's own folder."""
NAMED: Final = "named"
"""Folder in an entry with other files that the command names."""
_SAMPLES: Final = Path(sample_bots.__path__[0]).absolute()
_KNOWN: Final = "known"  # file with digests of files that have not changed since the last run
_NEW: Final = "new-"
_TRIES: Final = 3


class _Changed(Exception):
    """A file has changed since its digest was made."""


class EntryStore:
    """A folder with entries.  All methods may take seconds."""

    def __init__(self, folder: Path, digests: ProgramDigests) -> None:
        """Use a folder, which is made with the first entry."""
        self._folder = Path(os.path.realpath(folder))
        self._digests = digests
        self._known: dict[tuple[object, ...], Program] = {}
        self.in_memory = FilesInMemory()
        """The files of the entries, and those that bots may read besides."""
        digests.recall(self._folder / _KNOWN)

    def enter(self, program: Program) -> Program:
        """Return a program that plays from its entry, which is made unless there is one with the present digest.

        Programs that differ only in their names and in other words of their commands have one entry.  Sample bots are
        part of the arbiter and have none.  Raises ConfigError.
        """
        if program.folder == _SAMPLES:
            return program
        words = tuple(word for word in (*program.argv, *program.inner) if word.startswith("/"))
        key = (program.folder, program.read, program.examined, words)
        if key not in self._known:
            try:
                self._known[key] = replace(program, copies=self._find_or_make(program))
            except Forbidden as error:
                raise ConfigError(f"bots.{program.name}: {error}") from None
            except OSError as error:
                fault = f"its files cannot be copied to {self._folder}: {error.strerror}"
                raise ConfigError(f"bots.{program.name}: {fault}") from None
        known = self._known[key]
        self._digests.hold(program.name, known.name)
        self.in_memory.like(program.name, known.name)
        return replace(program, copies=known.copies)

    def _find_or_make(self, program: Program) -> tuple[tuple[Path, Path], ...]:
        for _ in range(_TRIES):
            found = self._digests.digest_now(program.name)
            if found is None:
                raise ValueError(f"{program.name} has no program")
            files = self._digests.list_files(program.name)
            usual = [file for file in files if stat.S_ISREG(file.mode) or stat.S_ISLNK(file.mode)]
            check_entry(program, usual if program.trusted else files, self._digests.hidden_files)
            places = _find_places(program, usual)
            entry = self._folder / found.digest
            with suppress(_Changed):
                if not self._is_whole(entry, places):
                    self._make(entry, places)
                declared = [file.path for file in files if file.is_declared]
                self.in_memory.show(program.name, [*(entry / place for place in places), *declared])
                shown = [(entry / OWN, program.folder)] if _has_folder(program) else []
                shown += [(entry / place, file.path) for place, file in places.items() if place.startswith(NAMED)]
                return tuple(shown)
        raise ConfigError(f"bots.{program.name}: its files change while they are copied; wait until they are complete")

    def _is_whole(self, entry: Path, places: Mapping[str, EntryFile]) -> bool:
        """Return True if an entry is there as it was made, and closed to other users."""
        if not entry.is_dir() or entry.stat().st_mode & 0o007:
            return False
        found: set[str] = set()
        for folder, folders, names in os.walk(entry):
            found.update(f"{folder}/{name}" for name in names)
            found.update(link for name in folders if Path(link := f"{folder}/{name}").is_symlink())
        for place, file in places.items():
            path = f"{entry}/{place}"
            digest = self._digests.digest_file(file.path, file.signature)
            if _is_readable(digest):
                if path not in found:
                    return False
                copied = sign_file(os.lstat(path))
                if copied[0] != _mode_of_copy(file) or self._digests.digest_file(path, copied) != digest:
                    return False
                found.remove(path)
        return not found

    def _make(self, entry: Path, places: Mapping[str, EntryFile]) -> None:
        """Copy the files of an entry.  Raises _Changed."""
        new = self._folder / f"{_NEW}{secrets.token_hex(8)}"
        make_closed_folder(self._folder)
        make_closed_folder(new)
        try:
            (new / OWN).mkdir()
            for place, file in places.items():
                digest = self._digests.digest_file(file.path, file.signature)
                if _is_readable(digest):
                    (new / place).parent.mkdir(parents=True, exist_ok=True)
                    _copy_file(file, new / place, digest)
            for folder, _, _ in islice(os.walk(new), 1, None):
                Path(folder).chmod(0o755)
            if entry.exists():
                shutil.rmtree(entry)
            new.rename(entry)
        finally:
            shutil.rmtree(new, ignore_errors=True)

    def keep_only(self, digests: Collection[str]) -> None:
        """Remove the entries of all other programs, and what killed runs left.  The results must be locked."""
        for path in self._folder.glob("*"):
            if path.is_dir() and path.name not in digests:
                shutil.rmtree(path, ignore_errors=True)

    def remember(self) -> None:
        """Write what is known of all files, so that the next run need not read them again."""
        if self._folder.is_dir():
            self._digests.remember(self._folder / _KNOWN)


def _has_folder(program: Program) -> bool:
    """Return True if the folder of a program belongs to it, and not to many."""
    return not is_shared(program.folder.resolve())


def _find_places(program: Program, files: Iterable[EntryFile]) -> dict[str, EntryFile]:
    """Return the files that are copied, by their paths in an entry."""
    folder = f"{program.folder}/" if _has_folder(program) else "\0"  # no path begins with that
    places: dict[str, EntryFile] = {}
    for number, file in enumerate(files):
        path = str(file.path)
        if file.is_declared:
            continue
        if not path.startswith(folder):
            places[f"{NAMED}/{number}/{file.path.name}"] = file
        elif not (file.is_named and file.path.is_symlink()):  # else it belongs to the folder as a link
            places[f"{OWN}/{path.removeprefix(folder)}"] = file
    return places


def _is_readable(digest: str) -> bool:
    return not digest.startswith("unreadable")


# --- copies ---------------------------------------------------------------------------------------


_CHUNK: Final = 1 << 20
_FICLONE: Final = 0x40049409  # from linux/fs.h: both files share their blocks until one of them is written


def _mode_of_copy(file: EntryFile) -> int:
    """Return the mode of the copy of a file: all users that can enter the entry may read it, as bots of root must."""
    if stat.S_ISLNK(file.mode):
        return file.mode
    return stat.S_IFREG | (0o555 if file.mode & stat.S_IXUSR else 0o444)


def _copy_file(file: EntryFile, target: Path, digest: str) -> None:
    """Copy a file or a link.  Raises _Changed if its digest is another one now."""
    if stat.S_ISLNK(file.mode):
        target.symlink_to(os.readlink(file.path))  # noqa: PTH115 - a Path changes it
        if hashlib.sha256(os.fsencode(os.readlink(target))).hexdigest() != digest:  # noqa: PTH115
            raise _Changed
        return
    try:
        opened = open_to_read(file.path, follow=file.is_named)
    except OSError as error:
        raise _Changed from error
    with os.fdopen(opened, "rb", buffering=0) as source, target.open("xb+", buffering=0) as copy:
        found = hashlib.sha256()
        left = file.size
        try:
            fcntl.ioctl(copy, _FICLONE, opened)
            while chunk := copy.read(_CHUNK):
                found.update(chunk)
        except OSError:
            while left >= 0 and (chunk := source.read(_CHUNK)):
                found.update(chunk)
                copy.write(chunk)
                left -= len(chunk)
        if found.hexdigest() != digest:
            raise _Changed
        os.fchmod(copy.fileno(), stat.S_IMODE(_mode_of_copy(file)))
        times = file.signature[3]
        os.utime(copy.fileno(), ns=(times, times))  # compiled modules of Python are valid for one time of their source


# --- places ---------------------------------------------------------------------------------------


@contextmanager
def open_entries(results: Path | None, digests: ProgramDigests) -> Iterator[EntryStore]:
    """Open the entries next to results.  Default: in a temporary folder, which is removed afterwards."""
    if results is None:
        with open_temporary("arbiter-entries-") as folder:
            yield EntryStore(folder, digests)
        return
    store = EntryStore(results.with_name(f"{results.name}{_SUFFIX}"), digests)
    try:
        yield store
    finally:
        store.remember()

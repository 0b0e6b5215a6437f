"""Digests of bots' programs: they prove which program played a game."""

import hashlib
import os
import re
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arbiter.sandbox.files.identity import read_start
from arbiter.sandbox.files.interpreters import (
    MOST_BYTES,
    describe_interpreter,
    find_interpreter,
    hash_start,
    is_interpreter,
)
from arbiter.sandbox.files.toolchains import is_shared
from arbiter.sandbox.isolation import Program

MOST_FILES: Final = 5000
DIGITS: Final = 16
"""Digits of a digest in texts for people."""
_SHOWN: Final = 3  # changed files in a message
_CHECK_SHARE: Final = 50  # looking for changes takes at most a fiftieth of the time

# What tools and bots themselves write next to a bot.
_IGNORED_FOLDERS: Final = frozenset(
    {"__pycache__", ".git", ".hg", ".svn", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
)
_IGNORED_FILES: Final = re.compile(r".*\.log")
# What the arbiter and editors write in the folder of the operator.
_OPERATORS_FILES: Final = re.compile(r".*(~|\.void\.txt|\.sqlite(-wal|-shm|-journal|\.[a-z]+))|\..*\.sw.|#.*#")
_COMPANION: Final = re.compile(r"\.sqlite(-wal|-shm|-journal|\.lock|\.running|\.live)$|\.void\.txt$")  # of results
_REPORT_MARK: Final = ".arbiter-report"
_RESULTS_HEADER: Final = (b"SQLite format 3\0", b"SARB", 68)  # signature, id of the application, its offset


class ProgramDigest(Struct, frozen=True, kw_only=True):
    """Identification of a program by its files and the version of its interpreter."""

    digest: str
    """SHA-256 of the interpreter and of the names, kinds and contents of all files, in hexadecimal."""
    interpreter: str
    """Name and version; empty for a program that needs none."""
    files: int
    size: int
    """Bytes of all files."""
    left_out: str
    """Files and contents that the limits left out; empty if none were."""
    listing: dict[str, str]
    """The files with the starts of their digests."""

    def describe_replacement(self, bot: str, old: "ProgramDigest") -> str:
        """Describe how the program of a bot differs from an earlier one."""
        before, now = old.listing, self.listing
        names = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        what = f"{', '.join(names[:_SHOWN])}{more}" if names else f"{self.interpreter}, {old.interpreter} before"
        return f"the program of {bot} has changed from {old.digest[:DIGITS]} to {self.digest[:DIGITS]} ({what})"


class _File(Struct, frozen=True):
    name: str
    path: Path
    signature: tuple[int, ...]
    """Mode, size, inode, and times of the last changes."""
    is_named: bool = False
    """True if the command names the file: then its content always counts, up to MOST_BYTES."""


class ProgramDigests:
    """The digests of programs, computed again only for files that seem changed.  Methods may take seconds."""

    def __init__(self, programs: Iterable[Program], hidden: Iterable[Path] = ()) -> None:
        """Digest nothing yet.  `hidden` are files that bots cannot read, such as the tournament file or results."""
        self._programs = {program.name: program for program in programs}
        self.hidden = frozenset(str(path) for one in hidden for path in (one.absolute(), one.resolve()))
        """Paths of the hidden files."""
        self._contents: dict[Path, tuple[tuple[int, ...], str]] = {}
        self._found: dict[str, tuple[tuple[_File, ...], ProgramDigest]] = {}
        self._check_at: dict[str, float] = {}
        self._describe_interpreter = cache(describe_interpreter)

    def digest(self, bot: str) -> ProgramDigest | None:
        """Return the digest of a bot's program; None if it has none."""
        program = self._programs.get(bot)
        if program is None:
            return None
        if bot in self._found and time.monotonic() < self._check_at[bot]:
            return self._found[bot][1]
        begun = time.monotonic()
        files = tuple(_list_files(program, self.hidden))
        if bot not in self._found or self._found[bot][0] != files:
            self._found[bot] = (files, self._digest(program, files))
        self._check_at[bot] = time.monotonic() + _CHECK_SHARE * (time.monotonic() - begun)
        return self._found[bot][1]

    def list_paths(self, bot: str) -> dict[str, Path]:
        """Return the path of each file in the listing of the last digest of a bot's program."""
        files, digest = self._found[bot]
        return {file.name: file.path for file in files if file.name in digest.listing}

    def _digest(self, program: Program, files: Sequence[_File]) -> ProgramDigest:
        interpreter = find_interpreter(program)
        version = "" if interpreter is None else self._describe_interpreter(interpreter)
        entries: dict[str, tuple[str, str]] = {}
        size = hashed = 0
        unread: list[int] = []
        for file in files[:MOST_FILES]:
            mode, file_size = file.signature[:2]
            size += file_size
            if stat.S_ISREG(mode) and hashed + file_size > MOST_BYTES and not file.is_named:
                unread.append(file_size)
                entries[file.name] = ("size", str(file_size))
                continue
            content = self._digest_file(file)
            if stat.S_ISREG(mode) and file_size > MOST_BYTES:
                unread.append(file_size - MOST_BYTES)
                content += f" {file_size}"
            hashed += 0 if file.is_named else file_size  # a huge program must not hide the files next to it
            entries[file.name] = (_kind(mode), content)
        left_out = [f"the contents of {len(unread)} files ({sum(unread) / 2**20:.0f} MiB)"] * bool(unread)
        left_out += [f"all but {MOST_FILES} files"] * (len(files) > MOST_FILES)
        encoded = msgspec.msgpack.encode((version, sorted(entries.items()), left_out))
        return ProgramDigest(
            digest=hashlib.sha256(encoded).hexdigest(),
            interpreter=version,
            files=len(entries),
            size=size,
            left_out="; ".join(left_out),
            listing={name: f"{kind} {digest[:DIGITS]}" for name, (kind, digest) in entries.items()},
        )

    def _digest_file(self, file: _File) -> str:
        known = self._contents.get(file.path)
        if known is None or known[0] != file.signature:
            known = self._contents[file.path] = (file.signature, _digest_content(file))
        return known[1]


def _digest_content(file: _File) -> str:
    mode = file.signature[0]
    try:
        if stat.S_ISLNK(mode):
            return hashlib.sha256(os.fsencode(os.readlink(file.path))).hexdigest()  # noqa: PTH115 - Path changes it
        if stat.S_ISREG(mode):
            return hash_start(file.path, MOST_BYTES)
    except OSError as error:
        return f"unreadable: {error.strerror}"
    return ""


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "program" if mode & stat.S_IXUSR else "file"
    return "link" if stat.S_ISLNK(mode) else "special"


# --- files ----------------------------------------------------------------------------------------


def _list_files(program: Program, hidden: Collection[str]) -> Iterator[_File]:
    """List the files that a command names, then those of the bot's folder and of the paths that it may read.

    One more than MOST_FILES at most.
    """
    named = list(_named_files(program))
    yield from named
    left = MOST_FILES + 1 - len(named)
    listed = {file.name for file in named}
    # A submission must not decide what counts, so files of the operator are left out only in the operator's folder.
    is_operators = program.base is None or program.folder.resolve() == program.base.resolve()
    places = [] if is_shared(program.folder.resolve()) else [("", program.folder, is_operators)]
    places += [(f"read{number}:", path, False) for number, path in enumerate(program.read)]
    for label, place, is_operators in places:
        for file in _walk(place, label, hidden, is_operators=is_operators):
            if left <= 0:
                return
            if file.name not in listed:
                left -= 1
                yield file


def _named_files(program: Program) -> Iterator[_File]:
    """List the regular files that a command names, without interpreters and tools of the system."""
    for number, word in enumerate(dict.fromkeys((*program.argv, *program.inner))):
        path = Path(word)
        if not path.is_absolute() or not path.is_file() or is_interpreter(path, program):
            continue
        name = f"{number}:{path.name}"  # by its content, if it is a link or elsewhere
        if path.is_relative_to(program.folder) and not path.is_symlink():
            name = str(path.relative_to(program.folder))
        yield _File(name, path, _sign(path.stat()), is_named=True)


def _walk(place: Path, label: str, hidden: Collection[str], *, is_operators: bool) -> Iterator[_File]:
    """List the files in a folder and its folders in a fixed order; links are listed and not followed."""
    try:
        if not place.is_dir():
            yield _File(label, place, _sign(place.stat()))
            return
        with os.scandir(place) as found:
            entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
    except OSError:
        return
    for entry in entries:
        path = Path(entry.path)
        if _is_ignored(entry, hidden) or (is_operators and _is_operators(entry)):
            continue
        name = f"{label}{entry.name}".encode("utf-8", "backslashreplace").decode()
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, f"{name}/", hidden, is_operators=is_operators)
            continue
        try:
            yield _File(name, path, _sign(entry.stat(follow_symlinks=False)))
        except OSError:  # it has just been removed
            continue


def _is_ignored(entry: "os.DirEntry[str]", hidden: Collection[str]) -> bool:
    if _COMPANION.sub(".sqlite", entry.path) in hidden:
        return True
    if entry.is_dir(follow_symlinks=False):
        return entry.name in _IGNORED_FOLDERS
    return _IGNORED_FILES.fullmatch(entry.name) is not None


def _is_operators(entry: "os.DirEntry[str]") -> bool:
    """Return True for results and reports of this arbiter, and for files of editors."""
    if entry.is_dir(follow_symlinks=False):
        return Path(entry.path, _REPORT_MARK).exists()
    if _OPERATORS_FILES.fullmatch(entry.name):
        return True
    signature, application, offset = _RESULTS_HEADER
    header = read_start(Path(entry.path), 100) if entry.name.endswith(".sqlite") and not entry.is_symlink() else b""
    return header.startswith(signature) and header[offset : offset + 4] == application


def _sign(found: os.stat_result) -> tuple[int, ...]:
    return found.st_mode, found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns

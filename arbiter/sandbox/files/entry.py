"""The files that belong to a bot's entry: they are digested, copied, sent to other machines and shown to the bot.

`list_entry` decides this for all of them.  `.arbiterignore` in the folder of a bot names further files to leave out.
"""

import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from arbiter.sandbox.files.interpreters import is_interpreter
from arbiter.sandbox.files.links import Forbidden, quote_path
from arbiter.sandbox.files.toolchains import is_shared
from arbiter.sandbox.files.untrusted import KINDS, read_start
from arbiter.sandbox.files.visible import HiddenFiles, is_hidden_name
from arbiter.sandbox.isolation import Program

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MOST_FILES: Final = 20_000
"""Files of an entry."""
MOST_SIZE: Final = 2 << 30
"""Bytes of an entry."""
MOST_DEPTH: Final = 200
"""Folders in each other in an entry."""
IGNORE_FILE: Final = ".arbiterignore"
"""File in the folder of a bot with patterns in git's syntax; it can take back the usual ones with `!`."""
USUAL_PATTERNS: Final = (
    # version control, caches and files of editors
    *(".git/", ".hg/", ".svn/", ".jj/", ".gitignore", ".gitattributes", IGNORE_FILE),
    *(".mypy_cache/", ".pytest_cache/", ".ruff_cache/", ".hypothesis/", ".tox/", ".nox/", ".ipynb_checkpoints/"),
    *("__pycache__/", "!**/site-packages/**/__pycache__/", "!**/dist-packages/**/__pycache__/"),
    *(".idea/", ".vscode/", ".vs/", "*~", ".#*", r"\#*#", ".*.sw?", ".DS_Store", "Thumbs.db"),
    # output, notes and what the arbiter writes
    *(
        "*.log",
        "nohup.out",
        "*.void.txt",
        "*.md",
        "/README",
        "/README.*",
        "/LICENSE",
        "/LICENSE.*",
        "/notes.txt",
        "/NOTES",
        "/TODO",
    ),
)
"""The patterns of files that never belong to an entry.  Of installed packages, compiled modules belong to it."""

_REPORT_MARK: Final = ".arbiter-report"
_RESULTS: Final = re.compile(rb"SQLite format 3\0.{52}SARB", re.DOTALL)  # signature, and id of the application
COMPANIONS: Final = ("-wal", "-shm", "-journal", ".lock", ".running", ".running.new", ".live", ".entries")
"""The ends of the names of files that belong to a results file and have its name before the end."""
_NEIGHBOURS: Final = (".submissions", ".invites", ".invites-lock", ".matches")
"""The ends of the names of files and folders that have its name without `.sqlite` before the end."""
_RECORD: Final = b'{"type":"game","format":'


class EntryFile(Struct, frozen=True):
    """A file, a link, or something else in the folder of a bot."""

    name: str
    """Name in listings: the path in the folder, or a label, a colon and a path for files elsewhere."""
    path: Path
    signature: tuple[int, ...]
    """Mode, size, inode, and times of the last changes of content and properties in nanoseconds."""
    is_named: bool = False
    """True if the command names the file: then it belongs to the entry whatever it is called."""
    is_declared: bool = False
    """True for files that the operator declares with `read`: they are digested, but neither copied nor sent."""

    @property
    def mode(self) -> int:
        return self.signature[0]

    @property
    def size(self) -> int:
        return self.signature[1]


def list_entry(program: Program, hidden: HiddenFiles = HiddenFiles()) -> list[EntryFile]:  # noqa: B008 - it is frozen
    """List what belongs to the entry of a program in a fixed order, one more than MOST_FILES at most.

    These are the files that the command names, those in the folder of the bot, and those that it may read.  Left out
    are hidden files, those that the usual patterns or IGNORE_FILE name, results, records and reports of the arbiter,
    and the file into which this process writes its output.  Patterns leave nothing out of an entry that was examined.
    Links are listed and not followed; of a folder that cannot be listed, only its own name is.

    Raises Forbidden if IGNORE_FILE is faulty.
    """
    found: dict[str, EntryFile] = {}
    for number, word in enumerate(dict.fromkeys((*program.argv, *program.inner))):
        path = Path(word)
        if path.is_absolute() and path.is_file() and not is_interpreter(path, program):
            name = f"{number}:{path.name}"  # by its content, if it is a link or elsewhere
            if path.is_relative_to(program.folder) and not path.is_symlink():
                name = str(path.relative_to(program.folder))
            found[name] = EntryFile(name, path, sign_file(path.stat()), is_named=True)
    if not is_shared(program.folder.resolve()):
        rules = _Rules(program.folder, hidden, has_file=True, is_entry=program.examined is not None)
        for file in rules.walk(program.folder, "", ""):
            found.setdefault(file.name, file)
            if len(found) > MOST_FILES:
                break
    return [*found.values(), *list_declared(program, hidden, MOST_FILES + 1 - len(found))]


def list_declared(program: Program, hidden: HiddenFiles, most: int = MOST_FILES) -> list[EntryFile]:
    """List the files that the operator declares with `read` in a fixed order, `most` of them at most."""
    found = (
        file
        for number, place in enumerate(program.read)
        for file in _Rules(place, hidden, has_file=False).walk(place, f"read{number}:", "")
    )
    return list(islice(found, most))


def check_entry(program: Program, files: Iterable[EntryFile], hidden: HiddenFiles) -> None:
    """Check that an entry is not too large and contains no pipe, socket, device or other name of a hidden file.

    Two copies of a bot could communicate through a pipe, although they may not write to their folder; through a socket
    they could reach a program outside their sandbox.  Files that the operator declares count only as other names.

    Raises Forbidden.
    """
    known = {
        (found.st_dev, found.st_ino): path
        for file in hidden.files
        if file.parent.is_dir()
        for path in file.parent.glob(f"{file.name}*")
        for found in [path.stat()]
    }
    inodes = {inode for _, inode in known}
    size = count = 0
    for file in files:
        if file.signature[2] in inodes:
            found = file.path.lstat()
            original = known.get((found.st_dev, found.st_ino))
            if original is not None and original.resolve() != file.path.resolve():
                raise Forbidden(f"{quote_path(file.path)} is another name of {original}; remove it")
        if file.is_declared:
            continue
        if stat.S_ISDIR(file.mode):
            is_deep = file.name.count("/") > MOST_DEPTH
            fault = f"folders are nested more than {MOST_DEPTH} deep; leave them out"
            raise Forbidden(f"{quote_path(file.path)}: {fault if is_deep else 'cannot be listed; remove it'}")
        if not (stat.S_ISREG(file.mode) or stat.S_ISLNK(file.mode)):
            raise Forbidden(
                f"{quote_path(file.path)} is {KINDS[stat.S_IFMT(file.mode)]}, which no bot may have; remove it"
            )
        count += 1
        size += file.size
    if count > MOST_FILES or size > MOST_SIZE:
        fault = f"more than {MOST_FILES:,} files" if count > MOST_FILES else f"files of {size / 2**30:.1f} GiB"
        raise Forbidden(
            f"{quote_path(program.folder)} contains {fault}, more than an entry may have ({MOST_FILES:,} files, "
            f"{MOST_SIZE >> 30} GiB); name what the bot does not need in {IGNORE_FILE}, or keep large data elsewhere "
            "and declare them with `read`"
        )


def sign_file(found: os.stat_result) -> tuple[int, ...]:
    """Return the signature of a file; another one shows that the file may have changed."""
    return found.st_mode, found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns


# --- what is left out -----------------------------------------------------------------------------


class _Rules:
    """The rules for one folder of an entry, and the way through it."""

    def __init__(self, place: Path, hidden: HiddenFiles, *, has_file: bool, is_entry: bool = False) -> None:
        self._ignored = None if is_entry else _read_patterns(place if has_file else None)
        self._is_declared = not has_file
        self._until = time.monotonic() + _MOST_MATCHING_S
        self._files: dict[str, list[str]] = {}
        self._folders: set[str] = set()
        for path in hidden.files:
            for folder in {path.absolute().parent, path.parent.resolve()}:
                self._files.setdefault(str(folder), []).append(path.name)
        for path in hidden.folders:
            if not place.resolve().is_relative_to(path.resolve()):
                self._folders |= {str(path.absolute()), str(path.resolve())}
        self._outputs = set()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # it is closed, or no file of the system
                found = os.fstat(stream.fileno())
                self._outputs.add((found.st_dev, found.st_ino))

    def walk(self, folder: Path, label: str, below: str, depth: int = 0) -> Iterator[EntryFile]:
        """List the files in a folder and its folders; `below` is the path from the folder of the bot, with a slash."""
        try:
            if not label.endswith("/") and not folder.is_dir():
                yield EntryFile(label, folder, sign_file(folder.stat()), is_declared=True)
                return
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
        except OSError:
            entries = None
        if entries is None or depth > MOST_DEPTH:
            with suppress(OSError):
                yield EntryFile(label or "./", folder, sign_file(folder.lstat()), is_declared=self._is_declared)
            return
        hidden = self._files.get(str(folder), ())
        # Only SQLite may open hidden results: if another file of this process on them is closed, their locks are gone.
        entries = [entry for entry in entries if not any(is_hidden_name(entry.name, name) for name in hidden)]
        results = [entry.name.removesuffix(".sqlite") for entry in entries if _is_results(entry)]
        beside = (".sqlite", *(f".sqlite{end}" for end in COMPANIONS), *_NEIGHBOURS)
        belonging = {f"{stem}{end}" for stem in results for end in beside}
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            relative = f"{below}{entry.name}"
            if (
                self._is_ignored(f"{relative}/" if is_folder else relative)
                or entry.name in belonging
                or (is_folder and (entry.path in self._folders or Path(entry.path, _REPORT_MARK).exists()))
                or _is_record(entry)
            ):
                continue
            name = f"{label}{entry.name}".encode("utf-8", "backslashreplace").decode()
            if is_folder:
                yield from self.walk(Path(entry.path), f"{name}/", f"{relative}/", depth + 1)
                continue
            with suppress(OSError):  # it has just been removed
                signature = entry.stat(follow_symlinks=False)
                if (signature.st_dev, signature.st_ino) not in self._outputs:
                    yield EntryFile(name, Path(entry.path), sign_file(signature), is_declared=self._is_declared)

    def _is_ignored(self, name: str) -> bool:
        if time.monotonic() > self._until:
            raise Forbidden(f"{IGNORE_FILE}: takes more than {_MOST_MATCHING_S} s; write simpler patterns")
        return self._ignored is not None and self._ignored.match_file(name)


def _is_results(entry: "os.DirEntry[str]") -> bool:
    if not entry.name.endswith(".sqlite") or entry.is_symlink():
        return False
    return _RESULTS.match(read_start(Path(entry.path), 100)) is not None


def _is_record(entry: "os.DirEntry[str]") -> bool:
    if not entry.name.endswith(".jsonl") or entry.is_symlink():
        return False
    return read_start(Path(entry.path), len(_RECORD)) == _RECORD


# --- patterns -------------------------------------------------------------------------------------


_MOST_TEXT: Final = 65_536  # bytes of IGNORE_FILE
_MOST_LINES: Final = 200
_MOST_STARS: Final = 4  # in a pattern, half of them in one name: more take too long on names made for that
_MOST_MATCHING_S: Final = 20


def _read_patterns(folder: Path | None) -> "GitIgnoreSpec":
    """Read the patterns of a folder of a bot, after the usual ones.  Default: only these.  Raises Forbidden."""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only for bots with files of their own

    text = b"" if folder is None else read_start(folder / IGNORE_FILE, _MOST_TEXT + 1)
    lines = text.decode("utf-8", "replace").splitlines()
    place = IGNORE_FILE if folder is None else quote_path(folder / IGNORE_FILE)
    if len(text) > _MOST_TEXT or len(lines) > _MOST_LINES:
        raise Forbidden(f"{place}: is longer than {_MOST_LINES} lines or {_MOST_TEXT >> 10} KiB; shorten it")
    for number, line in enumerate(lines, 1):
        most = max(part.count("*") for part in line.split("/"))
        if not line.startswith("#") and (line.count("*") > _MOST_STARS or most > _MOST_STARS // 2):
            raise Forbidden(
                f"{place}, line {number}: has more than {_MOST_STARS} stars, or more than {_MOST_STARS // 2} in one "
                "name; write several patterns"
            )
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            raise Forbidden(
                f"{place}, line {number}: is not a pattern in git's syntax; correct it, or remove the line"
            ) from None
    return GitIgnoreSpec.from_lines([*USUAL_PATTERNS, *lines])

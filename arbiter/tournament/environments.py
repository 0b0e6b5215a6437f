"""Python environments outside the folders of bots: bots use them in place, so the digests include their packages."""

import hashlib
import os
import stat
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arbiter.sandbox.files.entry import MOST_SIZE, sign_file
from arbiter.sandbox.files.toolchains import is_shared
from arbiter.sandbox.isolation import Program

LABEL: Final = "environment:"
"""Start of the names of packages in the listing of a program."""
_MOST_FILES: Final = 50_000  # of an environment
_CHECK_SHARE: Final = 50  # looking for changes takes at most a fiftieth of the time

_Signed = tuple[str, str, tuple[int, ...]]  # package, path, signature


class Packages(Struct, frozen=True):
    """The packages of an environment."""

    digests: dict[str, str] = {}
    """SHA-256 of the names, kinds and contents of the files of each package, by its name with LABEL."""
    left_out: tuple[str, ...] = ()
    """Files and contents that the limits left out."""


class EnvironmentDigests:
    """The digests of packages, computed again only for files that seem changed.  Methods may take seconds."""

    def __init__(self, digest_file: Callable[[str, tuple[int, ...]], str]) -> None:
        """Digest nothing yet; `digest_file` returns the digest of a file with a signature."""
        self._digest_file = digest_file
        self._found: dict[Path, tuple[list[_Signed], Packages]] = {}
        self._check_at: dict[Path, float] = {}

    def digest(self, program: Program, interpreter: Path | None) -> Packages:
        """Return the packages of the environment of a program; none if it has none, or if it belongs to its entry."""
        home = None if interpreter is None else find_environment(program, interpreter)
        if home is None:
            return Packages()
        if home not in self._found or time.monotonic() >= self._check_at[home]:
            begun = time.thread_time()
            files = sorted(_list_files(home))
            took = time.thread_time() - begun
            if home not in self._found or self._found[home][0] != files:
                self._found[home] = (files, self._digest(files))
            self._check_at[home] = time.monotonic() + _CHECK_SHARE * took
        return self._found[home][1]

    def look_again(self) -> None:
        """Look for changes of all environments, even if that was done a moment ago."""
        self._check_at = dict.fromkeys(self._found, 0.0)

    def _digest(self, files: list[_Signed]) -> Packages:
        contents: dict[str, list[tuple[str, int, str]]] = defaultdict(list)
        left = MOST_SIZE
        unread = []
        for package, path, signature in files[:_MOST_FILES]:
            size = signature[1]
            if size <= left:
                left -= size
                content = self._digest_file(path, signature)
            else:
                content = str(size)
                unread.append(size)
            place = path.rpartition("/site-packages/")[2].encode("utf-8", "backslashreplace").decode()
            contents[package].append((place, stat.S_IFMT(signature[0]) | signature[0] & stat.S_IXUSR, content))
        left_out = [f"the contents of {len(unread)} files of packages ({sum(unread) / 2**20:.0f} MiB)"] * bool(unread)
        left_out += [f"all but {_MOST_FILES} files of packages"] * (len(files) > _MOST_FILES)
        digests = {
            f"{LABEL}{package}": hashlib.sha256(msgspec.msgpack.encode(found)).hexdigest()
            for package, found in contents.items()
        }
        return Packages(digests, tuple(left_out))


def find_environment(program: Program, interpreter: Path) -> Path | None:
    """Return the folder of the environment that an interpreter belongs to.

    None if it has none, if it is part of the bot's entry, or if it is that of the arbiter, which changes with it.
    """
    home = interpreter.parent.parent
    is_own = home.is_relative_to(program.folder) and not is_shared(program.folder.resolve())
    if is_own or home.resolve() == Path(sys.prefix).resolve():
        return None
    return home if (home / "pyvenv.cfg").is_file() or (home / "conda-meta").is_dir() else None


def _list_files(home: Path) -> Iterator[_Signed]:
    """Yield the files of all packages, one more than _MOST_FILES at most, without those that Python compiles itself."""
    folders = [("", str(path)) for path in home.glob("lib/python3*/site-packages")]
    count = 0
    while folders:
        package, folder = folders.pop()
        with suppress(OSError), os.scandir(folder) as found:
            for entry in sorted(found, key=lambda entry: entry.name):
                name = package or entry.name.encode("utf-8", "backslashreplace").decode()
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != "__pycache__":
                        folders.append((name, entry.path))
                    continue
                with suppress(OSError):  # it has just been removed
                    yield name, entry.path, sign_file(entry.stat(follow_symlinks=False))
                    count += 1
                    if count > _MOST_FILES:
                        return

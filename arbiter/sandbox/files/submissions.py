"""Checks of the folders that bots were submitted in, before the first game."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Final

from arbiter.sandbox.files.links import Forbidden, quote_path
from arbiter.sandbox.files.visible import HiddenFiles, find_own
from arbiter.sandbox.isolation import Program

_MAX_ENTRIES: Final = 2_000_000
_MAX_DEPTH: Final = 200
_KINDS: Final = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}


def check_contents(program: Program, hidden_files: HiddenFiles) -> None:
    """Check that a bot's own files contain no pipe, socket, device or other name of a secret.

    Two copies of a bot could communicate through a pipe, although they may not write to their folder; through a socket
    they could reach a program outside their sandbox.  Raises Forbidden.
    """
    known = {
        (found.st_dev, found.st_ino): path
        for file in hidden_files.files
        if file.parent.is_dir()
        for path in file.parent.glob(f"{file.name}*")
        for found in [path.stat()]
    }
    inodes = {inode for _, inode in known}
    count = 0
    for entry in _walk(find_own(program)):
        count += 1
        if count > _MAX_ENTRIES:
            raise Forbidden(f"{program.folder} contains more than {_MAX_ENTRIES:,} files; leave out what is not needed")
        if entry.is_symlink() or entry.is_dir(follow_symlinks=False):
            continue
        if not entry.is_file(follow_symlinks=False):
            what = _KINDS.get(stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode), "a device")
            raise Forbidden(f"{quote_path(Path(entry.path))} is {what}, which no bot may have; remove it")
        if entry.inode() in inodes:
            found = entry.stat(follow_symlinks=False)
            original = known.get((found.st_dev, found.st_ino))
            if original is not None and original.resolve() != Path(entry.path).resolve():
                raise Forbidden(f"{quote_path(Path(entry.path))} is another name of {original}; remove it")


def find_shared(programs: Sequence[Program]) -> Iterator[str]:
    """Yield a warning for each folder in which bots can read the files of others."""
    strangers = [program for program in programs if not program.trusted]
    named = {program.name: _named_files(program) for program in strangers}
    readers: dict[Path, dict[str, None]] = {}
    for reader, other in permutations(strangers, 2):
        foreign = named[other.name] - named[reader.name]
        for path in (path.resolve() for path in find_own(reader)):
            if any(file.is_relative_to(path) for file in foreign):
                readers.setdefault(path, {})[reader.name] = None
    for path, names in readers.items():
        yield f"{', '.join(names)} can read files of other bots in {path}; give each bot a folder of its own"


def _named_files(program: Program) -> set[Path]:
    """Return the files of a bot's own folder that its command names, or else the folder."""
    words = (word for argv in (program.argv, program.inner) for word in argv if word.startswith("/"))
    files = {path.resolve() for path in map(Path, words) if path.is_relative_to(program.folder) and path.exists()}
    return files or {program.folder.resolve()}


def _walk(paths: Iterable[Path]) -> Iterator[os.DirEntry[str]]:
    folders = [(path, 0) for path in paths if path.is_dir()]
    while folders:
        folder, depth = folders.pop()
        if depth > _MAX_DEPTH:
            raise Forbidden(f"{quote_path(folder)}: folders are nested more than {_MAX_DEPTH} deep; leave them out")
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        folders.append((Path(entry.path), depth + 1))
        except OSError as error:
            raise Forbidden(f"{quote_path(folder)}: cannot be listed: {error.strerror}; remove it") from None

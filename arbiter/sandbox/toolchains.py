"""The files that a command needs besides the system folders: interpreters, libraries, and declared paths.

Only recognised toolchains are shown.  Of any other program only its own file is shown: a folder such as ~/.local
holds tools next to secrets.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from arbiter.sandbox.isolation import Program

# System folders, which every sandbox shows.
SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")

_SYSTEM_PATHS: Final = tuple(map(Path, (*SYSTEM, "/etc/alternatives")))

# Shared folders; a folder that contains one of them counts as shared too.
_SHARED: Final = tuple(map(Path, ("/tmp", "/etc", "/var", "/proc", "/dev", "/sys", "/run", "/home", "/root")))  # noqa: S108

# Files that identify the folder of an interpreter: Python, Node.js, Java.
_MARKS: Final = ("pyvenv.cfg", "lib/python3*/os.py", "include/node", "lib/modules", "jre/lib")
_BUNDLED: Final = ("protocol", "sample_bots")  # packages for bots that come with the arbiter
_MAX_LINKS: Final = 40


def visible(program: Program) -> tuple[Path, ...]:
    """List the files and folders that a program is shown, none of them inside another or inside a system folder.

    Its own folder is one of them.  If that is a shared folder or contains one, only the files that its command
    names are shown.
    """
    folder = program.folder.resolve()
    if any(is_within(path, [folder]) for path in (*_SHARED, Path.home())):
        files = (Path(word) for word in program.argv)
        own = {path for path in files if path.is_file() and is_within(path, [program.folder])}
    else:
        own = {program.folder}
    wanted = {*own, *program.read, *_find_toolchain(program.argv), *_find_toolchain(program.inner)}
    kept: list[Path] = []
    for path in sorted(wanted, key=lambda path: len(path.parts)):
        if not is_within(path, (*_SYSTEM_PATHS, *kept)):
            kept.append(path)
    return tuple(kept)


def hidden(secrets: Iterable[Path], shown: Iterable[Path]) -> tuple[Path, ...]:
    """List the secret files and folders among those that are shown, by their paths in the sandbox."""
    found = [path for secret in secrets for path in secret.parent.resolve().glob(secret.name) if path.exists()]
    roots = [(path, path.resolve()) for path in shown]
    return tuple(path / one.relative_to(real) for one in found for path, real in roots if one.is_relative_to(real))


def is_within(path: Path, folders: Iterable[Path]) -> bool:
    """Return True if a path is one of the folders or inside one."""
    return any(path.is_relative_to(folder) for folder in folders)


def is_of_toolchain(path: Path) -> bool:
    """Return True if a program belongs to an interpreter, as `python` does in a virtual environment."""
    return path.parent.name == "bin" and _is_toolchain(path.parent.parent)


def _find_toolchain(argv: tuple[str, ...]) -> Iterator[Path]:
    """Find the folders of the toolchain that runs a command; if it is no toolchain's, the files of the program."""
    for path in _follow_links(Path(argv[0])) if argv else ():
        if is_of_toolchain(path):
            yield from _toolchain_folders(path.parent.parent)
        elif path.is_file():
            yield path


def _follow_links(path: Path) -> Iterator[Path]:
    """Follow a program through its symbolic links and to the interpreter in its first line."""
    for _ in range(_MAX_LINKS):
        yield path
        if path.is_symlink():
            path = path.parent / path.readlink()
        elif (interpreter := _read_interpreter(path)) is not None:
            path = interpreter
        else:
            return


def _read_interpreter(path: Path) -> Path | None:
    try:
        with path.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return None
    words = first[2:].split() if first.startswith(b"#!") else []
    return Path(words[0].decode("utf-8", "surrogateescape")) if words else None


def _is_toolchain(folder: Path) -> bool:
    return folder != Path("/") and any(any(folder.glob(mark)) for mark in _MARKS)


def _toolchain_folders(home: Path) -> Iterator[Path]:
    """List the folders of a toolchain: its own, also by its real path, and the base of a virtual environment."""
    yield home
    yield home.resolve()
    if (base := _find_base(home)) is not None:
        yield base
        yield base.resolve()
    if home == Path(sys.prefix):
        for name in _BUNDLED:
            spec = find_spec(name)
            yield from map(Path, (spec and spec.submodule_search_locations) or ())


def _find_base(home: Path) -> Path | None:
    """Find the Python installation that a virtual environment is based on."""
    try:
        lines = (home / "pyvenv.cfg").read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return None
    home_of_base = next((line.split("=", 1)[1].strip() for line in lines if re.match(r"home\s*=", line)), None)
    base = None if home_of_base is None else Path(home_of_base).parent
    return base if base is not None and _is_toolchain(base) else None

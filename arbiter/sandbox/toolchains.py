"""What a command needs of the machine besides the system's own folders: interpreters, libraries, what is declared.

Only what is recognised is shown, and of a program that is none of these just its own file: a folder such as ~/.local
holds tools and secrets side by side.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from arbiter.sandbox.program import Program

# The system's own, which every sandbox shows anyway.
SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")

_OF_THE_SYSTEM: Final = tuple(map(Path, (*SYSTEM, "/etc/alternatives")))

# Folders of everybody's; one that holds one of them is no better.
_COMMON: Final = tuple(map(Path, ("/tmp", "/etc", "/var", "/proc", "/dev", "/sys", "/run", "/home", "/root")))  # noqa: S108

# What tells the folder of an interpreter (Python, Node.js, Java) from one in which somebody keeps programs.
_MARKS: Final = ("pyvenv.cfg", "lib/python3*/os.py", "include/node", "lib/modules", "jre/lib")
_OURS: Final = ("protocol", "sample_bots")
_MOST_LINKS: Final = 40


def visible(program: Program) -> tuple[Path, ...]:
    """List the files and folders that a program is shown, none of them inside another or the system's own.

    Its folder is one of them, unless much lies there that is none of a bot's business: then just the files
    that its command names.
    """
    wanted = {*_own(program), *program.read, *_toolchains(program.argv), *_toolchains(program.inner)}
    kept: list[Path] = []
    for path in sorted(wanted, key=lambda path: len(path.parts)):
        if not is_within(path, (*_OF_THE_SYSTEM, *kept)):
            kept.append(path)
    return tuple(kept)


def _own(program: Program) -> set[Path]:
    folder = program.folder.resolve()
    if not any(is_within(path, [folder]) for path in (*_COMMON, Path.home())):
        return {program.folder}
    return {path for word in program.argv if (path := Path(word)).is_file() and is_within(path, [program.folder])}


def hidden(secrets: Iterable[Path], shown: Iterable[Path]) -> tuple[Path, ...]:
    """List the files and folders among what is shown that are secret, as they would be found there."""
    found = [path for secret in secrets for path in secret.parent.resolve().glob(secret.name) if path.exists()]
    roots = [(path, path.resolve()) for path in shown]
    return tuple(path / one.relative_to(real) for one in found for path, real in roots if one.is_relative_to(real))


def is_within(path: Path, folders: Iterable[Path]) -> bool:
    """Tell whether a path is one of the folders or lies in one."""
    return any(path.is_relative_to(folder) for folder in folders)


def is_of_toolchain(path: Path) -> bool:
    """Tell whether a program is one of an interpreter's own, as `python` is in a virtual environment."""
    return path.parent.name == "bin" and _is_toolchain(path.parent.parent)


def _toolchains(argv: tuple[str, ...]) -> Iterator[Path]:
    for path in _chain(Path(argv[0])) if argv else ():
        if is_of_toolchain(path):
            yield from _whole(path.parent.parent)
        elif path.is_file():
            yield path


def _chain(path: Path) -> Iterator[Path]:
    """Follow a program through its links, one by one, and to the interpreter that its first line names."""
    for _ in range(_MOST_LINKS):
        yield path
        if path.is_symlink():
            path = path.parent / path.readlink()
        elif (interpreter := _interpreter(path)) is not None:
            path = interpreter
        else:
            return


def _interpreter(path: Path) -> Path | None:
    try:
        with path.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return None
    words = first[2:].split() if first.startswith(b"#!") else []
    return Path(words[0].decode("utf-8", "surrogateescape")) if words else None


def _is_toolchain(folder: Path) -> bool:
    return folder != Path("/") and any(any(folder.glob(mark)) for mark in _MARKS)


def _whole(home: Path) -> Iterator[Path]:
    """List the folders of a toolchain: its own, under its real name too, and what a virtual environment builds on."""
    yield home
    yield home.resolve()
    if (base := _base(home)) is not None:
        yield base
        yield base.resolve()
    if home == Path(sys.prefix):
        yield from _packages()


def _packages() -> Iterator[Path]:
    """List the folders of what comes with us for bots, wherever it was installed from."""
    for name in _OURS:
        spec = find_spec(name)
        yield from map(Path, (spec and spec.submodule_search_locations) or ())


def _base(home: Path) -> Path | None:
    """Find the Python that a virtual environment builds on."""
    try:
        lines = (home / "pyvenv.cfg").read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return None
    home_of_base = next((line.split("=", 1)[1].strip() for line in lines if re.match(r"home\s*=", line)), None)
    base = None if home_of_base is None else Path(home_of_base).parent
    return base if base is not None and _is_toolchain(base) else None

"""The toolchains of this machine: interpreters with their libraries, found without looking at any bot.

A toolchain is recognised where the operator keeps toolchains: on the PATH, in the folders of the usual version
managers, in /opt and /usr/local.  A bot may use these.  Files in its own folder that look like a toolchain change
nothing.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from arbiter.sandbox.files.untrusted import read_start

# Of /usr/local, the folder of the machine's administrator, only programs and libraries.
LOCAL: Final = Path("/usr/local")
LOCAL_PARTS: Final = ("bin", "lib", "lib32", "lib64", "libexec")

# System folders, which every sandbox shows.
SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")

_SYSTEM_PATHS: Final = tuple(map(Path, (*SYSTEM, "/etc/alternatives")))
_LOCAL_PATHS: Final = tuple(LOCAL / part for part in LOCAL_PARTS)

# Shared folders; a folder that contains one of them counts as shared too.
_SHARED_NAMES: Final = ("tmp", "etc", "var", "proc", "dev", "sys", "run", "home", "root", "opt")
_SHARED: Final = tuple(Path("/", name) for name in _SHARED_NAMES)

# Files that identify the folder of an interpreter or compiler: Python, Node.js, Java, .NET, Rust.
_MARKS: Final = (
    "pyvenv.cfg",
    "lib/python3*/os.py",
    "include/node",
    "lib/modules",
    "jre/lib",
    "shared/Microsoft.NETCore.App",
    "lib/rustlib",
)
# Where toolchains are installed, besides the PATH.
_PLACES: Final = (
    "/opt/*",
    "/usr/local/*",
    "{home}/.pyenv/versions/*",
    "{home}/.nvm/versions/node/*",
    "{home}/.local/share/fnm/node-versions/*/installation",
    "{home}/.volta/tools/image/node/*",
    "{home}/.sdkman/candidates/java/*",
    "{home}/.jdks/*",
    "{home}/.local/share/uv/python/*",
    "{home}/.asdf/installs/*/*",
    "{home}/.local/share/mise/installs/*/*",
    "{home}/*conda3",
    "{home}/*conda3/envs/*",
    "{home}/miniforge3",
    "{home}/miniforge3/envs/*",
    "{home}/.conda/envs/*",
    "{home}/.dotnet",
    "{home}/.rustup/toolchains/*",
)
_VARIABLES: Final = (
    ("PYENV_ROOT", "versions/*"),
    ("NVM_DIR", "versions/node/*"),
    ("SDKMAN_DIR", "candidates/java/*"),
    ("CONDA_PREFIX", ""),
    ("JAVA_HOME", ""),
    ("DOTNET_ROOT", ""),
    ("RUSTUP_HOME", "toolchains/*"),
)
# Of a Python installation or environment, which can be made in any folder, only these parts.
_PYTHON: Final = ("pyvenv.cfg", "lib/python3*/os.py")
_PYTHON_PARTS: Final = (*LOCAL_PARTS, "include", "pyvenv.cfg")
_INTERPRETER: Final = re.compile(
    r"(python|pypy)[\d.]*|node|nodejs|deno|bun|java|dotnet|ruby|perl|php|Rscript|lua[\d.]*"
)
_BUNDLED: Final = ("arbiter", "protocol", "sample_bots")  # seen by bots that use the interpreter of the arbiter
_CONFIGURATION: Final = 65_536  # bytes of pyvenv.cfg that are read


def is_within(path: Path, folders: Iterable[Path]) -> bool:
    """Return True if a path is one of the folders or inside one."""
    return any(path.is_relative_to(folder) for folder in folders)


def is_shared(folder: Path) -> bool:
    """Return True if a folder holds the files of many, or contains such a folder."""
    return any(path.is_relative_to(folder) for path in (*_SHARED, Path.home()))


def is_system(path: Path) -> bool:
    """Return True if every sandbox shows a path."""
    return is_within(path, _LOCAL_PATHS if path.is_relative_to(LOCAL) else _SYSTEM_PATHS)


def is_interpreter(name: str) -> bool:
    """Return True for the name of a program that runs other programs, such as python3."""
    return _INTERPRETER.fullmatch(name) is not None


def is_on_path(program: Path) -> bool:
    """Return True if a program is in a folder that the operator's PATH names, or in one of the usual PATH."""
    return str(program.parent) in (*os.get_exec_path(), *os.defpath.split(os.pathsep))


def find_installation(program: Path) -> Path | None:
    """Return the folder of the interpreter that a program belongs to, by its marks; None if there is none.

    Ask only for programs that the operator chose: anyone who writes a folder can make marks in it.
    """
    folder = program.parent.parent if program.parent.name == "bin" else program.parent
    return folder if _is_installation(folder) else None


def find_toolchain(path: Path) -> Path | None:
    """Return the toolchain of this machine that a path belongs to, the innermost of several."""
    found = (folder for folder in machine_toolchains() if is_within(path, list_parts(folder)))
    return max(found, key=lambda folder: len(folder.parts), default=None)


@cache
def machine_toolchains() -> tuple[Path, ...]:
    """List the toolchains of this machine, by all paths that lead to them."""
    found = [Path(sys.prefix), Path(sys.base_prefix)]
    found += (folder.parent if folder.name == "bin" else folder for folder in map(Path, os.get_exec_path()))
    for variable, pattern in _VARIABLES:
        if value := os.environ.get(variable):
            found += _search(Path(value), pattern) if pattern else [Path(value)]
    for place in _PLACES:
        found += Path("/").glob(place.format(home=Path.home()).lstrip("/"))
    toolchains = [folder for folder in found if folder.is_absolute() and _is_installation(folder)]
    bases = [base for folder in toolchains if (base := find_base(folder)) is not None]
    every = (*toolchains, *bases)
    return tuple(dict.fromkeys((*every, *(folder.resolve() for folder in every))))


@cache
def list_parts(home: Path) -> tuple[Path, ...]:
    """List the parts of a toolchain that programs need.

    A Python environment may also contain the tournament, so never its whole folder.
    """
    if home in (LOCAL, Path.home() / ".local"):
        return tuple(home / part for part in LOCAL_PARTS)
    if any(_search(home, mark) for mark in _PYTHON):
        return tuple(home / part for part in _PYTHON_PARTS)
    return (home,)


def toolchain_folders(home: Path, base: Path) -> Iterator[Path]:
    """Yield the files and folders that a program in a toolchain needs, also by their real paths.

    `base` is the folder of the operator, which is never shown with a toolchain.
    """
    yield from show_parts(home, base)
    yield from base_folders(home, base)
    if home == Path(sys.prefix):
        for name in _BUNDLED:
            spec = find_spec(name)
            yield from map(Path, (spec and spec.submodule_search_locations) or ())


def base_folders(environment: Path, base: Path) -> Iterator[Path]:
    """Yield what a program in a virtual environment needs of its base, which must be a toolchain of this machine."""
    installation = find_base(environment)
    if installation is not None and (is_system(installation.resolve()) or installation in machine_toolchains()):
        yield from show_parts(installation, base)


def show_parts(home: Path, base: Path) -> Iterator[Path]:
    """Yield the parts of a toolchain, and their real paths, that do not contain the folder of the operator.

    Empty folders are left out, such as the headers of most environments.
    """
    for part in list_parts(home):
        if _has_contents(part) and not base.resolve().is_relative_to(part.resolve()):
            yield part
            yield part.resolve()


def _has_contents(part: Path) -> bool:
    try:
        return any(part.iterdir()) if part.is_dir() else part.exists()
    except PermissionError:
        return True


def find_base(home: Path) -> Path | None:
    """Return the Python installation that a virtual environment names as its base."""
    text = read_start(home / "pyvenv.cfg", _CONFIGURATION).decode("utf-8", "replace")
    named = re.search(r"^home[ \t]*=[ \t]*(/.*?)[ \t]*$", text, re.MULTILINE)
    base = None if named is None else Path(os.path.normpath(named[1])).parent
    return base if base is not None and (is_system(base.resolve()) or _is_installation(base)) else None


def _is_installation(folder: Path) -> bool:
    return not is_shared(folder) and any(_search(folder, mark) for mark in _MARKS)


def _search(folder: Path, pattern: str) -> list[Path]:
    """List what matches a pattern in a folder; nothing if this user cannot search it: no bot can use it either."""
    try:
        return list(folder.glob(pattern))
    except OSError:
        return []

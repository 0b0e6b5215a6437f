"""The interpreter that runs a bot: find it, and name its version."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from arbiter.sandbox.files.links import read_words
from arbiter.sandbox.files.toolchains import find_toolchain, is_on_path, is_system, is_within
from arbiter.sandbox.files.untrusted import MOST_BYTES, hash_start
from arbiter.sandbox.isolation import Program

# Programs that run a bot; `--version` makes them print their version, and do nothing else.
_INTERPRETERS: Final = re.compile(
    r"python[\d.]*|pypy[\d.]*|node(js)?|deno|bun|java|dotnet|mono(-sgen)?|ruby[\d.]*|perl[\d.]*|php[\d.]*|julia"
    r"|guile(-[\d.]+)?|bash"
)
_LISTED: Final = ["pypy3", "node", "deno", "bun", "java", "dotnet", "mono", "ruby", "perl", "php", "julia", "guile"]
_VERSION: Final = re.compile(r"(?<=[ v])\d+(\.\d+)+")
_VERSION_S: Final = 10.0
_SYSTEM: Final = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib")))


def is_interpreter(path: Path, program: Program) -> bool:
    """Return True for a program that runs a bot, or belongs to the system, and is not part of the bot."""
    if path == Path(sys.executable) or is_within(path, _SYSTEM):
        return True
    is_known = _INTERPRETERS.fullmatch(path.name) or (is_on_path(path) and is_within(path.resolve(), _SYSTEM))
    return bool(is_known) and not path.is_relative_to(program.folder)


def find_interpreter(program: Program) -> Path | None:
    """Find the interpreter that a command or the first line of its program names."""
    path = Path((program.inner or program.argv)[0])
    if not is_interpreter(path, program):
        words = read_words(path)
        if not words:
            return None
        path = _normalise(words[0])
        if path.name == "env":
            arguments = " ".join(words[1:]).split()
            words = [word for word in arguments if not word.startswith("-") and ("/" not in word or word[0] == "/")]
            found = next(map(shutil.which, words), None)
            path = path if found is None else _normalise(found)
        if not (is_system(path) or is_on_path(path) or find_toolchain(path)):
            return None  # the first line is the bot's, so no other file is read for it
    return path if is_interpreter(path, program) else None


def _normalise(path: str) -> Path:
    """Return a path whose folder is where it seems to be: the first line of a script may name /usr/../secret."""
    folder, name = os.path.split(path)
    return Path(os.path.realpath(folder), name)


def describe_interpreter(path: Path) -> str:
    """Return the name and version of an interpreter; only those that no bot chose are asked for it.

    A link of a bot may lead to any program of the system, which would then run outside the sandbox.
    """
    if path == Path(sys.executable):
        return f"Python {'.'.join(map(str, sys.version_info[:3]))}"
    real = path.resolve()
    is_known = all(_INTERPRETERS.fullmatch(one.name) for one in (path, real))
    if is_known and is_system(real) and (is_system(path) or is_on_path(path)):
        try:
            asked = subprocess.run(  # noqa: S603 - a program of the system
                [str(real), "--version"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                cwd="/",  # some read settings from their working folder
                timeout=_VERSION_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return path.name
        lines = (asked.stdout or asked.stderr).decode("utf-8", "replace").strip().splitlines() or [""]
        return f"{path.name} {lines[0].strip()}"[:200]
    try:
        return f"{path.name} {hash_start(real, MOST_BYTES)[:16]}"
    except OSError:
        return path.name


def list_interpreters() -> dict[str, str]:
    """List the programs of this machine that run bots, besides Python, with their versions."""
    found = {name: path for name in _LISTED if (path := shutil.which(name)) is not None}
    versions = {name: _VERSION.search(describe_interpreter(Path(path))) for name, path in found.items()}
    return {name: version[0] if version else "" for name, version in versions.items()}

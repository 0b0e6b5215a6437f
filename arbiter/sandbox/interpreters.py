"""The interpreter that runs a bot: find it, and name its version."""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from arbiter.sandbox.files.shebang import read_words
from arbiter.sandbox.isolation import Program

# Programs that run a bot; `--version` makes them print their version.
_INTERPRETERS: Final = re.compile(
    r"python[\d.]*|pypy[\d.]*|node(js)?|deno|bun|java|dotnet|mono|ruby[\d.]*|perl[\d.]*|php[\d.]*|julia|guile|bash"
)
_VERSION_S: Final = 10.0
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib")


def is_interpreter(path: Path, program: Program) -> bool:
    """Return True for a program that runs a bot, or belongs to the system, and is not part of the bot."""
    if path == Path(sys.executable) or any(path.is_relative_to(folder) for folder in _SYSTEM):
        return True
    return _INTERPRETERS.fullmatch(path.name) is not None and not path.is_relative_to(program.folder)


def find_interpreter(program: Program) -> Path | None:
    """Find the interpreter that a command or the first line of its program names."""
    path = Path((program.inner or program.argv)[0])
    if not is_interpreter(path, program):
        words = read_words(path)
        if not words:
            return None
        path = Path(words[0])
        if path.name == "env":
            arguments = " ".join(words[1:]).split()
            found = next((shutil.which(word) for word in arguments if not word.startswith("-")), None)
            path = path if found is None else Path(found)
    return path if is_interpreter(path, program) else None


def describe_interpreter(path: Path) -> str:
    """Return the name and version of an interpreter; only those in system folders are asked for it."""
    if path == Path(sys.executable):
        return f"Python {'.'.join(map(str, sys.version_info[:3]))}"
    real = path.resolve()
    if _INTERPRETERS.fullmatch(path.name) and real.is_relative_to("/usr"):
        try:
            asked = subprocess.run(  # noqa: S603 - a program of the system
                [str(real), "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_VERSION_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return path.name
        lines = (asked.stdout or asked.stderr).decode("utf-8", "replace").splitlines() or [""]
        return f"{path.name} {lines[0].strip()}"[:200]
    try:
        with real.open("rb") as file:
            return f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()[:16]}"
    except OSError:
        return path.name

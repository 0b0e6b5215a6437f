"""Files that cannot be started as they are: source code to compile, and programs that another program runs."""

import os
import shlex
from pathlib import Path
from typing import Final

from arbiter.sandbox.files.shebang import read_start

_COMPILERS: Final = {
    ".c": "cc -O2 -o {program} {file}",
    ".cc": "c++ -O2 -o {program} {file}",
    ".cpp": "c++ -O2 -o {program} {file}",
    ".cxx": "c++ -O2 -o {program} {file}",
    ".go": "go build -o {program} {file}",
    ".hs": "ghc -O2 -o {program} {file}",
    ".rs": "rustc -O --crate-name bot -o {program} {file}",
}
"""Command that compiles a file, by its ending."""
_RUNNERS: Final = {
    ".class": "java -cp {folder} {name}",
    ".cs": "dotnet run {file}",
    ".dll": "dotnet {file}",
    ".jar": "java -jar {file}",
    ".java": "java {file}",
}
"""Command that runs a file, by its ending."""
_BINARY: Final = (".class", ".dll", ".jar")  # Linux can be configured to run these if they are executable
_FORMATS: Final = Path("/proc/sys/fs/binfmt_misc")
"""A file for each format of programs that Linux was configured to run with an interpreter (binfmt_misc)."""
_MOST_MAGIC: Final = 256  # bytes of a file that Linux compares
_SCRIPT: Final = (b"#!", b"//usr/", b"///usr/")  # the first line names its interpreter, or is a command of the shell


def explain_source(path: Path, word: str) -> str | None:
    """Explain how to start a file that cannot be started as it is; None if it is no such file.

    `word` is the path as the user wrote it.
    """
    program = word.removesuffix(path.suffix)
    words = {
        "file": shlex.quote(word),
        "program": shlex.quote(program),
        "folder": shlex.quote(str(Path(word).parent)),
        "name": shlex.quote(path.stem),
    }
    is_script = read_start(path, len(max(_SCRIPT, key=len))).startswith(_SCRIPT)
    if os.access(path, os.X_OK) and (_is_known_format(path) if path.suffix in _BINARY else is_script):
        return None
    if compiler := _COMPILERS.get(path.suffix):
        return f"is source code; compile it and name the compiled program: {compiler.format(**words)}"
    if runner := _RUNNERS.get(path.suffix):
        return f'is not started by itself; write a command in quotes, such as "{runner.format(**words)}"'
    return None


def _is_known_format(path: Path) -> bool:
    """Return True if Linux runs files of this format with an interpreter."""
    try:
        entries = [entry.read_text() for entry in _FORMATS.iterdir() if entry.name not in {"register", "status"}]
    except OSError:
        return False
    start = read_start(path, _MOST_MAGIC)
    return any(_fits(entry, path.suffix, start) for entry in entries)


def _fits(entry: str, suffix: str, start: bytes) -> bool:
    """Return True if a format is enabled, and fits a file by its ending or by its first bytes."""
    fields = {name.rstrip(":"): value for name, _, value in (line.partition(" ") for line in entry.splitlines())}
    if "enabled" not in fields or "magic" not in fields:
        return "enabled" in fields and fields.get("extension") == suffix
    magic = bytes.fromhex(fields["magic"])
    mask = bytes.fromhex(fields.get("mask", "ff" * len(magic)))
    found = start[int(fields.get("offset", "0")) :][: len(magic)]
    return len(found) == len(magic) and all((a ^ b) & c == 0 for a, b, c in zip(found, magic, mask, strict=True))

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
_BINARY: Final = (".class", ".dll", ".jar")  # the system may know how to run these if they are executable
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
    if os.access(path, os.X_OK) and (path.suffix in _BINARY or _is_script(path)):
        return None
    if compiler := _COMPILERS.get(path.suffix):
        return f"is source code; compile it and name the compiled program: {compiler.format(**words)}"
    if runner := _RUNNERS.get(path.suffix):
        return f'is not started by itself; write a command in quotes, such as "{runner.format(**words)}"'
    return None


def _is_script(path: Path) -> bool:
    return read_start(path, len(max(_SCRIPT, key=len))).startswith(_SCRIPT)

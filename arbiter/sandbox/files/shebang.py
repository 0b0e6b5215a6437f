"""The first line of a script, read exactly as Linux reads it (fs/binfmt_script.c)."""

import os
import stat
from pathlib import Path
from typing import Final

_BUFFER: Final = 256  # the kernel looks at no more of a file
_BLANKS: Final = b" \t"
_ENDS: Final = b" \t\0"
_FIRST_PRINTABLE: Final = 0x20
_DELETE: Final = 0x7F


class FaultyScript(ValueError):
    """A first line that names no interpreter which could be shown to a bot; the text continues "the first line"."""


def read_interpreter(script: Path) -> Path | None:
    """Return the interpreter that the first line of a script names; None if the file is no script.

    Raises FaultyScript if it is a relative path, or has control characters.
    """
    name = parse_first_line(read_start(script, _BUFFER))
    if name is None:
        return None
    if name.endswith(b"\r"):
        raise FaultyScript("ends with a carriage return, as on Windows; convert the file: sed -i 's/\\r$//' FILE")
    text = name.decode("utf-8", "backslashreplace")
    if any(byte < _FIRST_PRINTABLE or byte == _DELETE for byte in name):
        raise FaultyScript(f"names {text!r}, which contains control characters; name a program of the machine")
    if not name.startswith(b"/"):
        raise FaultyScript(f"names {text!r}, which is no absolute path; write one, such as #!/usr/bin/env {text}")
    return Path(os.fsdecode(name))


def read_words(script: Path) -> list[str]:
    """Return the interpreter and the argument that the first line of a script names; an empty list if it is none."""
    start = read_start(script, _BUFFER)
    name = parse_first_line(start)
    if name is None:
        return []
    argument = start[2:].partition(b"\n")[0].strip(_BLANKS)[len(name) :].strip(_ENDS)
    return [word.decode("utf-8", "replace") for word in (name, argument) if word]


def parse_first_line(start: bytes) -> bytes | None:
    """Return the path of the interpreter from the start of a file; None if the kernel sees no script in it."""
    buffer = start[:_BUFFER].ljust(_BUFFER, b"\0")
    if not buffer.startswith(b"#!"):
        return None
    line, newline, _ = buffer[2:].partition(b"\n")
    if not newline:
        line = line[:-1]
        # Without an end of the path in the buffer, the path may be cut off.
        if not any(byte in _ENDS for byte in buffer[2:].lstrip(_BLANKS)):
            return None
    line = line.strip(_BLANKS)
    return line[: next((place for place, byte in enumerate(line) if byte in _ENDS), len(line))] if line else None


def read_start(path: Path, size: int) -> bytes:
    """Read the start of a regular file; nothing of other files, which could make the arbiter wait forever."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError):
        return b""
    try:
        return os.read(file, size) if stat.S_ISREG(os.fstat(file).st_mode) else b""
    finally:
        os.close(file)

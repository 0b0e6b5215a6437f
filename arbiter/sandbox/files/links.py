"""Follow a command through symbolic links and first lines to the interpreter that runs it.

The operator chooses a command, but the author of the bot chooses the links and scripts in its folder.
These may lead only to what the bot sees anyway and to toolchains of this machine.
"""

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from arbiter.sandbox.files.toolchains import (
    base_folders,
    find_installation,
    find_toolchain,
    is_interpreter,
    is_on_path,
    is_shared,
    is_system,
    is_within,
    show_parts,
    toolchain_folders,
)
from arbiter.sandbox.files.untrusted import read_start

# --- the first line of a script, read exactly as Linux reads it (fs/binfmt_script.c) --------------


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
        raise FaultyScript(f"names {text!r}, which is not an absolute path; write one, such as #!/usr/bin/env {text}")
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


# --- links and scripts ----------------------------------------------------------------------------


_MAX_STEPS: Final = 40
_MAX_QUOTED: Final = 200
_SHORT: Final = 2  # parts of a path such as /home
_OUTSIDE: Final = "which is neither in the bot's folder nor a toolchain of this machine"
_DECLARE: Final = "if the bot may read that file, declare it with `read`"


class Forbidden(Exception):
    """A bot's folder leads to a file that the bot must not read; the text explains it to the operator."""


def find_needed(program: str, base: Path, own: Collection[Path]) -> Iterator[Path]:
    """Yield the files and folders that a program needs besides `own`, the real paths of what its bot sees anyway.

    `base` is the folder of the operator.  Raises Forbidden.
    """
    path = Path(program)
    own = tuple(own)
    is_chosen = True  # by the operator or the machine, not by a bot's folder
    origin = ""
    for _ in range(_MAX_STEPS):
        place = Path(os.path.realpath(path.parent), path.name)
        toolchain = find_toolchain(place)
        belongs_to_machine = toolchain is not None or is_system(place)
        if toolchain is not None:
            yield from _reach(path, place, toolchain, base, is_chosen=is_chosen)
        elif belongs_to_machine or is_within(place, own):
            if is_interpreter(path.name) and (environment := find_installation(path)) is not None:
                yield from base_folders(environment, base)
        elif not is_chosen:
            raise Forbidden(f"{origin} {quote_path(path)}, {_OUTSIDE}; {_DECLARE}")
        elif (installation := _find_chosen(path, (base, *own))) is not None:
            own = (*own, installation.resolve())
            yield from toolchain_folders(installation, base)
        elif path.is_file():
            find_target(path, base, own)
            yield path
        is_chosen = belongs_to_machine or (is_chosen and is_on_path(path))
        step = _follow(path)
        if step is None:
            return
        path, origin = step


def _follow(path: Path) -> tuple[Path, str] | None:
    """Return where a link or a first line leads, and words for it; None for the end.  Raises Forbidden."""
    if path.is_symlink():
        return path.parent / path.readlink(), f"{quote_path(path)} is a symbolic link to"
    try:
        interpreter = read_interpreter(path)
    except FaultyScript as fault:
        raise Forbidden(f"{quote_path(path)}: its first line {fault}") from None
    return None if interpreter is None else (interpreter, f"{quote_path(path)}: its first line names")


def find_target(path: Path, base: Path, own: Collection[Path] = ()) -> Path:
    """Return the real path of a file or folder that the operator named.

    Links in `base`, above it and in folders of the machine are the operator's.  A link in any other folder may be the
    work of a bot's author, and must stay in that folder, in `own` or in a toolchain.  Raises Forbidden.
    """
    real_base = base.resolve()
    real = Path("/")
    for part in path.absolute().parts[1:]:
        step = real.parent if part == ".." else real / part
        target = Path(os.path.realpath(step))
        is_operators = (
            real_base.is_relative_to(real)
            or is_on_path(step)
            or any(is_system(one) or find_toolchain(one) is not None for one in (step, target))
            or (target != real and target.is_relative_to(real))  # else it would show all next to it
            or is_within(target, own)
            or (len(real.parts) <= _SHORT and not real.stat().st_mode & stat.S_IWOTH)
        )
        if step.is_symlink() and not is_operators:
            raise Forbidden(
                f"{quote_path(step)} is a symbolic link out of its folder, to {quote_path(target)}; "
                "if the bot may read that, write its real path in the tournament file"
            )
        real = target
    return real


def _find_chosen(program: Path, others: Collection[Path]) -> Path | None:
    """Return the toolchain that the operator chose with the path of an interpreter; None if others have files in it."""
    installation = find_installation(program) if is_interpreter(program.name) else None
    if installation is None or any(path.resolve().is_relative_to(installation.resolve()) for path in others):
        return None
    return installation


def _reach(path: Path, place: Path, toolchain: Path, base: Path, *, is_chosen: bool) -> Iterator[Path]:
    """Yield a toolchain by its real path and by the path that leads to it."""
    yield from toolchain_folders(toolchain, base)
    if (also := find_toolchain(path)) is not None:
        yield from toolchain_folders(also, base)
    elif is_chosen:
        below = place.relative_to(toolchain).parts
        if path.parts[-len(below) :] == below and not is_shared(alias := Path(*path.parts[: -len(below)])):
            yield from show_parts(alias, base)


def quote_path(path: Path) -> str:
    """Return a path for a message, not longer than a line."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}..."

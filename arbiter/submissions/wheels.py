"""Wheels of submissions in Python: packages that a bot brings with it, installed in the sandbox without a network."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from arbiter.sandbox.files.interpreters import find_interpreter
from arbiter.sandbox.files.untrusted import write_private
from arbiter.sandbox.isolation import Program
from arbiter.submissions import unwheel
from arbiter.submissions.sandboxed import CommandFailed, run_sandboxed
from arbiter.tournament.config.bot_config import OWN_PACKAGES, PACKAGES, BotConfig, SubmittedFiles

WHEELS: Final = "wheels"
"""Folder of a bot with its wheels."""
_PYTHON: Final = ("python", "pypy")


def configure_bot(name: str, command: Sequence[str], folder: Path, submitted: SubmittedFiles) -> BotConfig:
    """Configure a bot with files in a folder, whose Python finds its packages."""
    env = dict([OWN_PACKAGES]) if (folder / PACKAGES).is_dir() else {}
    return BotConfig(name=name, command=list(command), env=env, submitted=submitted)


def has_wheels(folder: Path) -> bool:
    """Return True if there are wheels in the folder of a bot."""
    wheels = folder / WHEELS
    return not wheels.is_symlink() and any(wheels.glob("*.whl"))


def install_wheels(program: Program, archive: Path) -> None:
    """Write an archive with the packages in the wheels of a program, in a folder PACKAGES.  Raises CommandFailed."""
    if os.path.lexists(program.folder / PACKAGES):
        raise CommandFailed(f"the bot has a folder {PACKAGES!r} already; submit either that or wheels")
    interpreter = find_interpreter(program)
    if interpreter is None or not interpreter.name.startswith(_PYTHON):
        runs = "nothing" if interpreter is None else interpreter.name
        raise CommandFailed(f"only Python can use the files in {WHEELS!r}, and {runs} runs this bot; leave them out")
    is_found = str(interpreter) == program.argv[0]
    command = (str(interpreter),) if is_found else ("/usr/bin/env", interpreter.name)
    source = Path(unwheel.__file__).read_text(encoding="utf-8")
    argv = (*command, "-I", "-c", source, WHEELS, PACKAGES)
    write_private(archive, run_sandboxed(replace(program, argv=argv), 'exec "$@"'))

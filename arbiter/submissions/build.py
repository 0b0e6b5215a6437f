"""Builds of submissions: a command that runs in the sandbox, without a network, on a copy of the files."""

import subprocess
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from arbiter.sandbox.files.toolchains import is_on_path
from arbiter.sandbox.files.untrusted import write_private
from arbiter.sandbox.isolation import Program
from arbiter.submissions.sandboxed import CommandFailed, run_sandboxed

# The files are copied, built and packed in the scratch folder of the sandbox, whose size is limited.
_SCRIPT: Final = (
    "export GOCACHE=/tmp/go GOFLAGS=-mod=mod GOPROXY=off; "
    "mkdir /tmp/build && cp -R . /tmp/build/bot && cd /tmp/build/bot && chmod -R u+w . && "
    '"$@" >&2 && cd .. || exit; option=--hard-dereference; tar $option --version >/dev/null 2>&1 || option=; '
    "exec tar $option -cf - bot"  # without the option, which not every tar has, two names of one file are refused
)
_RUSTUP: Final = "rustup"
_RUSTUP_S: Final = 60.0


def build(program: Program, archive: Path) -> None:
    """Build a program by its command in its folder, and write an archive of the result.  Raises CommandFailed."""
    first, *words = _find_compiler(program)
    folder = program.folder  # whose copy has another path
    own = (f"./{Path(word).relative_to(folder)}" if Path(word).is_relative_to(folder) else word for word in words)
    write_private(archive, run_sandboxed(replace(program, argv=(first, *own)), _SCRIPT))


def _find_compiler(program: Program) -> tuple[str, ...]:
    """Return a command with the compiler itself instead of rustup, which runs only with the home of its user.

    Rustup runs without a sandbox here, so it must be that of the organiser.  Raises CommandFailed.
    """
    argv = program.argv
    rustup = Path(argv[0]).resolve()
    if rustup.name != _RUSTUP or not is_on_path(Path(argv[0])) or rustup.is_relative_to(program.folder.resolve()):
        return argv
    command = [str(rustup), "which", Path(argv[0]).name]
    try:
        found = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=_RUSTUP_S, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        raise CommandFailed(f"{argv[0]} names no compiler: {error}; ask the organiser") from None
    return found.stdout.strip(), *argv[1:]

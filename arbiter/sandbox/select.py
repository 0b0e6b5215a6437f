"""The choice of an isolation for bots: the best that the machine supports, or the one that was asked for."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.sandbox.files.links import Forbidden
from arbiter.sandbox.files.submissions import check_contents, find_shared
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.full import Sandbox
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.probe import NoSandbox, open_sandbox
from arbiter.sandbox.process import ProcessIsolation, remove_leftovers

IsolationName = Literal["full", "process"]
SANDBOXED: Final[IsolationName] = "full"

ASKED_FOR: Final = "bots run without a sandbox, as requested: run only programs that you trust"

# A shell script that prints what it cannot run or read: of the arguments, the first is a program, the others are files.
_CHECK: Final = (
    'case $1 in (/*) [ -x "$1" ];; (*) command -v "$1" >/dev/null;; esac || { echo "run $1"; exit 1; }; shift; '
    'for file; do [ -r "$file" ] || { echo "read $file"; exit 1; }; done'
)

_DECLARE: Final = 'declare what it needs, e.g. read = ["/path"]'
_DECLARE_AS_ROOT: Final = f"{_DECLARE}, and because you are root, let everybody read its files (chmod -R o+rX)"


class SelectedIsolation(Struct, frozen=True):
    """An isolation, and a notice for the operator."""

    isolation: Isolation
    notice: str | None = None
    warnings: tuple[str, ...] = ()
    """Things that the operator should change."""


def select_isolation(
    asked: IsolationName | None, programs: Sequence[Program], hidden_files: HiddenFiles | None = None
) -> SelectedIsolation:
    """Choose an isolation for programs, and check that each program can be started in it.

    A sandbox hides `hidden_files`.  Without a sandbox, only trusted programs may play,
    unless no sandbox was asked for.  Raises ConfigError.
    """
    if asked == "process":
        return _without_sandbox(ASKED_FOR)
    try:
        sandbox = open_sandbox(hidden_files)
    except NoSandbox as reason:
        if asked == SANDBOXED:
            raise ConfigError(f"--sandbox full: {reason}") from None
        if strangers := [program.name for program in programs if not program.trusted]:
            raise ConfigError(
                f"no sandbox for {', '.join(strangers)}: {reason}; or use --sandbox process for programs that you trust"
            ) from None
        return _without_sandbox(f"bots run without a sandbox, as all of them are trusted: {reason}")
    for program in programs:
        if fault := find_fault(sandbox, program, hidden_files or HiddenFiles()):
            raise ConfigError(f"bots.{program.name}: {fault}")
    return SelectedIsolation(sandbox, warnings=tuple(find_shared(programs)))


def _without_sandbox(notice: str) -> SelectedIsolation:
    remove_leftovers()
    return SelectedIsolation(ProcessIsolation(), notice)


def find_fault(sandbox: Sandbox, program: Program, hidden_files: HiddenFiles) -> str | None:
    """Return why a program cannot start in a sandbox: its files, or those that its commands name; None if it can."""
    try:
        if not program.trusted:
            check_contents(program, hidden_files)
    except Forbidden as error:
        return str(error)
    if fault := sandbox.find_visible(program).fault:
        return fault
    faults = (_try_command(sandbox, program, argv) for argv in (program.argv, program.inner) if argv)
    return next(filter(None, faults), None)


def _try_command(sandbox: Sandbox, program: Program, argv: tuple[str, ...]) -> str | None:
    """Check in the sandbox of a program that a command finds the files that it names; return what is wrong."""
    tool, *words = argv
    if Path(tool).parent.name == "shims":
        name = Path(tool).name
        return f"{tool} only searches for the program; write the path that it finds, as `pyenv which {name}` prints it"
    files = [word for word in words if word.startswith("/") and Path(word).exists()]
    try:
        probe = sandbox.try_out(program, ("/bin/sh", "-c", _CHECK, "check", tool, *files))
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"cannot be run in a sandbox: {error}"
    if probe.status == 0:
        return None
    what = probe.out.removeprefix("armed\n").strip()
    fault = f"in its sandbox it cannot {what}" if what else f"its sandbox cannot be built: {probe.last_line}"
    return f"{fault}; {_DECLARE_AS_ROOT if sandbox.runs_as_others else _DECLARE}"

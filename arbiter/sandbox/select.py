"""Which tier bots are played in: the best that the machine can promise, or what was asked for."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.sandbox.full import Sandbox
from arbiter.sandbox.isolation import Isolation
from arbiter.sandbox.probe import NoSandbox, last_line, open_sandbox
from arbiter.sandbox.process import ProcessIsolation
from arbiter.sandbox.program import Program
from arbiter.sandbox.scratch import remove_leftovers

TierName = Literal["full", "process"]
SANDBOXED: Final[TierName] = "full"

ASKED_FOR: Final = "bots run without a sandbox, as was asked for: run only programs that you trust"

# Names what it cannot run or read of a program and the files that its command names.
_CHECK: Final = (
    'case $1 in (/*) [ -x "$1" ];; (*) command -v "$1" >/dev/null;; esac || { echo "run $1"; exit 1; }; shift; '
    'for file; do [ -r "$file" ] || { echo "read $file"; exit 1; }; done'
)

_DECLARE: Final = 'declare what it needs, as in read = ["/path"]'
_TO_BE_READ: Final = f"{_DECLARE}, and as you are root, let everybody read its files (chmod -R o+rX)"


class SelectedIsolation(Struct, frozen=True):
    """A tier, and what the operator is to be told about it."""

    tier: Isolation
    notice: str | None = None


def select_isolation(
    asked: TierName | None, programs: Sequence[Program], secrets: Sequence[Path] = ()
) -> SelectedIsolation:
    """Choose a tier for programs and see that each can be started in it.

    A sandbox hides `secrets`, paths whose names may be patterns, from bots that they lie open to.
    Without a sandbox only trusted programs are played, unless that was asked for.  Raises ConfigError.
    """
    if asked == "process":
        return _unsandboxed(ASKED_FOR)
    try:
        sandbox = open_sandbox(secrets)
    except NoSandbox as lack:
        return _without(lack, asked, programs)
    for program in programs:
        _check(sandbox, program)
    return SelectedIsolation(sandbox)


def _without(lack: NoSandbox, asked: TierName | None, programs: Sequence[Program]) -> SelectedIsolation:
    strangers = [program.name for program in programs if not program.trusted]
    if asked == SANDBOXED:
        raise ConfigError(f"--sandbox full: {lack}")
    if strangers:
        names = ", ".join(strangers)
        raise ConfigError(f"no sandbox for {names}: {lack}; or --sandbox process for programs that you trust")
    return _unsandboxed(f"bots run without a sandbox, as all are trusted: {lack}")


def _unsandboxed(notice: str) -> SelectedIsolation:
    remove_leftovers()
    return SelectedIsolation(ProcessIsolation(), notice)


def _check(sandbox: Sandbox, program: Program) -> None:
    """See that a program is fit to be shown, and that it finds in its sandbox what it is started with."""
    for argv in filter(None, (program.argv, program.inner)):
        if fault := _unfit(argv[0]) or _fault(sandbox, program, argv):
            raise ConfigError(f"bots.{program.name}: {fault}")


def _unfit(word: str) -> str | None:
    tool = Path(word)
    if tool.parent.name == "shims":
        return f"{tool} only looks for the program; name what it finds, as `pyenv which {tool.name}` tells"
    return None


def _fault(sandbox: Sandbox, program: Program, argv: tuple[str, ...]) -> str | None:
    """Run a check of a command where the program would be run; say what it finds."""
    tool, *words = argv
    files = [word for word in words if word.startswith("/") and Path(word).exists()]
    try:
        trial = sandbox.try_out(program, ("/bin/sh", "-c", _CHECK, "check", tool, *files))
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"cannot be put into a sandbox: {error}"
    if trial.status == 0:
        return None
    what = trial.out.removeprefix("armed\n").strip()
    fault = f"in its sandbox it cannot {what}" if what else f"its sandbox cannot be built: {last_line(trial)}"
    return f"{fault}; {_TO_BE_READ if sandbox.runs_as_others else _DECLARE}"

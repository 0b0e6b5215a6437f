"""The choice of an isolation for bots: the best that the machine supports, or the one that was asked for."""

import os
import platform
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.resources import find_memory_mb
from arbiter.sandbox.bwrap import NEEDED, SCRATCH, Unprivileged, find_bwrap
from arbiter.sandbox.cgroups import CONTROLLERS, CgroupTree, NoCgroups, find_base
from arbiter.sandbox.cores import can_change_sessions
from arbiter.sandbox.files.entry import check_entry, list_entry
from arbiter.sandbox.files.links import Forbidden
from arbiter.sandbox.files.temporary import remove_leftovers
from arbiter.sandbox.files.toolchains import is_within
from arbiter.sandbox.files.visible import HiddenFiles, find_shared
from arbiter.sandbox.full import PROCESSES, Sandbox
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.process import NEW_SCRATCH_S, SCRATCH_PREFIX, ProcessIsolation, end_leftovers
from arbiter.sandbox.seccomp import ARCHITECTURES

_INSTALL: Final = "install bubblewrap (apt install bubblewrap, dnf install bubblewrap)"
_APPARMOR: Final = (
    "allow bwrap to create user namespaces: write 'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }' "
    "to /etc/apparmor.d/bwrap and run: apparmor_parser -r /etc/apparmor.d/bwrap"
)
_NO_NAMESPACES: Final = "allow user namespaces: sysctl -w user.max_user_namespaces=10000"
_NOT_FOR_USERS: Final = "allow users to create user namespaces: sysctl -w kernel.unprivileged_userns_clone=1"
_CONTAINER: Final = "allow this container to create user namespaces (with Docker: --security-opt seccomp=unconfined)"
_UNKNOWN: Final = "run `arbiter doctor` for details"

# Kernel settings that forbid user namespaces: path, value, how to fix it.
SWITCHES: Final = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", _APPARMOR),
    ("/proc/sys/user/max_user_namespaces", "0", _NO_NAMESPACES),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", _NOT_FOR_USERS),
)
_IN_CONTAINER: Final = ("/.dockerenv", "/run/.containerenv")
_NOTHING: Final = Program(name="probe", argv=("/bin/true",), folder=Path("/usr"))


class NoSandbox(Exception):
    """This machine cannot build sandboxes: why, and how to fix it."""

    def __init__(self, why: str, cure: str) -> None:
        super().__init__(f"{why}; {cure}")
        self.why = why
        self.cure = cure


def open_sandbox(hidden_files: HiddenFiles | None = None) -> Sandbox:
    """Return isolation `full`, which hides files, after it has built a sandbox once.  Raises NoSandbox."""
    if sys.platform != "linux" or platform.machine() not in ARCHITECTURES:
        what = f"{platform.system()} on {platform.machine()}"
        raise NoSandbox(f"there is no sandbox for {what}", f"use Linux on {' or '.join(ARCHITECTURES)}")
    bwrap = find_bwrap()
    if bwrap is None:
        raise NoSandbox("bubblewrap is not installed", _INSTALL)
    if not bwrap.limits_sizes:
        raise NoSandbox(f"bubblewrap {bwrap.version} is too old", f"install bubblewrap {NEEDED} or newer")
    end_leftovers()
    sandbox = Sandbox(bwrap, _find_users(), hidden_files, _find_groups())
    try:
        probe = sandbox.try_out(_NOTHING, _NOTHING.argv)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoSandbox(f"bubblewrap does not work here: {error}", _find_cure()) from None
    if probe.status != 0:
        raise NoSandbox(f"bubblewrap does not work here: {probe.last_line}", _find_cure())
    return sandbox


def _find_users() -> Unprivileged | None:
    """Return the users that bots run as, or None if the referee is not root."""
    if os.geteuid() != 0:
        return None
    unshare = shutil.which("unshare")
    if unshare is None:
        raise NoSandbox(
            "unshare, which runs bots without root's rights, is missing", "install util-linux, or do not run as root"
        )
    try:
        return Unprivileged(unshare)
    except OSError as error:
        raise NoSandbox(f"bots cannot be run without root's rights: {error.strerror}", "do not run as root") from None


def _find_groups() -> CgroupTree | None:
    try:
        return CgroupTree(find_base())
    except (NoCgroups, OSError):
        return None


def _find_cure() -> str:
    for path, value, cure in SWITCHES:
        if read_setting(path) == value:
            return cure
    return _CONTAINER if any(Path(path).exists() for path in _IN_CONTAINER) else _UNKNOWN


def read_setting(path: str) -> str | None:
    """Read a setting of the kernel; None if there is no such setting."""
    try:
        return Path(path).read_text("utf-8").strip()
    except OSError:
        return None


# --- a diagnosis for the operator -----------------------------------------------------------------


_FILES_A_GAME: Final = 24
_DELEGATE: Final = "start with `systemd-run --user --scope -p Delegate=yes arbiter run ...`, as root without --user"
_NEEDS_TREE: Final = (
    "start the arbiter in a control group of version 2 of its own, with the controllers memory, pids and cpu"
)


class Diagnosis(Struct, frozen=True):
    """The isolation that bots would get here."""

    sandbox: str
    """Name of the isolation."""
    why: str | None
    """Reason if there is no sandbox."""
    cure: str | None
    """Way to fix that."""
    points: dict[str, str]
    """The points examined, and what was found."""


def diagnose() -> Diagnosis:
    """Examine this machine; this builds a sandbox."""
    fault: NoSandbox | None = None
    sandboxed: dict[str, str] = {}
    try:
        sandboxed = _examine_sandbox(open_sandbox().controllers)
    except NoSandbox as reason:
        fault = reason
    bwrap = find_bwrap()
    forbidding = [path for path, value, _ in SWITCHES if read_setting(path) == value]
    seccomp = "supported"
    if platform.machine() not in ARCHITECTURES:
        seccomp = f"no filter for {platform.machine()}"
    elif read_setting("/proc/sys/kernel/seccomp/actions_avail") is None:
        seccomp = "not supported by the kernel"
    user = f"{os.geteuid()}; bots run as the same user, and of what they are shown they read what this user may read"
    if os.geteuid() == 0:
        user = (
            "root; bots run as users without an account, and besides their own files read only what everybody may read"
        )
    points = {
        "system": f"{platform.system()} {platform.release()} on {platform.machine()}",
        "bubblewrap": "not installed" if bwrap is None else f"{bwrap.version}, {bwrap.path}",
        "user namespaces": f"forbidden by {', '.join(forbidding)}"
        if forbidding
        else "not forbidden by a known setting",
        "seccomp": seccomp,
        "user": user,
    }
    memory_mb, limit = find_memory_mb()
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    processes, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    enough = f"{files}, enough for {files // _FILES_A_GAME} games at a time"
    limits = {
        "memory in all": f"{memory_mb:,} MiB" + (f", limited by {limit}" if limit else ""),
        "cores": str(os.cpu_count() or 1),
        "open files": "unlimited" if files == resource.RLIM_INFINITY else enough,
        "processes": "unlimited" if processes == resource.RLIM_INFINITY else f"{processes} for this user",
    }
    found = points | sandboxed | limits
    return Diagnosis("process", fault.why, fault.cure, found) if fault else Diagnosis("full", None, None, found)


def _examine_sandbox(controllers: frozenset[str] | None) -> dict[str, str]:
    """Describe what holds for a bot in a sandbox, with the controllers of its control group; None without a group."""
    owned = controllers or frozenset()
    if controllers is None:
        try:
            groups = f"none: none could be made in {find_base()}"
        except NoCgroups as reason:
            groups = f"none: {reason}"
    else:
        groups = f"one for each bot, with {', '.join(sorted(owned)) or 'no controllers'}"
    is_shared = "cpu" in owned or can_change_sessions()
    points = {
        "control groups": groups,
        "memory of a bot": "memory_mb for all its processes and files, "
        + ("limited by the kernel" if "memory" in owned else "measured up to 50 times a second"),
        "files of a bot": f"{SCRATCH >> 20} MiB; their number counts as memory",
        "processes of a bot": f"{PROCESSES}, threads included",
        "busy off turn": "low priority" if is_shared else "half of the cores",
        "stopping a bot": "SIGSTOP; a bot that uses the processor while it is stopped loses",
        "processor clock": "misses processes that end while their parent ignores SIGCHLD",
    }
    if controllers is not None:
        points |= {"stopping a bot": "no signal continues it", "processor clock": "counts all processes"}
    if not frozenset(CONTROLLERS) <= owned:
        points["more limits"] = _DELEGATE if Path("/run/systemd/system").exists() else _NEEDS_TREE
    return points


# --- the choice for a run -------------------------------------------------------------------------


IsolationName = Literal["full", "process"]
SANDBOXED: Final[IsolationName] = "full"

ASKED_FOR: Final = "bots run without a sandbox, as requested: run only programs that you trust"

# A shell script that prints what it cannot run or read: of the arguments, the first is a program, the others are files
# and folders.
_CHECK: Final = (
    'case $1 in (/*) [ -x "$1" ];; (*) command -v "$1" >/dev/null;; esac || echo "run $1"; shift; '
    'for file; do [ -r "$file" ] || [ -d "$file" -a -x "$file" ] || echo "read $file"; done'
)

_DECLARE: Final = 'declare what it needs, e.g. read = ["/path"]'


class SelectedIsolation(Struct, frozen=True):
    """An isolation, and a notice for the operator."""

    isolation: Isolation
    programs: tuple[Program, ...]
    """The programs as they play."""
    notice: str | None = None
    warnings: tuple[str, ...] = ()
    """Things that the operator should change."""


def select_isolation(
    asked: IsolationName | None,
    programs: Sequence[Program],
    hidden_files: HiddenFiles | None = None,
    enter: Callable[[Program], Program] | None = None,
) -> SelectedIsolation:
    """Choose an isolation for programs, and check that each program can be started in it.

    A sandbox hides `hidden_files`, and its programs play from copies if `enter` makes them.  Without a sandbox, only
    trusted programs may play, unless no sandbox was asked for.  Raises ConfigError.
    """
    if asked == "process":
        return _without_sandbox(programs, ASKED_FOR)
    try:
        sandbox = open_sandbox(hidden_files)
    except NoSandbox as reason:
        if asked == SANDBOXED:
            raise ConfigError(f"--sandbox full: {reason}") from None
        if strangers := [program.name for program in programs if not program.trusted]:
            raise ConfigError(
                f"no sandbox for {', '.join(strangers)}: {reason}; or use --sandbox process for programs that you trust"
            ) from None
        return _without_sandbox(programs, f"bots run without a sandbox, as all of them are trusted: {reason}")
    programs = enter_programs(sandbox, programs, hidden_files or HiddenFiles(), enter)
    return SelectedIsolation(sandbox, programs, warnings=tuple(find_shared(programs)))


def enter_programs(
    isolation: Isolation,
    programs: Sequence[Program],
    hidden_files: HiddenFiles,
    enter: Callable[[Program], Program] | None,
) -> tuple[Program, ...]:
    """Return programs as they play in an isolation.  Raises ConfigError if one cannot start in a sandbox."""
    if not isinstance(isolation, Sandbox):
        return tuple(programs)
    if enter is not None:
        programs = [enter(program) for program in programs]
    for program in programs:
        if fault := find_fault(isolation, program, hidden_files):
            raise ConfigError(f"bots.{program.name}: {fault}")
    return tuple(programs)


def has_sandbox(asked: IsolationName | None) -> bool:
    """Return True if programs would run in a sandbox."""
    if asked == "process":
        return False
    try:
        open_sandbox()
    except NoSandbox:
        return asked == SANDBOXED  # which is refused
    return True


def _without_sandbox(programs: Sequence[Program], notice: str) -> SelectedIsolation:
    remove_leftovers(SCRATCH_PREFIX, NEW_SCRATCH_S)
    strangers = [program for program in programs if not program.trusted]
    warnings: list[str] = []
    if len({program.folder for program in strangers}) > 1:  # one of them may attack
        names = ", ".join(program.name for program in strangers)
        warnings.append(
            f"without a sandbox, {names} can read and change your files, the results and each other; "
            "use the sandbox, or write trusted = true for bots of people whom you trust"
        )
    return SelectedIsolation(ProcessIsolation(), tuple(programs), notice, tuple(warnings))


def find_fault(sandbox: Sandbox, program: Program, hidden_files: HiddenFiles) -> str | None:
    """Return why a program cannot start in a sandbox: its files, or those that its commands name; None if it can."""
    try:
        if not program.trusted and not program.copies:  # else it was checked when it was copied
            check_entry(program, list_entry(program, hidden_files), hidden_files)
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
        return (
            f"{name} is a shim, which only searches for the program; on the machine that plays, write the path that "
            f"`pyenv which {name}` prints, or put its folder first in PATH"
        )
    files = [word for word in words if word.startswith("/") and Path(word).exists()]
    shown = [path for _, path in sandbox.find_visible(program).paths] if sandbox.runs_as_others else []
    try:
        probe = sandbox.try_out(program, ("/bin/sh", "-c", _CHECK, "check", tool, *files, *map(str, shown)))
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"cannot be run in a sandbox: {error}"
    if probe.status != 0:
        cure = "let every user reach and read it (chmod -R o+rX)"
        is_closed = shown and "Permission denied" in probe.last_line
        more = f"; because you are root, it runs as another user: {cure}" if is_closed else ""
        return f"its sandbox cannot be built: {probe.last_line}{more}"
    lacks = probe.out.removeprefix("armed\n").splitlines()
    lost = [path for lack in lacks if (path := Path(lack.partition(" ")[2])).exists()]
    closed = [path.resolve() for path in lost if path in shown] or [path for path in lost if is_within(path, shown)]
    if closed:
        command = shlex.join(["chmod", "-R", "o+rX", *dict.fromkeys(map(str, closed))])
        return f"because you are root, it runs as another user, who may not read some of its files; run {command}"
    return f"in its sandbox it cannot {lacks[0]}; {_DECLARE}" if lacks else None

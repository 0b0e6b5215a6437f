"""Whether this machine can build sandboxes, tried once by building one; and what to do where it cannot."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arbiter.sandbox.bwrap import NEEDED, find_bwrap
from arbiter.sandbox.full import Sandbox, SandboxProbe
from arbiter.sandbox.orphans import end_leftovers
from arbiter.sandbox.program import Program
from arbiter.sandbox.seccomp import MACHINES
from arbiter.sandbox.unprivileged import Unprivileged

_INSTALL: Final = "install bubblewrap (apt install bubblewrap, dnf install bubblewrap)"
_APPARMOR: Final = (
    "let bwrap make user namespaces: write 'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }' "
    "into /etc/apparmor.d/bwrap and run: apparmor_parser -r /etc/apparmor.d/bwrap"
)
_NO_NAMESPACES: Final = "allow user namespaces: sysctl -w user.max_user_namespaces=10000"
_NOT_FOR_USERS: Final = "allow user namespaces for users: sysctl -w kernel.unprivileged_userns_clone=1"
_CONTAINER: Final = "let this container make user namespaces (with Docker: --security-opt seccomp=unconfined)"
_UNKNOWN: Final = "see what `arbiter doctor` says"

# What forbids user namespaces where it holds this value, and the cure.
SWITCHES: Final = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", _APPARMOR),
    ("/proc/sys/user/max_user_namespaces", "0", _NO_NAMESPACES),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", _NOT_FOR_USERS),
)
_IN_CONTAINER: Final = ("/.dockerenv", "/run/.containerenv")
_NOTHING: Final = Program(name="probe", argv=("/bin/true",), folder=Path("/usr"))


class NoSandbox(Exception):
    """This machine cannot build sandboxes: why, and what would cure it."""

    def __init__(self, why: str, cure: str) -> None:
        super().__init__(f"{why}; {cure}")
        self.why = why
        self.cure = cure


def open_sandbox(secrets: Sequence[Path] = ()) -> Sandbox:
    """Return the tier `full`, which has just built a sandbox, and which hides what is secret.  Raises NoSandbox."""
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        what = f"{platform.system()} on {platform.machine()}"
        raise NoSandbox(f"there is no sandbox for {what}", f"use Linux on {' or '.join(MACHINES)}")
    bwrap = find_bwrap()
    if bwrap is None:
        raise NoSandbox("bubblewrap is not installed", _INSTALL)
    if not bwrap.bounds_sizes:
        raise NoSandbox(f"bubblewrap {bwrap.version} is too old", f"install bubblewrap {NEEDED} or newer")
    end_leftovers()
    sandbox = Sandbox(bwrap, _users(), secrets)
    _probe(sandbox)
    return sandbox


def _users() -> Unprivileged | None:
    """Return the users that bots are to run under, where we are root."""
    if os.geteuid() != 0:
        return None
    if shutil.which("setpriv") is None:
        raise NoSandbox(
            "there is no setpriv to take root's rights from bots", "install util-linux, or do not run as root"
        )
    try:
        return Unprivileged()
    except OSError as error:
        raise NoSandbox(f"bots cannot be put out of root's reach: {error.strerror}", "do not run as root") from None


def _probe(sandbox: Sandbox) -> None:
    try:
        trial = sandbox.try_out(_NOTHING, _NOTHING.argv)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoSandbox(f"bubblewrap does not work here: {error}", _cure()) from None
    if trial.status != 0:
        raise NoSandbox(f"bubblewrap does not work here: {last_line(trial)}", _cure())


def last_line(trial: SandboxProbe) -> str:
    """Return what a program that failed said last."""
    lines = trial.err.strip().splitlines()
    return lines[-1] if lines else f"status {trial.status}"


def _cure() -> str:
    for path, value, cure in SWITCHES:
        if setting(path) == value:
            return cure
    return _CONTAINER if any(Path(path).exists() for path in _IN_CONTAINER) else _UNKNOWN


def setting(path: str) -> str | None:
    """Read a setting of the kernel; None where it has none of that name."""
    try:
        return Path(path).read_text("utf-8").strip()
    except OSError:
        return None

"""A probe for sandboxes: builds one, and explains how to make it possible if this machine cannot."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from arbiter.sandbox.bwrap import NEEDED, find_bwrap
from arbiter.sandbox.cgroup_places import NoCgroups, find_base
from arbiter.sandbox.cgroups import CgroupTree
from arbiter.sandbox.files.visible import Secrets
from arbiter.sandbox.full import Sandbox
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.orphans import end_leftovers
from arbiter.sandbox.seccomp import ARCHITECTURES
from arbiter.sandbox.unprivileged import Unprivileged

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


def open_sandbox(secrets: Secrets | None = None) -> Sandbox:
    """Return isolation `full`, which hides the secrets, after it has built a sandbox once.  Raises NoSandbox."""
    if sys.platform != "linux" or platform.machine() not in ARCHITECTURES:
        what = f"{platform.system()} on {platform.machine()}"
        raise NoSandbox(f"there is no sandbox for {what}", f"use Linux on {' or '.join(ARCHITECTURES)}")
    bwrap = find_bwrap()
    if bwrap is None:
        raise NoSandbox("bubblewrap is not installed", _INSTALL)
    if not bwrap.limits_sizes:
        raise NoSandbox(f"bubblewrap {bwrap.version} is too old", f"install bubblewrap {NEEDED} or newer")
    end_leftovers()
    sandbox = Sandbox(bwrap, _find_users(), secrets, _find_groups())
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

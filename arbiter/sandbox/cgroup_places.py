"""The place of control groups on this machine: the group of this process, and a group in which it may make others."""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arbiter.resources import parse_groups
from arbiter.sandbox.usage import read_file

OWN_LEAF: Final = "arbiter"
"""Name of the group that the arbiter moves into: a group with controllers for its children has no own processes."""
_MOUNT_FIELDS: Final = 6
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")
_DELEGATED: Final = ("user.delegate", "trusted.delegate")  # attributes that systemd sets on delegated groups


class NoCgroups(Exception):
    """The arbiter cannot make control groups here, and why."""


def find_own_group() -> Path:
    """Return the folder of the group that this process is in.  Raises NoCgroups."""
    try:
        groups = parse_groups(Path("/proc/self/cgroup").read_bytes())
        mounts = Path("/proc/self/mountinfo").read_bytes()
    except OSError:
        raise NoCgroups("this system has no control groups") from None
    own = next((Path(path) for controllers, path in groups if not controllers), None)
    if own is None:
        raise NoCgroups("the kernel has no control groups of version 2")
    for root, mount_point in parse_mounts(mounts):
        if own.is_relative_to(root) and ".." not in own.parts:
            return mount_point / own.relative_to(root)
    raise NoCgroups("control groups of version 2 are not mounted, or only another part of them is")


def find_base() -> Path:
    """Return the folder in which this process may make groups.  Raises NoCgroups."""
    own = find_own_group()
    base = own.parent if own.name == OWN_LEAF else own
    if not all(os.access(path, os.W_OK) for path in (base, base / "cgroup.procs", base / "cgroup.subtree_control")):
        raise NoCgroups(f"the control group {base} belongs to another user, or is read-only")
    if not (is_root(base) or _is_delegated(base) or own != base or list_processes(base) == [os.getpid()]):
        raise NoCgroups(f"the control group {base} has other processes too, and was not delegated to this one")
    return base


def parse_mounts(text: bytes) -> Iterator[tuple[Path, Path]]:
    """Yield the root and the mount point of each tree of version 2 in /proc/self/mountinfo.

    The file contains names from the folders of bots: any bytes.  The kernel escapes spaces and newlines.
    """
    for line in os.fsdecode(text).split("\n"):
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if right.split(" ")[0] == "cgroup2" and len(fields) >= _MOUNT_FIELDS:
            root, mount_point = (_ESCAPED.sub(lambda found: chr(int(found[1], 8)), field) for field in fields[3:5])
            yield Path(root), Path(mount_point)


def is_root(path: Path) -> bool:
    """Return True for the root of the whole tree, which may have processes and controllers for its children."""
    return not (path / "cgroup.type").exists()


def _is_delegated(path: Path) -> bool:
    for name in _DELEGATED:
        with contextlib.suppress(OSError):
            if os.getxattr(path, name) == b"1":
                return True
    return False


def list_processes(path: Path) -> list[int]:
    """List the processes of a group."""
    return [int(pid) for pid in read_file(f"{path}/cgroup.procs").split()]

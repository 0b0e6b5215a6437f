"""Archives of bots' files for other machines, which nobody trusts: nothing in them leads out of their folder."""

import io
import os
import shutil
import stat
import tarfile
from collections.abc import Iterable
from itertools import islice, takewhile
from pathlib import Path
from typing import Final

from arbiter.sandbox.files.entry import MOST_DEPTH, MOST_FILES
from arbiter.sandbox.files.untrusted import MOST_BYTES

_LONGEST: Final = 255  # bytes of a name
_LONGEST_PATH: Final = 3000  # bytes of all names; with the folder on this machine, Linux allows 4,095
_MOST_HEADERS: Final = 100
_LATEST: Final = 2**33  # seconds from 1970; not every file system stores later times


class BadArchive(Exception):
    """Files that cannot be sent, or must not be unpacked; the text explains it."""


def pack(files: Iterable[tuple[Path, str]]) -> bytes:
    """Pack files and folders, each with its name in the archive.  Raises BadArchive."""
    size = 0

    def check(member: tarfile.TarInfo) -> tarfile.TarInfo:
        nonlocal size
        size += member.size
        if size > MOST_BYTES:
            raise BadArchive(f"its files have more than {MOST_BYTES >> 20} MiB, too much to be sent")
        return member

    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for path, name in files:
            check_links(path)
            archive.add(path, name, filter=check)
    return data.getvalue()


def unpack(archive: bytes, folder: Path, *, refuses_setuid: bool = False) -> None:
    """Unpack an archive, which anyone may have made, into an empty folder; its files are read-only.

    All names and links are checked before anything is written, in the same way by every version of Python.  Links stay
    in the folder at the top that they are in.  Setuid and setgid bits are removed, or refused.

    Raises BadArchive, and OSError if the disk is full.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
            for place, member in _arrange(_list_members(opened), refuses_setuid=refuses_setuid).items():
                path = folder / place
                if member is None:
                    path.mkdir()
                    path.chmod(0o755)
                elif member.issym():
                    path.symlink_to(member.linkname)
                elif (content := opened.extractfile(member)) is not None:
                    with path.open("xb") as file:
                        shutil.copyfileobj(content, file)
                    path.chmod(0o555 if member.mode & stat.S_IXUSR else 0o444)
                    os.utime(path, (member.mtime, member.mtime))  # compiled modules are valid for one time
    except (tarfile.TarError, ValueError, OverflowError, RecursionError) as error:
        raise BadArchive(f"it is damaged: {error}") from None


def _list_members(archive: tarfile.TarFile) -> list[tarfile.TarInfo]:
    """List what is in an archive, without reading on if it is too much.  Raises BadArchive."""
    members = []
    for member in islice(archive, 2 * MOST_FILES + 1):  # folders too
        if len(archive.pax_headers) > _MOST_HEADERS:  # each further member may copy them
            raise BadArchive(f"it has more than {_MOST_HEADERS} global headers")
        members.append(member)
    if len(members) > 2 * MOST_FILES or sum(not member.isdir() for member in members) > MOST_FILES:
        raise BadArchive(f"there are more than {MOST_FILES} files")
    if sum(max(0, member.size) for member in members) > MOST_BYTES:
        raise BadArchive(f"the files have more than {MOST_BYTES >> 20} MiB")
    return members


def _arrange(members: Iterable[tarfile.TarInfo], *, refuses_setuid: bool) -> dict[str, tarfile.TarInfo | None]:
    """Return the files and links by their paths, each after its folders, which are None.  Raises BadArchive."""
    found: dict[str, tarfile.TarInfo | None] = {}
    for member in members:
        place = _check_member(member, refuses_setuid=refuses_setuid)
        folders = []
        above = place if member.isdir() else place.rpartition("/")[0]
        while above and above not in found:
            folders.append(above)
            above = above.rpartition("/")[0]
        if above and found[above] is not None:
            raise BadArchive(f"{above!r} is a folder, and also a file or a link")
        found.update(dict.fromkeys(reversed(folders)))
        if not member.isdir():
            if place in found:
                raise BadArchive(f"{place!r} is in it twice")
            found[place] = member
        if len(found) > 2 * MOST_FILES:
            raise BadArchive(f"there are more than {MOST_FILES} files")
    return found


def _check_member(member: tarfile.TarInfo, *, refuses_setuid: bool) -> str:
    """Check a member of an archive, without the others, and return its path.  Raises BadArchive."""
    parts = [part for part in member.name.split("/") if part not in ("", ".")]
    lengths = [len(os.fsencode(part)) + 1 for part in parts]
    if not parts or ".." in parts or max(lengths) > _LONGEST + 1 or sum(lengths) > _LONGEST_PATH:
        raise BadArchive(f"{member.name!r} is not the name of a file in a folder")
    if len(parts) > MOST_DEPTH + 2:
        raise BadArchive(f"folders are nested more than {MOST_DEPTH} deep")
    if not (member.isreg() or member.isdir() or member.issym()):
        raise BadArchive(f"{member.name!r} is neither a file nor a link")
    if not abs(member.mtime) <= _LATEST:  # or NaN
        raise BadArchive(f"{member.name!r} has an impossible time; change it with touch")
    if "\0" in member.name + member.linkname or len(os.fsencode(member.linkname)) > _LONGEST_PATH:
        raise BadArchive(f"{member.name!r} has an impossible name, or is a link to one")
    if member.issym() and len(parts) == 1:
        raise BadArchive(f"{member.name!r} is a link, not a folder with files")
    if member.issym():
        _check_link("/".join(parts[1:]), member.linkname)
    elif refuses_setuid and member.mode & (stat.S_ISUID | stat.S_ISGID):
        raise BadArchive(f"{member.name!r} has a setuid or setgid bit; remove it with chmod")
    return "/".join(parts)


def check_links(folder: Path) -> None:
    """Check that all links in a folder stay in it.  Raises BadArchive."""
    for path in folder.rglob("*"):
        if path.is_symlink():
            _check_link(str(path.relative_to(folder)), str(path.readlink()))


def _check_link(place: str, target: str) -> None:
    """Check that a link in a folder stays in it, whatever the other links in it are.  Raises BadArchive.

    It goes up at its start only: there, it goes through folders, so no other link can change where it leads.
    """
    steps = [step for step in target.split("/") if step not in ("", ".")]
    ups = len(list(takewhile("..".__eq__, steps)))
    if not target or target.startswith("/") or ups > place.count("/"):
        raise BadArchive(f"{place!r} is a link out of the folder, to {target!r}; replace it by a file")
    if ".." in steps[ups:]:
        raise BadArchive(f"{place!r} is a link to {target!r}, which goes up after a name; make it without that")

"""Archives of bots' files for other machines, which nobody trusts: nothing in them leads out of their folder."""

import io
import os
import stat
import tarfile
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from arbiter.sandbox.files.entry import MOST_FILES
from arbiter.sandbox.files.untrusted import MOST_BYTES


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

    Links are checked and made when all folders are there, so nothing is made through one, and stay in the folder at the
    top that they are in.  Setuid and setgid bits are removed, or refused.

    Raises BadArchive, and OSError if the disk is full.
    """
    if not hasattr(tarfile, "data_filter"):
        raise BadArchive("Python 3.11.4 or newer is needed to unpack them safely")

    def protect(member: tarfile.TarInfo, place: str) -> tarfile.TarInfo:
        if not (member.isreg() or member.isdir()):
            raise BadArchive(f"{member.name!r} is neither a file nor a link")
        if refuses_setuid and member.mode & (stat.S_ISUID | stat.S_ISGID):
            raise BadArchive(f"{member.name!r} has a setuid or setgid bit; remove it with chmod")
        mode = 0o755 if member.isdir() else 0o555 if member.mode & stat.S_IXUSR else 0o444
        return tarfile.data_filter(member, place).replace(mode=mode)

    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
            members = _list_members(opened)
            links = [tarfile.data_filter(member, str(folder)) for member in members if member.issym()]
            files = [member for member in members if not member.issym()]
            opened.extractall(folder, files, filter=protect)  # noqa: S202 - with a filter
            for link in links:
                (folder / link.name).parent.mkdir(parents=True, exist_ok=True)
            for link in links:
                (folder / link.name).symlink_to(link.linkname)
    except (tarfile.TarError, ValueError, RecursionError, FileExistsError) as error:
        raise BadArchive(str(error)) from None
    for top in folder.iterdir():
        check_links(top)


def _list_members(archive: tarfile.TarFile) -> list[tarfile.TarInfo]:
    """List what is in an archive, without reading on if it is too much.  Raises BadArchive."""
    members = list(islice(archive, 2 * MOST_FILES + 1))  # folders too
    if len(members) > 2 * MOST_FILES or sum(not member.isdir() for member in members) > MOST_FILES:
        raise BadArchive(f"there are more than {MOST_FILES} files")
    if sum(member.size for member in members) > MOST_BYTES:
        raise BadArchive(f"the files have more than {MOST_BYTES >> 20} MiB")
    return members


def check_links(folder: Path) -> None:
    """Check that all links in a folder stay in it.  Raises BadArchive."""
    for path in folder.rglob("*"):
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
            fault = f"{str(path.relative_to(folder))!r} is a link out of the folder, to {str(path.readlink())!r}"
            raise BadArchive(f"{fault}; replace it by a file")

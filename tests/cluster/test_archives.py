"""Archives of bots: hostile folders are not packed, and hostile archives leave nothing outside their folder."""

import errno
import io
import os
import socket
import stat
import sys
import tarfile
import tempfile
from pathlib import Path

import pytest

from arbiter.errors import ConfigError
from arbiter.sandbox.files import archive as archives
from arbiter.sandbox.files import entry as limits
from arbiter.sandbox.files.archive import BadArchive, unpack
from arbiter.tournament.config.bot_config import BotConfig, find_program
from arbiter.tournament.entries import open_entries
from arbiter.tournament.execution.portable import make_portable
from arbiter.tournament.programs import ProgramDigests


@pytest.fixture
def home(tmp_path):
    """Make the folder of a bot, next to a file that is not the bot's."""
    (tmp_path / "secret.txt").write_text("secret")
    home = tmp_path / "mine"
    (home / "lib").mkdir(parents=True)
    (home / "bot.py").write_text("import lib.book\n")
    (home / "lib" / "book.py").write_text("MOVES = []\n")
    (home / "run").write_text("#!/bin/sh\n")
    (home / "run").chmod(0o755)
    (home / "link.py").symlink_to("bot.py")
    (home / "lib" / "up").symlink_to("../lib/./book.py")
    return home


def find(home, command=("./mine/bot.py",), **entry):
    return find_program(BotConfig(name="mine", command=list(command), **entry), home.parent)


def pack_bot(home, command=("./mine/bot.py",), **entry):
    """Return the archive of a bot."""
    program = find(home, command, **entry)
    digests = ProgramDigests([program])
    with open_entries(None, digests) as entries:
        return make_portable(program, digests, entries).archive


def list_members(archive):
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        return {member.name: member for member in opened if not member.isdir()}


def contents(folder):
    """Return the content of each file and the target of each link in a folder."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()  # noqa: PTH115 - a Path normalises it
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def test_a_folder_is_the_same_on_the_other_machine_and_its_files_are_read_only(home, tmp_path):
    (home / "__pycache__").mkdir()
    (home / "__pycache__" / "bot.pyc").write_bytes(b"compiled")
    (home / "bot.log").write_text("log")
    there = tmp_path / "there"
    there.mkdir()
    unpack(pack_bot(home), there)
    assert contents(there) == {
        "bot/bot.py": b"import lib.book\n",
        "bot/lib/book.py": b"MOVES = []\n",
        "bot/lib/up": "../lib/./book.py",
        "bot/link.py": "bot.py",
        "bot/run": b"#!/bin/sh\n",
    }
    modes = {path.name: stat.S_IMODE(path.lstat().st_mode) for path in there.rglob("*") if not path.is_symlink()}
    assert modes == {"bot": 0o755, "lib": 0o755, "bot.py": 0o444, "book.py": 0o444, "run": 0o555}


def test_a_file_outside_the_folder_that_the_command_names_is_packed_and_declared_files_are_not(home, tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "large").write_text("large")
    names = list_members(pack_bot(home, ["./mine/bot.py", "./secret.txt"], read=["tables"]))
    assert [Path(name).name for name in names if not name.startswith("bot/")] == ["secret.txt"]


def test_a_link_that_the_command_names_stays_a_link(home):
    link = list_members(pack_bot(home, ["./mine/link.py"]))["bot/link.py"]
    assert (link.issym(), link.linkname) == (True, "bot.py")


def make_socket(home):
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX) as made:
        made.bind(f"{short}/s")  # its path may have 107 bytes
        Path(short, "s").rename(home / "x")


HOSTILE_FOLDERS = {
    "link to a file outside": (lambda home: (home / "x").symlink_to("../secret.txt"), "link out of the folder"),
    "absolute link": (lambda home: (home / "x").symlink_to(home / "bot.py"), "link out of the folder"),
    "link out and in again": (lambda home: (home / "x").symlink_to("../mine/bot.py"), "link out of the folder"),
    "link to a folder outside": (lambda home: (home / "x").symlink_to(".."), "link out of the folder"),
    "virtual environment": (lambda home: (home / "python").symlink_to(sys.executable), "link out of the folder"),
    "pipe": (lambda home: os.mkfifo(home / "x"), "is a named pipe"),
    "socket": (make_socket, "is a socket"),
    "too large": (lambda home: (home / "x").write_bytes(b"x" * 2_000), "too much to be sent"),
    "too large together": (
        lambda home: [(home / f"x{n}").write_bytes(b"x" * 400) for n in range(3)],
        "too much to be sent",
    ),
    "too many": (lambda home: [(home / f"x{n}").touch() for n in range(50)], "more than 40 files"),
}


@pytest.mark.parametrize(("change", "fault"), HOSTILE_FOLDERS.values(), ids=HOSTILE_FOLDERS)
def test_hostile_folders_are_not_packed(home, monkeypatch, change, fault):
    monkeypatch.setattr(archives, "MOST_BYTES", 1_000)
    monkeypatch.setattr(limits, "MOST_FILES", 40)
    change(home)
    with pytest.raises(ConfigError) as caught:
        pack_bot(home)
    text = str(caught.value)
    assert fault in text
    assert text.startswith("bots.mine: ")
    assert len(text.splitlines()) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="allowed: only root can make devices")
def test_a_device_is_not_packed(home):
    os.mknod(home / "x", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    with pytest.raises(ConfigError, match="is a device"):
        pack_bot(home)


def test_names_that_are_long_or_not_utf_8_arrive(home, tmp_path):
    for place in (home / os.fsdecode(b"\xff"), home.joinpath(*["x" * 200] * 6)):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    there = tmp_path / "there"
    there.mkdir()
    unpack(pack_bot(home), there)
    assert {path.removeprefix("bot/") for path in contents(there)} == contents(home).keys()


@pytest.mark.skipif(os.geteuid() == 0, reason="allowed: root can read everything")
def test_a_file_that_cannot_be_read_is_not_left_out(home):
    (home / "lib" / "book.py").chmod(0)
    with pytest.raises(ConfigError, match=r"bots\.mine: lib/book\.py cannot be read$"):
        pack_bot(home)


# --- archives --------------------------------------------------------------------------------------


def file(name, content=b"x", kind=tarfile.REGTYPE):
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, len(content)
    return member, content


def link(name, target, kind=tarfile.SYMTYPE):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, os.fsdecode(target)
    return member, b""


def archive(*files):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as made:
        for member, content in files:
            made.addfile(member, io.BytesIO(content))
    return data.getvalue()


def escape_beyond_the_longest_path():
    """Make links that some versions of Python follow without seeing where they lead, and a file behind them."""
    folder, files, place = "d" * 247, [], "bot"
    for letter in "abcdefghijklmnop":
        place += f"/{folder}"
        files += [file(place, b"", tarfile.DIRTYPE), link(f"{Path(place).parent}/{letter}", folder.encode())]
    chain = "/".join("abcdefghijklmnop")
    files += [link(f"bot/{chain}/{'l' * 254}", b"../" * 16)]
    out = f"{chain}/{'l' * 254}/../.."
    return [*files, link("bot/out", out.encode()), link("bot/hard", b"bot/out/secret.txt", tarfile.LNKTYPE)]


HOSTILE_ARCHIVES = {
    "parent": [file("../x")],
    "parent inside": [file("bot/../../x")],
    "parent of the top": [file("bot/..", b"", tarfile.DIRTYPE)],
    "no name": [file("")],
    "long name": [file(f"bot/{'x' * 300}")],
    "long path": [file("bot/" + "x/" * 3000 + "x")],
    "deep": [file("bot/" + "x/" * 201 + "x")],
    "a file and a link": [file("bot/x"), link("bot/x", b"y")],
    "a link and a file": [link("bot/x", b"y"), file("bot/x")],
    "a link and a folder": [link("bot/x", b"lib"), file("bot/x", b"", tarfile.DIRTYPE)],
    "a folder and a file": [file("bot/x/y"), file("bot/x")],
    "a file twice": [file("bot/x"), file("bot/./x")],
    "inside a file": [file("bot/x"), file("bot/x/y")],
    "a link through a link": [link("bot/x", b"lib"), link("bot/x/y", b"z")],
    "link out": [link("bot/x", b"../../secret.txt")],
    "link to the top": [link("bot/x", b"..")],
    "link as the top": [link("x", b"bot")],
    "link out and in again": [file("bot/a/b/f"), link("bot/c", b"a/b/c/d"), link("bot/a/b/c", b"../../../bot")],
    "link up after a name": [link("bot/x", b"y/../ok")],
    "absolute link": [link("bot/x", b"/etc/passwd")],
    "link without a target": [link("bot/x", b"")],
    "link from a folder": [link("bot/a/x", b"../../../secret.txt")],
    "links that lead out together": [
        file("bot/a/b/f"),
        link("bot/d", b"a/b/.."),
        link("bot/e", b"d/../../../secret.txt"),
    ],
    "short cut": [file("bot/x/y/z"), link("bot/x/y/up", b"../.."), link("bot/out", b"x/y/up/../../secret.txt")],
    "longer than the longest path": escape_beyond_the_longest_path()[:-1],
    "a hard link to such a path": escape_beyond_the_longest_path(),
    "device": [file("bot/x", b"", tarfile.CHRTYPE)],
    "pipe": [file("bot/x", b"", tarfile.FIFOTYPE)],
    "hard link": [link("bot/x", b"/etc/passwd", tarfile.LNKTYPE)],
    "hard link out": [link("bot/x", b"../secret.txt", tarfile.LNKTYPE)],
    "too many": [file(f"bot/{number}", b"") for number in range(41)],
    "too many folders": [file(f"bot/{number}/" + "x/" * 20, b"", tarfile.DIRTYPE) for number in range(4)],
    "too large": [file("bot/x", b"x" * 1_001)],
    "too large together": [file(f"bot/{number}", b"x" * 101) for number in range(10)],
}
HARMLESS_ARCHIVES = {
    "NUL": [file("bot/x\0y"), link("bot/y", b"ok\0b")],
    "absolute name": [file("/bot/x")],
    "dot": [file("bot/./x")],
    "two slashes": [file("bot//x")],
    "another top": [file("etc/x")],
    "lone surrogate": [file("bot/\udcff")],
    "a folder and a link": [file("bot/x", b"", tarfile.DIRTYPE), link("bot/y", b"x")],
    "through a link that is made later": [link("bot/y", b"ok"), file("bot/x/y")],
    "set-user-ID": [file("bot/x")],
}
HARMLESS_ARCHIVES["set-user-ID"][0][0].mode = 0o6777


@pytest.fixture
def there(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_BYTES", 1_000)
    monkeypatch.setattr(archives, "MOST_FILES", 40)
    (tmp_path / "secret.txt").write_text("secret")
    there = tmp_path / "there"
    there.mkdir()
    yield there
    outside = [path for path in tmp_path.rglob("*") if not path.is_relative_to(there)]
    assert outside == [tmp_path / "secret.txt"]
    assert outside[0].read_text() == "secret"


@pytest.mark.parametrize("files", HOSTILE_ARCHIVES.values(), ids=HOSTILE_ARCHIVES)
def test_hostile_archives_are_not_unpacked(there, files):
    with pytest.raises(BadArchive):
        unpack(archive(file("bot/ok"), *files), there)
    assert list(there.iterdir()) == []


@pytest.mark.parametrize("files", HARMLESS_ARCHIVES.values(), ids=HARMLESS_ARCHIVES)
def test_odd_archives_leave_nothing_outside(there, files):
    unpack(archive(file("bot/ok"), *files), there)
    modes = {stat.S_IMODE(path.lstat().st_mode) for path in there.rglob("*") if not path.is_symlink()}
    assert modes <= {0o444, 0o555, 0o755}


def test_bytes_that_are_no_archive_are_refused(there):
    for data in (b"", b"x" * 2_000, archive(file("bot/ok"))[:700]):
        with pytest.raises(BadArchive):
            unpack(data, there)


GOOD_LINKS = {
    "to a missing file": [link("bot/x", b"y")],
    "to itself": [link("bot/x", b"x")],
    "to the folder": [link("bot/lib/x", b"..")],
    "deep": [file("bot/a/b/f"), link("bot/a/b/x", b"../../ok")],
}


@pytest.mark.parametrize("files", GOOD_LINKS.values(), ids=GOOD_LINKS)
def test_links_inside_the_folder_are_unpacked(there, files):
    unpack(archive(file("bot/ok"), *files), there)
    for member, _ in files:
        assert not member.issym() or str((there / member.name).readlink()) == member.linkname


def test_a_full_disk_is_reported(there, monkeypatch):
    def no_space(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "symlink", no_space)
    with pytest.raises(OSError, match="No space left"):
        unpack(archive(file("bot/ok"), link("bot/x", b"ok")), there)

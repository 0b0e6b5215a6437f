"""Archives of bots: hostile folders are not packed, and hostile archives leave nothing outside their folder."""

import os
import socket
import stat
import sys
import tempfile
from pathlib import Path

import pytest

from arbiter.cluster import archives
from arbiter.cluster.archives import Archive, BadArchive, PackedFile, pack, remove_folder, unpack
from arbiter.errors import ConfigError
from arbiter.tournament import programs
from arbiter.tournament.config.bot_entries import BotEntry, find_program
from arbiter.tournament.programs import ProgramDigests

DIGEST = "d" * 64


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
    return find_program(BotEntry(name="mine", command=list(command), **entry), home.parent)


def pack_bot(home, command=("./mine/bot.py",), **entry):
    program = find(home, command, **entry)
    digests = ProgramDigests([program])
    found = digests.digest("mine")
    return pack(program, found, digests.list_paths("mine"))


def contents(folder):
    """Return the content of each file and the target of each link in a folder."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()  # noqa: PTH115 - a Path normalises it
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def test_a_folder_is_the_same_on_the_other_machine_and_read_only(home, tmp_path):
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
    assert modes == {"bot": 0o555, "lib": 0o555, "named": 0o555, "bot.py": 0o444, "book.py": 0o444, "run": 0o555}
    remove_folder(there)
    assert not there.exists()


def test_a_file_outside_the_folder_that_the_command_names_is_packed_and_declared_files_are_not(home, tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "large").write_text("large")
    archive = pack_bot(home, ["./mine/bot.py", "./secret.txt"], read=["tables"])
    names = {file.name for file in archive.files}
    assert {name for name in names if not name.startswith("bot/")} == {"named/2/secret.txt"}


def test_a_link_that_the_command_names_stays_a_link(home):
    (link,) = (file for file in pack_bot(home, ["./mine/link.py"]).files if file.name == "bot/link.py")
    assert (link.kind, link.content) == ("link", b"bot.py")


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
    "pipe": (lambda home: os.mkfifo(home / "x"), "is a pipe, a socket or a device"),
    "socket": (make_socket, "is a pipe, a socket or a device"),
    "long name": (lambda home: _deep(home, 6, "x" * 200), "is too long a name"),
    "not UTF-8": (lambda home: (home / os.fsdecode(b"\xff")).touch(), "is not UTF-8"),
    "too large": (lambda home: (home / "x").write_bytes(b"x" * 2_000), "too many or too large"),
    "too large together": (lambda home: [(home / f"x{n}").write_bytes(b"x" * 400) for n in range(3)], "too large"),
    "too many": (lambda home: [(home / f"x{n}").touch() for n in range(50)], "too many or too large"),
}


def _deep(home, depth, name):
    for _ in range(depth):
        home /= name
        home.mkdir()
    (home / "x").touch()


@pytest.mark.parametrize(("change", "fault"), HOSTILE_FOLDERS.values(), ids=HOSTILE_FOLDERS)
def test_hostile_folders_are_not_packed(home, monkeypatch, change, fault):
    monkeypatch.setattr(programs, "MOST_BYTES", 1_000)
    monkeypatch.setattr(programs, "MOST_FILES", 40)
    change(home)
    with pytest.raises(ConfigError) as caught:
        pack_bot(home)
    text = str(caught.value)
    assert fault in text
    assert text.startswith("bots.mine: ")
    assert text.endswith(", or set shared = true in [cluster] if all machines have it at the same path")
    assert len(text.splitlines()) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="allowed: only root can make devices")
def test_a_device_is_not_packed(home):
    os.mknod(home / "x", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    with pytest.raises(ConfigError, match="is a pipe, a socket or a device"):
        pack_bot(home)


CHANGES = {
    "another content": lambda home: (home / "bot.py").write_text("import os\n"),
    "removed": lambda home: (home / "bot.py").unlink(),
    "a link now": lambda home: ((home / "bot.py").unlink(), (home / "bot.py").symlink_to("../secret.txt")),
    "a pipe now": lambda home: ((home / "bot.py").unlink(), os.mkfifo(home / "bot.py")),
    "another target": lambda home: ((home / "link.py").unlink(), (home / "link.py").symlink_to("../secret.txt")),
    "grown": lambda home: (home / "run").write_bytes(b"x" * 3_000_000),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_folder_that_changes_while_it_is_packed_is_not_sent(home, change):
    program = find(home)
    digests = ProgramDigests([program])
    found = digests.digest("mine")
    change(home)
    with pytest.raises(ConfigError, match=r"bots\.mine: .*(has changed|cannot be read|is a pipe)"):
        pack(program, found, digests.list_paths("mine"))


# --- archives --------------------------------------------------------------------------------------


def file(name, content=b"x", kind="file"):
    return PackedFile(name, kind, content)


def link(name, target):
    return PackedFile(name, "link", target)


HOSTILE_ARCHIVES = {
    "absolute name": [file("/tmp/x")],
    "parent": [file("../x")],
    "parent inside": [file("bot/../../x")],
    "parent of the top": [file("bot/..")],
    "dot": [file("bot/./x")],
    "no name": [file("")],
    "only the top": [file("bot")],
    "no name at the end": [file("bot/")],
    "two slashes": [file("bot//x")],
    "another top": [file("etc/x")],
    "NUL": [file("bot/x\0y")],
    "lone surrogate": [file("bot/\udcff")],
    "long name": [file(f"bot/{'x' * 300}")],
    "long path": [file("bot/" + "x/" * 1000 + "x")],
    "the same name": [file("bot/x"), file("bot/x", b"y")],
    "a file and a link": [file("bot/x"), link("bot/x", b"y")],
    "inside a file": [file("bot/x"), file("bot/x/y")],
    "through a link": [link("bot/x", b"lib"), file("bot/x/y")],
    "a link through a link": [link("bot/x", b"lib"), link("bot/x/y", b"z")],
    "link out": [link("bot/x", b"../../secret.txt")],
    "link to the top": [link("bot/x", b"..")],
    "absolute link": [link("bot/x", b"/etc/passwd")],
    "link without a target": [link("bot/x", b"")],
    "link with NUL": [link("bot/x", b"a\0b")],
    "link next to the folder": [link("named/x", b"y")],
    "link from a folder": [link("bot/a/x", b"../../../secret.txt")],
    "links that lead out together": [
        file("bot/a/b/f"),
        link("bot/d", b"a/b/.."),
        link("bot/e", b"d/../../../secret.txt"),
    ],
    "links whose real path is outside": [
        file("bot/a/b/f"),
        link("bot/c", b"a/b/c/d"),
        link("bot/a/b/c", b"../../../bot"),
    ],
    "short cut": [file("bot/x/y/z"), link("bot/x/y/up", b"../.."), link("bot/out", b"x/y/up/../../secret.txt")],
    "device": [file("bot/x", kind="device")],
    "pipe": [file("bot/x", kind="fifo")],
    "folder": [file("bot/x", kind="folder")],
    "hard link": [file("bot/x", b"/etc/passwd", kind="hardlink")],
    "too many": [file(f"bot/{number}", b"") for number in range(41)],
    "too large": [file("bot/x", b"x" * 1_001)],
    "too large together": [file(f"bot/{number}", b"x" * 101) for number in range(10)],
}


@pytest.mark.parametrize("files", HOSTILE_ARCHIVES.values(), ids=HOSTILE_ARCHIVES)
def test_hostile_archives_are_not_unpacked(tmp_path, monkeypatch, files):
    monkeypatch.setattr(archives, "MOST_BYTES", 1_000)
    monkeypatch.setattr(archives, "MOST_FILES", 40)
    (tmp_path / "secret.txt").write_text("secret")
    there = tmp_path / "there"
    there.mkdir()
    with pytest.raises(BadArchive):
        unpack(Archive(DIGEST, (file("bot/ok"), *files)), there)
    outside = [path for path in tmp_path.rglob("*") if not path.is_relative_to(there)]
    assert outside == [tmp_path / "secret.txt"]
    assert outside[0].read_text() == "secret"


GOOD_LINKS = {
    "to a missing file": [link("bot/x", b"y")],
    "to itself": [link("bot/x", b"x")],
    "to the folder": [link("bot/lib/x", b"..")],
    "deep": [file("bot/a/b/f"), link("bot/a/b/x", b"../../ok")],
}


@pytest.mark.parametrize("files", GOOD_LINKS.values(), ids=GOOD_LINKS)
def test_links_inside_the_folder_are_unpacked(tmp_path, files):
    unpack(Archive(DIGEST, (file("bot/ok"), *files)), tmp_path)
    assert all(str((tmp_path / one.name).readlink()) == one.content.decode() for one in files if one.kind == "link")


def test_names_that_a_file_system_holds_for_equal_are_refused(tmp_path, monkeypatch):
    """On such a file system, the second file cannot be made."""
    real = os.open

    def fold_case(path, flags, mode=0o777, **options):
        return real(str(path).lower() if flags & os.O_CREAT else path, flags, mode, **options)

    monkeypatch.setattr(os, "open", fold_case)
    with pytest.raises(BadArchive, match="'bot/X' is in it twice for the file system"):
        unpack(Archive(DIGEST, (file("bot/x"), file("bot/X"))), tmp_path)

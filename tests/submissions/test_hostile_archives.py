"""Archives and commands that hostile authors submit: nothing outside the folder is written, read or started."""

import gzip
import io
import os
import re
import signal
import subprocess
import sys
import tarfile

import pytest

from arbiter.errors import ConfigError
from arbiter.sandbox.files import archive as archives
from arbiter.sandbox.files.archive import BadArchive, unpack
from arbiter.submissions import unpacking
from arbiter.submissions.examine import enter_home, find_submitted
from arbiter.submissions.unpacking import decompress

PATIENCE_S = 120


def make_archive(*members, compress=True):
    """Make an archive of members, which are a name with contents, or a dictionary of the fields of one."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for member in members:
            fields = {"name": member[0], "content": member[1]} if isinstance(member, tuple) else dict(member)
            content = fields.pop("content", b"")
            found = tarfile.TarInfo(fields["name"])
            found.size = len(content)
            for name, value in fields.items():
                setattr(found, name, value)
            archive.addfile(found, io.BytesIO(content))
    return gzip.compress(data.getvalue(), 1) if compress else data.getvalue()


GOOD = ("bot/bot.py", b"print()\n")
HOSTILE = {
    "a path upwards": {"name": "bot/../../escaped", "content": b"x"},
    "an absolute path of a link": {"name": "bot/a", "type": tarfile.SYMTYPE, "linkname": "/etc/passwd"},
    "a link upwards": {"name": "bot/a", "type": tarfile.SYMTYPE, "linkname": "../../secret"},
    "a link to another bot": {"name": "bot/a", "type": tarfile.SYMTYPE, "linkname": "../other"},
    "a hard link": {"name": "bot/a", "type": tarfile.LNKTYPE, "linkname": "bot/bot.py"},
    "a device": {"name": "bot/a", "type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3},
    "a disk": {"name": "bot/a", "type": tarfile.BLKTYPE, "devmajor": 8},
    "a pipe": {"name": "bot/a", "type": tarfile.FIFOTYPE},
    "a setuid bit": {"name": "bot/a", "mode": 0o4755},
    "a setgid bit": {"name": "bot/a", "mode": 0o2755},
    "a file in the place of a folder": {"name": "bot/bot.py/a"},
    "a folder in the place of a file": {"name": "bot/bot.py", "type": tarfile.DIRTYPE},
    "a link in the place of a file": {"name": "bot/bot.py", "type": tarfile.SYMTYPE, "linkname": "b.py"},
    "a file twice": {"name": "bot/./bot.py", "content": b"x"},
    "a folder of great depth": {"name": "bot/" + "a/" * 50_000},
    "a name that is too long": {"name": f"bot/{'a' * 300}"},
    "a NUL character in a name": {"name": "bot/a", "pax_headers": {"path": "bot/a\0b"}},
    "a NUL character in a link": {"name": "bot/a", "type": tarfile.SYMTYPE, "pax_headers": {"linkpath": "a\0b"}},
    "a link to a name that is too long": {"name": "bot/a", "type": tarfile.SYMTYPE, "linkname": "a/" * 3000},
    "a link in the place of the folder": {"name": "other", "type": tarfile.SYMTYPE, "linkname": "bot"},
    "no number as its time": {"name": "bot/a", "pax_headers": {"mtime": "nan"}},
    "a time after all times": {"name": "bot/a", "pax_headers": {"mtime": "1e18"}},
    "a time before 1970": {"name": "bot/a", "pax_headers": {"mtime": "-1e10"}},
    "a path that is too long": {"name": "/".join(["bot", *["a" * 250] * 20])},
}


@pytest.mark.parametrize("member", HOSTILE.values(), ids=HOSTILE)
def test_hostile_members_are_refused(tmp_path, member):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    with pytest.raises(BadArchive) as refused:
        unpack(decompress(make_archive(GOOD, member)), folder, refuses_setuid=True)
    assert str(tmp_path) not in str(refused.value)
    assert re.search(r"'(bot/)?(a|b|other)|deep", str(refused.value))
    assert list(folder.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "secret"]


def test_headers_that_each_member_copies_are_refused(tmp_path):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", pax_headers={f"{number}": "" for number in range(101)}) as archive:
        archive.addfile(tarfile.TarInfo("bot/a"))
    with pytest.raises(BadArchive, match="more than 100 global headers"):
        unpack(data.getvalue(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_FILES", 10)
    files = [(f"bot/{number}", b"") for number in range(11)]
    folders = [{"name": f"bot/{number}", "type": tarfile.DIRTYPE} for number in range(21)]
    unpack(decompress(make_archive(*files[:10])), tmp_path)
    implied = [(f"bot/{number}/a/a/a/a/file", b"") for number in range(4)]
    for members in (files, folders, implied):
        with pytest.raises(BadArchive, match="more than 10 files"):
            unpack(decompress(make_archive(*members)), tmp_path)


def test_what_grows_too_much_is_not_decompressed(tmp_path, monkeypatch):
    for module in (unpacking, archives):
        monkeypatch.setattr(module, "MOST_BYTES", 1 << 20)
    with pytest.raises(BadArchive, match="more than 1 MiB"):
        decompress(gzip.compress(bytes(64 << 20), 1))
    claims = {"name": "bot/a", "type": tarfile.REGTYPE}
    archive = make_archive(claims, ("bot/b", bytes(900 << 10)), ("bot/c", bytes(100 << 10)), compress=False)
    monkeypatch.setattr(archives, "MOST_BYTES", 1 << 19)
    with pytest.raises(BadArchive, match="more than 0 MiB"):
        unpack(archive, tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"no archive", b"\x1f\x8b\x08\x00", make_archive(GOOD)[:-20], gzip.compress(b"no archive")),
        *(os.urandom(5000), make_archive(GOOD) * 2),
    ],
    ids=["nothing", "text", "the start of gzip", "half", "text in gzip", "noise", "two archives"],
)
def test_what_is_no_archive_is_refused_in_one_line(tmp_path, data):
    archive, folder = tmp_path / "archive", tmp_path / "folder"
    archive.write_bytes(data)
    folder.mkdir()
    command = [sys.executable, "-m", "arbiter.submissions.unpacking", archive, folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if data:  # nothing is an archive without files
        assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (1, "", 1)
    assert list(folder.iterdir()) == []


@pytest.mark.heavy
def test_an_archive_that_takes_too_long_is_given_up(tmp_path):
    """The map of the parts of a file has ten million numbers, in 40 KB."""
    headers = {"GNU.sparse.map": "1,1," * 5_000_000 + "1,1", "GNU.sparse.size": "9"}
    (tmp_path / "archive").write_bytes(make_archive({"name": "bot/a", "pax_headers": headers}))
    script = "from arbiter.submissions import unpacking; unpacking.MOST_S = 1; unpacking.main()"
    command = [sys.executable, "-c", script, tmp_path / "archive", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    assert done.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]


COMMANDS = {
    "a program of the machine by its path": ["/usr/bin/env", "./bot.py"],
    "a bridge to a program of the machine": ["ucc-bridge", "/usr/bin/env"],
    "a bridge upwards": ["ucc-bridge", "../secret.py"],
    "a sample bot": ["python3", "-I", "-m", "sample_bots.hunter"],
    "a link out of the folder": ["./out.py"],
    "a program that is missing": ["./missing.py"],
    "a program that nobody has": ["no-such-program"],
    "a NUL character": ["./bot.py", "\0"],
    "nothing": [""],
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "secret.py").write_text("secret = 1\n")
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.py").write_text("print()\n")
    (folder / "out.py").symlink_to(tmp_path / "secret.py")
    return folder


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_commands_name_only_files_of_the_bot(folder, command):
    with pytest.raises(ConfigError, match="command"):
        find_submitted("deep", command, folder)


@pytest.mark.parametrize(
    ("link", "target"), [("notes", "../../secret.py"), ("deep/notes", "../../bot.py"), (".arbiterignore", "../bot.py")]
)
def test_a_link_does_not_lead_out_of_the_folder_that_is_kept(folder, link, target):
    home = folder / "lib" / "src"
    (home / "deep").mkdir(parents=True)
    (home / "bot.py").write_text("print()\n")
    (home / link).symlink_to(target)
    with pytest.raises(ConfigError, match=r"'lib/src'.*is a link out of the folder"):
        enter_home("deep", ["./lib/src/bot.py"], folder)
    (home / link).unlink()
    (home / "same.py").symlink_to("bot.py")
    assert enter_home("deep", ["./lib/src/same.py"], folder) == ("./same.py",)
    assert {path.name for path in folder.iterdir()} == {"bot.py", "same.py", "deep"}
    assert enter_home("deep", ["./same.py"], folder) == ("./same.py",)


def test_a_file_of_the_command_in_another_folder_is_named(folder):
    (folder / "src").mkdir()
    (folder / "src" / "bot.py").write_text("print()\n")
    (folder / "lib" / "words.txt").write_text("a\n")
    with pytest.raises(ConfigError, match=r"'lib/words\.txt' is not in 'src', the folder in which the bot works"):
        enter_home("deep", ["./src/bot.py", "lib/words.txt"], folder)
    assert (folder / "src" / "bot.py").exists()


@pytest.mark.parametrize(
    "command", [["./bot.py"], ["python3", "bot.py", "--fast"], ["python3", "-m", "bot"], ["ucc-bridge", "./bot.py"]]
)
def test_commands_of_bots_are_found(folder, command):
    program = find_submitted("deep", command, folder)
    assert program.folder == folder
    assert not program.trusted
    assert program.read == ()

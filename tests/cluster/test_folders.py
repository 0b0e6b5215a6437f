"""The folders of a machine in which archives are unpacked: shared by its processes, and removed by the last one."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from arbiter.cluster.archives import Archive, BadArchive, BotFolders, PackedFile

ARCHIVE = Archive(
    "a" * 64, (PackedFile("bot/bot.py", "file", b"play()"), PackedFile("bot/sub/x", "link", b"../bot.py"))
)
OTHER = Archive("b" * 64, (PackedFile("bot/bot.py", "file", b"think()"),))


@pytest.fixture
def place(tmp_path):
    return tmp_path / "bots"


def names(place):
    return sorted(path.name for path in place.iterdir())


def test_a_folder_is_unpacked_once_and_the_last_user_removes_it(place):
    one = BotFolders(place)
    two = BotFolders(place)
    assert two.find(ARCHIVE.digest) is None
    found = one.unpack(ARCHIVE)
    inode = found.stat().st_ino
    assert two.find(ARCHIVE.digest) == found
    assert two.unpack(ARCHIVE).stat().st_ino == inode
    assert one.unpack(OTHER) != found
    assert (found / "bot" / "sub" / "x").read_bytes() == b"play()"
    one.close()
    assert names(place) == [ARCHIVE.digest]
    two.close()
    assert names(place) == []
    assert one.unpack(ARCHIVE) == found  # it can be used again
    one.close()


def test_a_folder_in_use_is_no_leftover(place):
    one = BotFolders(place)
    found = one.unpack(ARCHIVE)
    BotFolders(place).close()
    assert (found / "bot" / "bot.py").exists()
    one.close()


def test_folders_of_killed_processes_are_removed(place):
    program = (
        "import sys, time; from pathlib import Path; from arbiter.cluster.archives import BotFolders;"
        "from arbiter.cluster.archives import Archive, PackedFile;"
        "folders = BotFolders(Path(sys.argv[1]));"
        "print(folders.unpack(Archive('a' * 64, (PackedFile('bot/x/y', 'program', b'z'),))), flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(place)], stdout=subprocess.PIPE, text=True)
    try:
        found = Path(process.stdout.readline().strip())
        assert (found / "bot" / "x" / "y").read_bytes() == b"z"
        BotFolders(place).close()
        assert found.exists()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert process.returncode == -signal.SIGKILL
    (place / "new-half").mkdir()
    os.utime(place / "new-half", (1, 1))
    (place / "new-now").mkdir()
    (place / "old-removed").mkdir()
    (place / "a file").touch()
    BotFolders(place).close()
    assert names(place) == ["a file", "new-now"]


def test_nothing_is_left_of_an_archive_that_cannot_be_unpacked(place):
    folders = BotFolders(place)
    out = PackedFile("bot/out", "link", b"sub/../../x")
    for archive in (Archive("a" * 64, (out,)), Archive("../" + "a" * 61, ARCHIVE.files), Archive("A" * 64, ())):
        with pytest.raises(BadArchive):
            folders.unpack(archive)
        assert folders.find(archive.digest) is None
    assert names(place) == []


def test_a_full_disk_leaves_nothing(place, monkeypatch):
    folders = BotFolders(place)

    def no_space(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "symlink_to", no_space)
    with pytest.raises(OSError, match="No space left"):
        folders.unpack(ARCHIVE)
    assert names(place) == []


def test_processes_that_come_and_leave_at_any_time_find_the_whole_folder(place):
    faults = []

    def use():
        folders = BotFolders(place)
        for _ in range(25):
            found = folders.unpack(ARCHIVE)
            if (found / "bot" / "sub" / "x").read_bytes() != b"play()":
                faults.append("content")
            folders.close()

    def guarded():
        try:
            use()
        except BaseException as error:  # noqa: BLE001 - reported below
            faults.append(error)

    threads = [threading.Thread(target=guarded) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []
    assert names(place) == []


OTHERS = {
    "a link": lambda place: place.symlink_to(place.parent),
    "a file": lambda place: place.touch(),
    "writable for others": lambda place: (place.mkdir(), place.chmod(0o777)),
}


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_a_place_that_others_can_change_is_refused(place, make):
    make(place)
    with pytest.raises(OSError, match="is not a folder that only this user can change; remove it"):
        BotFolders(place)

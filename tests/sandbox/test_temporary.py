"""Temporary folders of this user: private, removed when they are not used, also those of killed processes."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from arbiter.sandbox.files.temporary import make_own_folder, open_temporary, remove_leftovers

HOLD = """
import time
from arbiter.sandbox.files.temporary import open_temporary
with open_temporary("mine-") as folder:
    (folder / "bot").mkdir()
    print(folder, flush=True)
    time.sleep(3600)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_is_private_and_removed_with_its_contents(temporary):
    with open_temporary("mine-") as folder:
        assert folder.parent == temporary
        assert stat.S_IMODE(folder.stat().st_mode) & 0o066 == 0
        (folder / "bot").mkdir()
        with open_temporary("mine-") as other:
            assert other != folder
        assert (folder / "bot").is_dir()
    assert list(temporary.iterdir()) == []


def test_the_next_process_removes_the_folder_of_one_that_was_killed(temporary):
    environment = os.environ | {"TMPDIR": str(temporary)}
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        folder = Path(process.stdout.readline().strip())
        with open_temporary("mine-"):
            assert (folder / "bot").is_dir()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert process.returncode == -signal.SIGKILL
    assert folder.exists()
    with open_temporary("mine-"):
        assert not folder.exists()


def test_processes_that_clean_up_at_any_time_leave_the_folders_of_others():
    stop = threading.Event()

    def clean_up():
        while not stop.is_set():
            remove_leftovers("mine-")

    cleaner = threading.Thread(target=clean_up)
    cleaner.start()
    try:
        for _ in range(200):
            with open_temporary("mine-") as folder:
                (folder / "bot").touch()
    finally:
        stop.set()
        cleaner.join()


def test_a_folder_of_the_user_is_made_once():
    folder = make_own_folder("mine")
    (folder / "file").touch()
    assert make_own_folder("mine") == folder
    assert (folder / "file").exists()


OTHERS = {
    "a link": lambda place: place.symlink_to(place.parent),
    "a file": lambda place: place.touch(),
    "writable for others": lambda place: (place.mkdir(), place.chmod(0o777)),
}


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_a_place_that_others_can_change_is_refused(temporary, make):
    make(temporary / f"mine-{os.geteuid()}")
    with pytest.raises(OSError, match="is not a folder that only this user can change; remove it"):
        make_own_folder("mine")

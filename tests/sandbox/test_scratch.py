"""Folders for scratch: what is used stays, what a killed referee left is removed."""

import os
import subprocess
import sys
import tempfile

import pytest

from arbiter.sandbox.files.temporary import remove_leftovers
from arbiter.sandbox.process import NEW_SCRATCH_S, SCRATCH_PREFIX, Scratch, scratch_path

LONG_AGO = (0, 0)
KILLED = """
import os, signal
from arbiter.sandbox.process import Scratch
Scratch("left")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left():
    """Return the folder that a process left which was killed, as old as can be."""
    environment = os.environ | {"TMPDIR": tempfile.gettempdir()}
    subprocess.run([sys.executable, "-c", KILLED], env=environment, check=False)
    path = scratch_path("left")
    (path / "folder").mkdir()
    (path / "folder" / "more").write_text("endgames")
    os.utime(path, LONG_AGO)
    return path


def test_a_folder_is_removed_with_its_contents():
    scratch = Scratch("one")
    (scratch_path("one") / "folder").mkdir()
    scratch.remove()
    assert not scratch_path("one").exists()


def test_a_folder_of_a_killed_referee_is_removed():
    path = left()
    remove_leftovers(SCRATCH_PREFIX, NEW_SCRATCH_S)
    assert not path.exists()


def test_an_old_folder_in_use_stays():
    scratch = Scratch("one")
    os.utime(scratch_path("one"), LONG_AGO)
    remove_leftovers(SCRATCH_PREFIX, NEW_SCRATCH_S)
    assert scratch_path("one").exists()
    scratch.remove()


def test_a_new_folder_stays():
    scratch_path("new").mkdir()
    remove_leftovers(SCRATCH_PREFIX, NEW_SCRATCH_S)
    assert scratch_path("new").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="allowed: only root gives folders away")
def test_a_folder_of_another_user_stays():
    path = left()
    os.chown(path, 50_000, 50_000)
    os.utime(path, LONG_AGO)
    remove_leftovers(SCRATCH_PREFIX, NEW_SCRATCH_S)
    assert path.exists()


def test_links_and_files_stay(temporary):
    (temporary / "mine").mkdir()
    os.utime(temporary / "mine", LONG_AGO)
    scratch_path("linked").symlink_to(temporary / "mine")
    scratch_path("file").write_text("mine")
    os.utime(scratch_path("file"), LONG_AGO)
    remove_leftovers(SCRATCH_PREFIX, NEW_SCRATCH_S)
    assert {path.name for path in temporary.iterdir()} == {"mine", "arbiter-bot-linked", "arbiter-bot-file"}

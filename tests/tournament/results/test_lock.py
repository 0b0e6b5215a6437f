import fcntl
import os
import signal
import subprocess
import sys

import pytest

from arbiter.errors import ConfigError
from arbiter.tournament.results import live_files
from arbiter.tournament.results.live_files import Lock, read_last_look, read_lock_owner

HOLD = """
import subprocess, sys
from pathlib import Path
from arbiter.tournament.results.live_files import Lock
lock = Lock(Path(sys.argv[1]))
child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], close_fds=False, stdin=0, stdout=subprocess.DEVNULL)
print(child.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def no_patience(monkeypatch):
    """Try to lock only once."""
    monkeypatch.setattr(live_files, "_RETRY_S", 0)


@pytest.fixture
def owner(tmp_path):
    """Another process that has the lock and a child; both wait for a line that never comes."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path / "lock"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    child = int(process.stdout.readline())
    yield process, child
    process.kill()
    process.communicate(timeout=30)


@pytest.mark.usefixtures("no_patience")
def test_the_second_arbiter_sees_the_owner_of_the_lock(tmp_path, owner):
    process, _ = owner
    with pytest.raises(ConfigError) as caught:
        Lock(tmp_path / "lock")
    text = str(caught.value)
    assert f"(pid {process.pid} on {os.uname().nodename}, since 20" in text
    assert text.endswith("is playing this tournament; wait for it or stop it")


def test_the_lock_is_free_when_its_owner_is_killed_even_if_a_child_survives(tmp_path, owner):
    process, child = owner
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    os.kill(child, 0)
    Lock(tmp_path / "lock").release()


@pytest.mark.usefixtures("no_patience")
def test_a_process_cannot_lock_twice(tmp_path):
    with Lock(tmp_path / "lock"), pytest.raises(ConfigError, match=f"pid {os.getpid()}"):
        Lock(tmp_path / "lock")
    with Lock(tmp_path / "lock"):
        pass


def test_reading_the_owner_does_not_block_a_lock(tmp_path, monkeypatch):
    Lock(tmp_path / "lock").release()
    looking = os.open(tmp_path / "lock", os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    waits = []
    monkeypatch.setattr(live_files, "sleep", lambda _: (waits.append(1), fcntl.flock(looking, fcntl.LOCK_UN)))
    with Lock(tmp_path / "lock"):
        assert read_lock_owner(tmp_path / "lock").pid == os.getpid()
    assert waits == [1]
    os.close(looking)


@pytest.mark.usefixtures("no_patience")
def test_an_owner_without_a_name(tmp_path):
    with Lock(tmp_path / "lock"):
        os.truncate(tmp_path / "lock", 0)
        with pytest.raises(ConfigError, match="another arbiter that has just started is playing"):
            Lock(tmp_path / "lock")


def test_the_owner_is_read_without_locking(tmp_path, owner):
    process, _ = owner
    assert read_lock_owner(tmp_path / "lock").pid == process.pid
    process.kill()
    process.wait(timeout=30)
    assert read_lock_owner(tmp_path / "lock") is None
    with Lock(tmp_path / "lock"):
        assert read_lock_owner(tmp_path / "lock").pid == os.getpid()
        os.truncate(tmp_path / "lock", 0)
        assert read_lock_owner(tmp_path / "lock") is None
    assert read_lock_owner(tmp_path / "lock") is None
    assert read_lock_owner(tmp_path / "none") is None


def test_a_lock_can_be_released_twice(tmp_path):
    lock = Lock(tmp_path / "lock")
    lock.release()
    lock.release()


def test_a_missing_folder(tmp_path):
    with pytest.raises(ConfigError, match="cannot be opened: No such file or directory"):
        Lock(tmp_path / "gone" / "lock")


def test_only_the_note_of_this_user_is_believed(tmp_path, monkeypatch):
    look = (1, 2, 3, 4)
    Lock(tmp_path / "lock").release(look)
    assert read_last_look(tmp_path / "lock") == look
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert read_last_look(tmp_path / "lock") is None
    assert read_last_look(tmp_path / "none") is None

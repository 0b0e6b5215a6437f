"""Bots in folders that only their user may enter: they play from copies, which nobody else may read."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from cli.command_line import ARBITER, call

from arbiter.sandbox.files.toolchains import machine_toolchains

MATCH = "match --rules duel --games 2 --sandbox full --fresh --set max_plies=4"
STRANGER = 54_322


@pytest.fixture
def room(sandbox):
    """Return a folder that everybody may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def run(monkeypatch):
    """Return a function that calls the arbiter in a folder, as a user with another environment would."""

    def run_there(folder, *commands, mask=0o022, home="/", status=0, **variables):
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            for name, value in ({"HOME": home} | variables).items():
                patch.setenv(name, str(value))
            machine_toolchains.cache_clear()
            before = os.umask(mask)
            try:
                done = [call(*shlex.split(command)) for command in commands]
            finally:
                os.umask(before)
        assert [one.exit_code for one in done] == [*[0] * (len(done) - 1), status], [one.output for one in done]
        return done[-1].output

    yield run_there
    machine_toolchains.cache_clear()


@pytest.mark.parametrize("mask", [0o077, 0o022])
@pytest.mark.parametrize("place", ["a folder in a private home", "a private folder", "a private home"])
@pytest.mark.heavy(keep=1)
def test_a_bot_plays(room, run, place, mask):
    folder = room / "bots"
    home = {"a private folder": "/", "a folder in a private home": room, "a private home": folder}[place]
    room.chmod(0o700)
    folder.mkdir(0o700)
    run(folder, "new-bot mybot.py", f"{MATCH} ./mybot.py random", mask=mask, home=home)


def test_nobody_else_reads_its_copy(room, run):
    """Everybody knows the digest of a program, so it must not open the folder with this name."""
    (room / "mine").mkdir(0o700)
    run(room / "mine", "new-bot mybot.py", f"{MATCH} ./mybot.py random --results ../kept.sqlite")
    (copy,) = room.glob("kept.sqlite.entries/*/bot/mybot.py")
    if os.geteuid() != 0:
        assert copy.parent.parent.stat().st_mode & 0o077 == 0
        return
    read = ["cat", copy]
    assert subprocess.run(read, user=STRANGER, group=STRANGER, extra_groups=[], check=False).returncode != 0


def test_an_environment_elsewhere_is_shown_whatever_the_folders_above_it(room, run):
    """It plays in place, so another user must be able to read what is in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", room / "envs" / "own"], check=True)
    (room / "envs").chmod(0o700)
    (room / "bots").mkdir()
    match = f"{MATCH} 'envs/own/bin/python bots/mybot.py' random"
    run(room, "new-bot bots/mybot.py", match)
    if os.geteuid() == 0:
        (room / "envs" / "own" / "lib").chmod(0o700)
        message = run(room, match, status=2)
        assert f"who may not read some of its files; run chmod -R o+rX {room}/envs/own/lib\n" in message


@pytest.mark.parametrize("place", ["{closed}/pyenv", f"/{'x' * 300}"], ids=["closed", "long"])
@pytest.mark.parametrize("name", ["PATH", "PYENV_ROOT", "CONDA_PREFIX"])
@pytest.mark.heavy(keep=1)
def test_a_toolchain_that_cannot_be_read_is_ignored(room, run, name, place):
    """A private folder of another user is one; root can read that, but no path with a name that is too long."""
    closed = room / "closed"
    closed.mkdir(0o000)
    place = place.format(closed=closed)
    run(room, f"{MATCH} random random", **{name: f"{place}/bin:{os.environ['PATH']}" if name == "PATH" else place})


@pytest.mark.skipif(os.geteuid() != 0, reason="allowed: others never make mounts")
@pytest.mark.heavy
def test_a_bot_plays_if_root_may_not_make_mounts(room, run):
    """Then the users that bots run as must be able to enter the folder of the copies."""
    python = shutil.which("python3", path="/usr/bin")
    if python is None:
        pytest.skip("allowed: no Python that every user can start")
    room.chmod(0o700)
    run(room, "new-bot mybot.py")
    script = f"umount -l /run/arbiter-stage 2>/dev/null; umask 077; exec setpriv --bounding-set=-sys_admin {ARBITER} "
    script += f"{MATCH} '{python} mybot.py' 'again={python} mybot.py'"
    words = ["unshare", "--mount", "sh", "-c", script]
    environment = os.environ | {"HOME": "/"}
    done = subprocess.run(words, cwd=room, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

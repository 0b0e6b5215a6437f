"""Bots in folders that only their user may enter: they play from copies, which nobody else may read."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from cli.command_line import ARBITER

MATCH = "arbiter match --rules duel --games 2 --sandbox full --fresh --set max_plies=4"
STRANGER = 54_322


@pytest.fixture
def room(sandbox):
    """Return a folder that everybody may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def run(folder, script, mask="022", home="/", status=0):
    """Run a script of the shell, as a user would, in a folder; return its output."""
    script = f'umask {mask}; arbiter() {{ {ARBITER} "$@"; }}; {script}'
    environment = os.environ | {"HOME": str(home)}
    words = ["sh", "-ec", script]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("mask", ["022", "077"])
@pytest.mark.parametrize("place", ["a private folder", "a folder in a private home", "a private home"])
def test_a_bot_plays(room, place, mask):
    folder = room / "bots"
    home = {"a private folder": "/", "a folder in a private home": room, "a private home": folder}[place]
    room.chmod(0o700)
    folder.mkdir(0o700)
    run(folder, f"arbiter new-bot mybot.py; {MATCH} ./mybot.py random", mask, home)


def test_nobody_else_reads_its_copy(room):
    """Everybody knows the digest of a program, so it must not open the folder with this name."""
    (room / "mine").mkdir(0o700)
    run(room, f"cd mine; arbiter new-bot mybot.py; {MATCH} ./mybot.py random --results ../kept.sqlite")
    (copy,) = room.glob("kept.sqlite.entries/*/bot/mybot.py")
    if os.geteuid() != 0:
        assert copy.parent.parent.stat().st_mode & 0o077 == 0
        return
    read = ["cat", copy]
    assert subprocess.run(read, user=STRANGER, group=STRANGER, extra_groups=[], check=False).returncode != 0


def test_an_environment_elsewhere_is_shown_whatever_the_folders_above_it(room):
    """It plays in place, so another user must be able to read what is in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", room / "envs" / "own"], check=True)
    (room / "envs").chmod(0o700)
    match = f"{MATCH} 'envs/own/bin/python bots/mybot.py' random"
    run(room, f"mkdir bots; arbiter new-bot bots/mybot.py; {match}")
    if os.geteuid() == 0:
        (room / "envs" / "own" / "lib").chmod(0o700)
        message = run(room, match, status=2)
        assert f"who may not read some of its files; run chmod -R o+rX {room}/envs/own/lib\n" in message


@pytest.mark.parametrize("name", ["PYENV_ROOT", "CONDA_PREFIX", "PATH"])
def test_a_toolchain_that_cannot_be_read_is_ignored(room, name):
    """A private folder of another user is one; root can read that, but no path with a name that is too long."""
    closed = room / "closed"
    closed.mkdir(0o000)
    for place in (closed / "pyenv", f"/{'x' * 300}"):
        value = f"{place}/bin:$PATH" if name == "PATH" else place
        run(room, f"export {name}={value}; {MATCH} random random")


@pytest.mark.skipif(os.geteuid() != 0, reason="allowed: others never make mounts")
def test_a_bot_plays_if_root_may_not_make_mounts(room):
    """Then the users that bots run as must be able to enter the folder of the copies."""
    python = shutil.which("python3", path="/usr/bin")
    if python is None:
        pytest.skip("allowed: no Python that every user can start")
    room.chmod(0o700)
    without = "umount -l /run/arbiter-stage 2>/dev/null; exec setpriv --bounding-set=-sys_admin"
    match = f"{MATCH.replace('arbiter', str(ARBITER), 1)} '{python} mybot.py' 'again={python} mybot.py'"
    run(room, f'arbiter new-bot mybot.py; unshare --mount sh -c "{without} {match}"', "077")

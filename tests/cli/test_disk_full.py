"""A really full disk: the run ends with one line, no game is lost, and it continues when there is space."""

import json
import os
import resource
import subprocess
import sys
from contextlib import contextmanager

import pytest
from cli.command_line import ARBITER, PATIENCE_S, call, call_ok, with_usual_options, without_notices
from cli.fast_bots import fast_tournament

from arbiter.verify import verify

MAY_MOUNT = sys.platform == "linux" and os.geteuid() == 0
GAMES, FEW = 60, 6  # more than fit on a small disk, and what fits easily
SMALL, ROOMY = "size=256k", "size=64m"


@contextmanager
def small_disk(folder):
    """Mount a small disk; skip if this is not allowed."""
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", SMALL, "tmpfs", folder]
    if not MAY_MOUNT or subprocess.run(mounting, check=False, capture_output=True).returncode:
        pytest.skip("allowed: needs root to mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "disk") as folder:
        yield folder


def remount(disk, how):
    subprocess.run(["mount", "-o", f"remount,{how}", disk], check=True)


def run(file, results, **how):
    """Run the arbiter in a separate process; return the ids it printed, its exit code and stderr."""
    words = [ARBITER, *with_usual_options(["run", file, "--results", results, "--json"])]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE_S, **how)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    return [game["id"] for game in said if "id" in game], done.returncode, without_notices(done.stderr)


def list_games(results):
    return [json.loads(line)["id"] for line in call_ok("games", results, "--json").splitlines()]


def check_complete(results, records, told, games=GAMES):
    assert sorted(list_games(results)) == sorted(told)
    assert len(set(told)) == len(told) == games
    call("games", results, "--export", records)
    assert all(verify(record.read_bytes()).ok for record in records.iterdir())


def check_one_line(code, complaint, what):
    assert code == 2
    assert len(complaint.splitlines()) == 1, complaint
    assert complaint.startswith("arbiter: ")
    assert what in complaint


@pytest.mark.heavy
def test_a_disk_that_fills_up_between_games(tmp_path, disk, fast_bot):
    file = fast_tournament(tmp_path, fast_bot, GAMES)
    told, code, complaint = run(file, disk)
    check_one_line(code, complaint, "the games stored so far are safe")
    assert 0 < len(told) < GAMES
    more, code, complaint = run(file, disk)  # closing the results has freed some space, for a few games at most
    check_one_line(code, complaint, "")
    told += more
    assert len(told) < GAMES
    remount(disk, ROOMY)
    assert sorted(list_games(disk)) == sorted(told)
    more, code, complaint = run(file, disk)
    assert (code, complaint) == (0, "")
    check_complete(disk, tmp_path / "records", told + more)


@pytest.mark.parametrize("spare", [0, 1, 4, 6, 8, 12])
@pytest.mark.heavy(keep=1)
@pytest.mark.slow(keep=2)
def test_a_disk_that_is_full_from_the_start(tmp_path, disk, fast_bot, spare):
    file = fast_tournament(tmp_path, fast_bot, FEW)
    (disk / "ballast").write_bytes(b"x" * 4096 * (64 - spare))
    told, code, complaint = run(file, disk)
    check_one_line(code, complaint, "")
    assert told == []
    (disk / "ballast").unlink()
    remount(disk, ROOMY)
    told, code, complaint = run(file, disk)
    assert (code, complaint) == (0, "")
    check_complete(disk, tmp_path / "records", told, FEW)


@pytest.mark.parametrize(("kib", "games"), [(1, FEW), (4, FEW), (40, FEW), (100, GAMES)])
@pytest.mark.heavy
@pytest.mark.slow(keep=1)
def test_a_limit_to_the_size_of_files(tmp_path, monkeypatch, fast_bot, kib, games):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # Python 3.11 does not notice that a file of bytecode is cut
    file = fast_tournament(tmp_path, fast_bot, games)
    results = tmp_path / "results"
    limit = (1024 * kib, 1024 * kib)
    told, code, complaint = run(file, results, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    check_one_line(code, complaint, "")
    assert len(told) < games
    more, code, complaint = run(file, results)
    assert (code, complaint) == (0, "")
    check_complete(results, tmp_path / "records", told + more, games)


@pytest.mark.heavy
def test_a_disk_that_turns_read_only(tmp_path, disk, fast_bot):
    file = fast_tournament(tmp_path, fast_bot, FEW)
    remount(disk, ROOMY)
    assert len(run(file, disk)[0]) == FEW
    remount(disk, "ro")
    told, code, complaint = run(fast_tournament(tmp_path, fast_bot, FEW + 2), disk)
    check_one_line(code, complaint, "club.sqlite.lock: cannot be opened: Read-only file system")
    assert told == []
    assert len(list_games(disk)) == FEW

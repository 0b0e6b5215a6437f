"""Memory: every way of taking more than a bot may have fails, and neither its opponent nor the arbiter notices."""

import secrets
import subprocess
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from referee.real_games import bot
from referee.sandboxed_games import attack_report, check_undisturbed, play_in_sandbox

from arbiter.sandbox.cgroups import CgroupTree, GroupLimits, NoCgroups, find_base

TESTS = Path(__file__).parent.parent
LIMIT_MB = 256
REFUSED = ["memfd", "queues", "semaphores", "shared", "zeros", "access_lists", "tcp", "spliced", "sent_file"]
COUNTED = ["anonymous", "without_leader", "inodes", "backlog", "page_tables"]
BOUNDED = {"pipes": 160}
LIMITED = "sockets_in_flight"  # by the limit for descriptors in flight, or as memory


def attacker(name):
    return replace(bot("attacks_memory", name, "1500"), memory_mb=LIMIT_MB)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.heavy(keep=3)
def test_memory_that_no_limit_counts_is_refused(sandbox, name):
    assert attack_report(check_undisturbed(play_in_sandbox(sandbox, attacker(name), bot()))) == 0


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.heavy(keep=2)
def test_a_bot_that_takes_more_memory_than_its_limit_loses(sandbox, name):
    played = play_in_sandbox(sandbox, attacker(name), bot())
    assert played.outcome == ("crash", "blue")
    assert f"memory_mb = {LIMIT_MB}" in played.result.why


@pytest.mark.parametrize("name", BOUNDED)
def test_other_memory_is_bounded(sandbox, name):
    assert attack_report(check_undisturbed(play_in_sandbox(sandbox, attacker(name), bot()))) <= BOUNDED[name]


@pytest.mark.heavy
def test_sockets_that_are_sent_and_closed_are_limited(sandbox):
    played = play_in_sandbox(sandbox, attacker(LIMITED), bot())
    assert played.outcome == ("crash", "blue") or attack_report(check_undisturbed(played)) <= 120


# --- little memory for the arbiter itself ---------------------------------------------------------

SMALL_MB = 700
GAME = """
import os, sys
from pathlib import Path
Path(sys.argv[1]).write_text(str(os.getpid()))
from msgspec.structs import replace
from referee.real_games import bot, play
from arbiter.sandbox.process import adopt_orphans
from arbiter.sandbox.select import open_sandbox
adopt_orphans()
played = play(replace(bot("attacks_memory", sys.argv[2], "1500"), memory_mb=int(sys.argv[3])), bot(), isolation=open_sandbox())
print(*played.outcome)
"""


@pytest.fixture
def small_group():
    """Make a control group with little memory, of either version; return the file that takes processes."""
    path = Path("/sys/fs/cgroup/memory", f"arbiter-test-{secrets.token_hex(6)}")
    try:
        if path.parent.exists():
            tree = None
            path.mkdir()
            (path / "memory.limit_in_bytes").write_text(str(SMALL_MB << 20))
        else:
            tree = CgroupTree(find_base())
            if "memory" not in tree.controllers:
                raise NoCgroups("no controller for memory")
            path = tree.create("small", GroupLimits(memory_mb=SMALL_MB, processes=1000)).path
            (path / "memory.oom.group").write_text("0")
    except (OSError, NoCgroups) as error:
        pytest.skip(f"allowed: no control group for memory can be made here: {error}")
    yield path / "cgroup.procs"
    while (path / "cgroup.procs").read_text():
        time.sleep(0.01)
    path.rmdir()
    if tree is not None:
        tree.close()


ATTACKS = ["anonymous", "without_leader", "backlog", "inodes", *REFUSED, *BOUNDED]


@pytest.mark.parametrize(("name", "memory_mb"), [(name, limit) for name in ATTACKS for limit in (LIMIT_MB, 2048)])
@pytest.mark.slow(keep=2)
@pytest.mark.heavy
@pytest.mark.usefixtures("sandbox")
def test_an_arbiter_with_little_memory_survives(small_group, name, memory_mb):
    words = [sys.executable, "-c", GAME, str(small_group), name, str(memory_mb)]
    done = subprocess.run(words, cwd=TESTS, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    if memory_mb > SMALL_MB:  # the kernel may have killed some of the attacker's processes
        assert "red" not in done.stdout
    else:
        assert done.stdout.strip() == ("crash blue" if name in COUNTED else "no_attack_limit None")

"""Control groups: freezing, measuring, killing and limiting all processes of a group, and what killed arbiters leave."""

import errno
import os
import signal
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from referee.real_games import bot

from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.cgroups import Cgroup, CgroupTree, GroupLimits, NoCgroups, find_base
from arbiter.sandbox.isolation import ARMED
from arbiter.sandbox.usage import descendants

LIMITS = GroupLimits(memory_mb=64, processes=8)
WAIT_S = 60
# Waits for a line, then forks twice, and the grandchild, whose parent has ended, uses the processor.
BUSY_ORPHAN = """
import os, sys, time
input()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        end = time.process_time() + float(sys.argv[1])
        while time.process_time() < end: pass
    os._exit(0)
os.wait()
print("forked", flush=True)
time.sleep(1000)
"""
HOLDER = """
import sys, subprocess
from pathlib import Path
from arbiter.sandbox.cgroups import CgroupTree, GroupLimits
tree = CgroupTree(Path(sys.argv[1]))
group = tree.create("one", GroupLimits(memory_mb=64, processes=8))
child = subprocess.Popen(["sleep", "1000"], stdout=subprocess.DEVNULL)
group.attach([child.pid])
group.freeze()
print(tree.path, child.pid, flush=True)
input()
"""


@pytest.fixture
def base():
    try:
        return find_base()
    except NoCgroups as reason:
        pytest.skip(f"allowed: no control groups: {reason}")


@pytest.fixture
def tree(base):
    tree = CgroupTree(base)
    yield tree
    tree.close()
    assert not tree.path.exists()


@pytest.fixture
def group(tree):
    group = tree.create("one", LIMITS)
    yield group
    group.kill()
    group.remove()
    assert not group.path.exists()


@pytest.fixture
def start(group):
    """Start a Python program in the group that waits for a line."""
    started = []

    def start_program(source, *words):
        argv = [sys.executable, "-c", source, *map(str, words)]
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        group.attach([process.pid])
        return process

    yield start_program
    group.kill()
    for process in started:
        process.communicate(timeout=WAIT_S)


def let_run(process):
    """Give a program the line that it waits for, and return the first line that it prints."""
    process.stdin.write("go\n")
    process.stdin.flush()
    return process.stdout.readline()


def wait_until(is_true):
    end = time.monotonic() + WAIT_S
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_time_of_orphans_that_ended_is_counted(group, start):
    assert let_run(start(BUSY_ORPHAN, 0.3)) == "forked\n"
    wait_until(lambda: group.cpu_ms() >= 300)


def test_a_frozen_group_stands_still_whatever_signals_come(group, start):
    process = start(BUSY_ORPHAN, 1000)
    let_run(process)
    group.freeze()
    wait_until(lambda: "frozen 1" in (group.path / "cgroup.events").read_text())
    for pid in map(int, (group.path / "cgroup.procs").read_text().split()):
        os.kill(pid, signal.SIGCONT)
    before = group.cpu_ms()
    time.sleep(0.1)
    assert group.cpu_ms() == before
    group.thaw()
    wait_until(lambda: group.cpu_ms() > before)


def test_a_frozen_group_can_be_killed_with_its_orphans(group, start):
    process = start(BUSY_ORPHAN, 1000)
    let_run(process)
    group.freeze()
    group.kill()
    assert process.wait(WAIT_S) == -signal.SIGKILL
    wait_until(lambda: (group.path / "cgroup.procs").read_text() == "")


def test_a_process_that_has_ended_is_not_attached_and_stops_no_other(group, start):
    ended = subprocess.Popen(["true"])
    ended.wait(WAIT_S)
    process = start("input()")
    group.attach([ended.pid, process.pid])
    assert (group.path / "cgroup.procs").read_text() == f"{process.pid}\n"


def test_what_a_killed_arbiter_leaves_is_removed_by_the_next(base):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(base)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    path, pid = holder.stdout.readline().split()
    CgroupTree(base).close()
    assert (Path(path) / "one").exists()  # its arbiter lives
    holder.kill()
    holder.communicate(timeout=WAIT_S)
    CgroupTree(base).close()
    assert not Path(path).exists()
    wait_until(lambda: not is_alive(int(pid)))


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# --- limits, which need controllers ---------------------------------------------------------------


def require(tree, controller):
    if controller not in tree.controllers:
        pytest.skip(f"allowed: the controller {controller} is not available in {tree.path.parent}")


def test_a_group_that_uses_all_its_memory_is_killed_as_a_whole(tree, group, start):
    require(tree, "memory")
    quiet = start("input(); print(1, flush=True); input()")
    let_run(quiet)
    greedy = start("input(); hoard = bytearray(200 << 20); print(len(hoard), flush=True); input()")
    assert let_run(greedy) == ""
    assert greedy.wait(WAIT_S) == -signal.SIGKILL
    assert quiet.wait(WAIT_S) == -signal.SIGKILL
    assert group.count_out_of_memory() >= 1


def test_a_group_has_no_more_processes_than_its_limit(tree, start):
    require(tree, "pids")
    process = start("import os, signal; input(); print([os.fork() or signal.pause() for _ in range(20)], flush=True)")
    process.stdin.write("go\n")
    process.stdin.flush()
    assert process.wait(WAIT_S) == 1


def test_a_group_has_a_share_of_the_processor(tree, group):
    require(tree, "cpu")
    group.set_weight(50)
    assert (group.path / "cpu.weight").read_text() == "50\n"


@asynccontextmanager
async def starting(process):
    """Start a process, wait until it is armed, and end it at exit."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        nursery.start_soon(process.drain)
        try:
            with trio.fail_after(WAIT_S):
                assert await process.reader.line() == ARMED
                yield process
        finally:
            await process.end(0)


@pytest.mark.parametrize("delay_s", [0.0, 0.3])
def test_every_process_of_a_sandbox_is_in_its_group_before_the_bot_begins(sandbox, monkeypatch, delay_s):
    """A move into a group may take so long that the launcher has been started outside it."""
    if sandbox.controllers is None:
        pytest.skip("allowed: no control groups here")
    attach = Cgroup.attach

    def attach_late(group, pids):
        time.sleep(delay_s)
        attach(group, pids)

    monkeypatch.setattr(Cgroup, "attach", attach_late)

    async def compare():
        async with starting(BotProcess(bot(), sandbox)) as process:
            await process.confine()
            first = process._popen.pid
            return process._handle.group.processes(), {first, *descendants(first)}

    attached, every = trio.run(compare)
    assert attached == every
    assert len(every) == 3  # bwrap, the first process of the sandbox, the launcher


@pytest.mark.parametrize("name", ["create", "attach_tree"])
def test_a_bot_does_not_begin_without_the_group_that_it_should_have(sandbox, monkeypatch, name):
    if sandbox.controllers is None:
        pytest.skip("allowed: no control groups here")

    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "no more groups")

    monkeypatch.setattr(CgroupTree if name == "create" else Cgroup, name, fail)

    async def start():
        async with starting(BotProcess(bot(), sandbox)) as process:
            with pytest.raises(OSError, match="no more groups"):
                await process.confine()

    trio.run(start)


def test_a_group_is_made_with_the_processes_of_a_sandbox_and_removed_with_the_next(tree):
    with subprocess.Popen(["sleep", "1000"]) as first, subprocess.Popen(["sleep", "1000"]) as second:
        one = tree.create_for(first.pid, "one", LIMITS)
        assert one.processes() == {first.pid}
        one.discard()
        first.kill()
        first.wait(WAIT_S)
        two = tree.create_for(second.pid, "two", LIMITS)
        assert (one.path.exists(), two.path.exists()) == (False, True)
        two.discard()
        second.kill()

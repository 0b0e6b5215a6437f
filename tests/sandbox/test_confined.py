"""A launcher is under the limits of its sandbox before it runs the program, and the program cannot leave them."""

import os
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from trio.testing import trio_test

from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.isolation import ARMED, GO, Program
from arbiter.sandbox.usage import descendants

WAIT_S = 60
STARTED = ["bwrap", "bwrap", "sh", "sleep", "sleep"]
# Tries to leave, then starts an orphan and prints its score.
SCRIPT = """
echo 0 2>&- >/proc/self/oom_score_adj; echo 0 2>&- >/proc/$PPID/oom_score_adj
(sleep 1000 & echo started)
cat /proc/self/oom_score_adj
sleep 1000
"""
PROGRAM = Program(name="sleeper", argv=("/bin/sh", "-c", SCRIPT), folder=Path("/usr"))


class Kept:
    """An isolation that keeps the handle of the last program that it started."""

    def __init__(self, isolation):
        self.name = isolation.name
        self.handle = None
        self._isolation = isolation

    def launch(self, program, mark):
        launch = self._isolation.launch(program, mark)
        self.handle = launch.handle
        return launch


def list_members(group):
    return set(map(int, (group.path / "cgroup.procs").read_text().split()))


def read_name(pid):
    return Path(f"/proc/{pid}/comm").read_text().strip()


@asynccontextmanager
async def confined(isolation):
    """Run the program until its processes have started; return what it printed."""
    process = BotProcess(PROGRAM, isolation)
    with trio.fail_after(WAIT_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process.watch)
            nursery.start_soon(process.drain)
            try:
                assert await process.reader.line() == ARMED
                await process.confine()
                await process.writer.send(GO)
                yield [await process.reader.line() for _ in range(2)]
            finally:
                await process.end(0)


@trio_test
async def test_the_kernel_would_kill_a_bot_before_the_referee_whatever_the_bot_does(sandbox):
    async with confined(sandbox) as printed:
        assert printed == [b"started", b"1000"]


@trio_test
async def test_all_processes_of_a_bot_and_no_others_are_in_its_group(sandbox):
    kept = Kept(sandbox)
    async with confined(kept):
        group = kept.handle.group
        if group is None:
            pytest.skip("allowed: no control groups here")
        while sorted(map(read_name, list_members(group))) != STARTED:  # noqa: ASYNC110 - no event reports it
            await trio.sleep(0.01)
        assert list_members(group) <= set(descendants(os.getpid()))
    assert list_members(group) == set()  # the empty group is removed with the next start

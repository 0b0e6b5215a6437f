"""Processes that outlive their parent are adopted, recognised by their mark, and ended."""

import os
import secrets
import signal
import subprocess
import sys

import pytest
import trio
from referee.real_games import children, processes_with_mark

from arbiter.sandbox.process import MARK, end_orphans

SLEEPER = "import time; print('here', flush=True); time.sleep(3600)"
# It starts `count` sleepers, each in a session of its own, and leaves once all of them run.
ABANDONER = """
import subprocess, sys
for _ in range({count}):
    child = subprocess.Popen([sys.executable, "-ESc", {sleeper!r}], stdout=subprocess.PIPE, start_new_session=True)
    child.stdout.readline()
"""
NO_GROUP = 2**22 + 1  # no process has a number so high
# Other runs of these tests have other marks.
ONE = secrets.token_hex(16)
OTHER = secrets.token_hex(16)


@pytest.fixture
def unrelated(adopting):
    """Return the children that this process has before a test, such as a browser."""
    return set(children())


def end(group, mark):
    trio.run(end_orphans, group, mark)


def abandon(mark, count=1):
    """Let a program with a mark leave orphans behind."""
    script = ABANDONER.format(count=count, sleeper=SLEEPER)
    subprocess.run([sys.executable, "-ESc", script], env={MARK: mark}, check=True)


def test_orphans_are_ended_by_their_mark(unrelated):
    abandon(ONE, count=3)
    abandon(OTHER)
    assert len(processes_with_mark(ONE)) == 3
    end(NO_GROUP, ONE)
    assert processes_with_mark(ONE) == []
    assert processes_with_mark(OTHER) == list(set(children()) - unrelated)
    assert len(processes_with_mark(OTHER)) == 1
    end(NO_GROUP, OTHER)
    assert set(children()) <= unrelated


def test_a_process_without_a_mark_is_left_alone(adopting):
    with subprocess.Popen([sys.executable, "-ESc", SLEEPER], stdout=subprocess.PIPE) as mine:
        mine.stdout.readline()
        end(NO_GROUP, ONE)
        assert mine.poll() is None
        mine.kill()


@pytest.mark.parametrize("mark", ["", ONE[:-1], ONE + "a"], ids=["none", "shorter", "longer"])
def test_the_whole_mark_is_compared(adopting, mark):
    abandon(ONE)
    end(NO_GROUP, mark)
    assert len(processes_with_mark(ONE)) == 1
    end(NO_GROUP, ONE)


def test_dead_processes_of_a_group_are_reaped_although_they_have_no_mark(unrelated):
    script = (
        "import os, signal, time\nfor _ in range(5): os.fork() or time.sleep(3600)\nprint(flush=True); time.sleep(3600)"
    )
    with subprocess.Popen([sys.executable, "-ESc", script], stdout=subprocess.PIPE, start_new_session=True) as leader:
        leader.stdout.readline()
        os.killpg(leader.pid, signal.SIGKILL)
        leader.wait()
        end(leader.pid, ONE)
    assert set(children()) <= unrelated


def test_there_may_be_nothing_to_end():
    end(NO_GROUP, ONE)

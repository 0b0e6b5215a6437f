"""What outlives its parent is adopted, known by its mark, and ended."""

import os
import signal
import subprocess
import sys

import pytest
import trio
from referee.rig import carrying, children

from arbiter.referee.orphans import MARK, end_orphans

SLEEPER = "import time; print('here', flush=True); time.sleep(3600)"
# It starts `count` sleepers, each in a session of its own, and leaves once all of them run.
ABANDONER = """
import subprocess, sys
for _ in range({count}):
    child = subprocess.Popen([sys.executable, "-ESc", {sleeper!r}], stdout=subprocess.PIPE, start_new_session=True)
    child.stdout.readline()
"""
NO_GROUP = 2**22 + 1  # no process has a number so high


def end(group, mark):
    trio.run(end_orphans, group, mark)


def abandon(mark, count=1):
    """Let a program with a mark leave orphans behind."""
    script = ABANDONER.format(count=count, sleeper=SLEEPER)
    subprocess.run([sys.executable, "-ESc", script], env={MARK: mark}, check=True)


def test_orphans_are_ended_by_their_mark(adopting):
    abandon("a" * 32, count=3)
    abandon("b" * 32)
    assert len(carrying("a" * 32)) == 3
    end(NO_GROUP, "a" * 32)
    assert carrying("a" * 32) == []
    assert len(carrying("b" * 32)) == len(children()) == 1
    end(NO_GROUP, "b" * 32)
    assert children() == []


def test_what_carries_no_mark_is_left_alone(adopting):
    with subprocess.Popen([sys.executable, "-ESc", SLEEPER], stdout=subprocess.PIPE) as mine:
        mine.stdout.readline()
        end(NO_GROUP, "a" * 32)
        assert mine.poll() is None
        mine.kill()


@pytest.mark.parametrize("mark", ["", "a" * 31, "a" * 33])
def test_a_mark_is_compared_whole(adopting, mark):
    abandon("a" * 32)
    end(NO_GROUP, mark)
    assert len(carrying("a" * 32)) == 1
    end(NO_GROUP, "a" * 32)


def test_the_dead_of_a_group_are_reaped_though_they_carry_no_mark_any_more(adopting):
    script = (
        "import os, signal, time\nfor _ in range(5): os.fork() or time.sleep(3600)\nprint(flush=True); time.sleep(3600)"
    )
    with subprocess.Popen([sys.executable, "-ESc", script], stdout=subprocess.PIPE, start_new_session=True) as leader:
        leader.stdout.readline()
        os.killpg(leader.pid, signal.SIGKILL)
        leader.wait()
        end(leader.pid, "a" * 32)
    assert children() == []


def test_there_may_be_nothing_to_end():
    end(NO_GROUP, "a" * 32)

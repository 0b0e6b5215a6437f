"""When memory is measured: as often as it can grow, of real processes."""

import errno
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
import trio
from trio.testing import MockClock

from arbiter.sandbox import usage
from arbiter.sandbox.memory import MemoryWatch

pytestmark = pytest.mark.skipif(not usage.is_measurable(), reason="no /proc that lists children")
LIMIT_MB = 160
LARGE_LIMIT_MB = 2048
LATER_S = 0.5  # when the next look is due, but not yet after the longest time between two measurements
BURN = "end = time.process_time() + 0.02\nwhile time.process_time() < end: pass\n"
# steps that a program takes whenever it reads a line
STEPS = {
    "nothing": "",
    "uses the processor": BURN,
    "starts a process": "processes.append(os.fork() or signal.pause())",
    "starts a thread": "threading.Thread(target=signal.pause, daemon=True).start()",
    "takes memory": "memory = b'x' * (100 << 20)",
}
PROGRAM = """
import os, signal, sys, threading, time
processes = []
print("here", flush=True)
for line in sys.stdin:
    {step}
    print("here", flush=True)
"""


@contextmanager
def program(step):
    """Run a program; yield its number, and what lets it take its step."""
    code = PROGRAM.format(step=step.replace("\n", "\n    "))
    with subprocess.Popen(
        [sys.executable, "-ESc", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:

        def take_step():
            process.stdin.write(b"\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"here\n"

        assert process.stdout.readline() == b"here\n"
        try:
            yield process.pid, take_step
        finally:
            os.killpg(process.pid, signal.SIGKILL)


class Group:
    """The processor time that a control group shows."""

    def __init__(self):
        self.used_ms = 1000.0

    def cpu_ms(self):
        if self.used_ms is None:
            raise OSError(errno.ENODEV, "it has been removed")
        return self.used_ms


def is_due_after(name, later_s=LATER_S, *, group=None, shows_ms=0.0):
    """Measure a program, let it take a step, and return True if it is to be measured again some time later.

    Its group, if there is one, shows `shows_ms` then.
    """

    async def main():
        with program(STEPS[name]) as (pid, take_step):
            limit_mb = LIMIT_MB if group is None else LARGE_LIMIT_MB
            watch = MemoryWatch(limit_mb, lambda: [pid, *usage.descendants(pid)], None, group)
            assert await watch.look() is None
            take_step()
            if group is not None:
                group.used_ms = shows_ms
            return watch.is_due(trio.current_time() + later_s)

    return trio.run(main, clock=MockClock())  # for which no time passes if this machine stalls


@pytest.mark.parametrize("name", sorted(STEPS.keys() - {"nothing"}))
def test_a_program_whose_memory_may_have_grown_is_measured_again(name):
    assert is_due_after(name)


def test_a_program_that_has_hardly_used_the_processor_is_not():
    if usage.newest_process() is None:
        assert is_due_after("nothing")
        return
    deadline = time.monotonic() + 60
    while is_due_after("nothing"):  # other processes may be started meanwhile
        assert time.monotonic() < deadline


@pytest.mark.parametrize(
    ("shows_ms", "is_due"), [(1000.0, False), (1010.0, False), (1150.0, True), (0.0, True), (None, True)]
)
def test_the_time_of_a_group_includes_that_of_new_processes(shows_ms, is_due):
    assert is_due_after("starts a process", group=Group(), shows_ms=shows_ms) == is_due


def test_it_is_measured_after_a_second_in_any_case():
    assert is_due_after("nothing", later_s=1.1)


def test_the_newest_process_is_noticed():
    before = usage.newest_process()
    assert before is None or int(before) > 0
    subprocess.run(["true"], check=True)
    assert before is None or usage.newest_process() != before


def test_the_processor_time_of_a_process_that_has_ended_is_unknown():
    assert usage.living_cpu_ms([os.getpid()]) > 0
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert usage.living_cpu_ms([os.getpid(), process.pid]) is None

"""When memory is measured: as often as it can grow, of real processes."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
import trio

from arbiter.sandbox import usage
from arbiter.sandbox.memory import MemoryWatch

pytestmark = pytest.mark.skipif(not usage.is_measurable(), reason="no /proc that lists children")
LIMIT_MB = 160
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


def is_due_after(name, later_s=LATER_S):
    """Measure a program, let it take a step, and return True if it is to be measured again some time later."""

    async def main():
        with program(STEPS[name]) as (pid, take_step):
            watch = MemoryWatch(LIMIT_MB, lambda: [pid, *usage.descendants(pid)], None)
            assert await watch.look() is None
            take_step()
            return watch.is_due(trio.current_time() + later_s)

    return trio.run(main)


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

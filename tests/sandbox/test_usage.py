"""Measuring the processor time of processes, and stopping and continuing them."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError
from arbiter.sandbox import usage

pytestmark = pytest.mark.skipif(not usage.is_measurable(), reason="no /proc that lists children")
BURN = "import time\nwhile time.process_time() < {s}: pass\n"
FAMILY = """
import os, signal, sys, threading
def deep(levels):
    if levels and not os.fork():
        deep(levels - 1)
        signal.pause()
        os._exit(0)
threading.Thread(target=deep, args=(2,), daemon=True).start()
deep(1)
print("here", flush=True)
signal.pause()
"""
FORKS = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("here", flush=True)
while True:
    if not os.fork():
        time.sleep(0.01)
        os._exit(0)
    time.sleep(0.0005)
"""


@contextmanager
def running(code):
    """Run a program; its first line is read, and it is ended with its group."""
    with subprocess.Popen(
        [sys.executable, "-ESc", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE, start_new_session=True
    ) as program:
        try:
            assert program.stdout.readline() == b"here\n"
            yield program.pid
        finally:
            os.killpg(program.pid, signal.SIGKILL)


def eventually(true):
    """Wait for something that another process does."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.01)
    return False


def states(pids):
    """Return the states of processes, by the letters of /proc; what has gone has none."""
    found = set()
    for pid in pids:
        with suppress(OSError):
            found.add(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0])
    return found


def test_descendants_of_all_threads_are_found():
    with running(FAMILY) as pid:
        assert eventually(lambda: len(usage.descendants(pid)) == 3)
        assert pid not in usage.descendants(pid)


def test_a_process_that_has_ended_has_no_descendants_and_used_nothing():
    with subprocess.Popen(["/bin/true"]) as program:
        pass
    assert usage.descendants(program.pid) == []
    assert usage.cpu_ms([program.pid]) == 0
    assert usage.peak_mib([program.pid]) is None
    usage.thaw(usage.freeze(lambda: [program.pid]))  # this does nothing


def test_the_peak_memory_is_the_largest_of_all_processes():
    with running('room = bytearray(200_000_000); del room; print("here", flush=True); input()') as pid:
        assert 190 < usage.peak_mib([os.getpid(), pid]) < 100_000
        assert usage.peak_mib([pid]) > 190


def test_processor_time_is_measured_finely():
    with running('print("here", flush=True); input();' + "\n" + BURN.format(s=0.3) + 'print("done"); input()') as pid:
        assert 0 < usage.cpu_ms([pid]) < 300


@pytest.mark.parametrize(
    "how",
    [
        "{burn}",
        "if os.fork(): os.wait()\nelse:\n  {burn}\n  os._exit(0)",
        "thread = t.Thread(target=burn); thread.start(); thread.join()",
    ],
)
def test_processor_time_of_ended_children_and_threads_counts(how):
    code = "import os, time, threading as t\ndef burn():\n  while time.thread_time() < 0.1: pass\n"
    code += how.format(burn="burn()") + '\nprint("here", flush=True)\ninput()'
    with running(code) as pid:
        assert 80 < usage.cpu_ms([pid, *usage.descendants(pid)]) < 400


def test_all_processes_are_stopped_and_continued():
    with running(FAMILY) as pid:
        assert eventually(lambda: len(usage.descendants(pid)) == 3)
        family = [pid, *usage.descendants(pid)]
        stopped = usage.freeze(lambda: [pid, *usage.descendants(pid)])
        assert stopped == {pid}
        assert eventually(lambda: states(family) == {"T"})
        usage.thaw(stopped)
        assert eventually(lambda: "T" not in states(family))


def test_a_program_that_forks_without_end_is_stopped_with_all_children():
    with running(FORKS) as pid:
        for _ in range(10):
            stopped = usage.freeze(lambda: [pid, *usage.descendants(pid)])
            assert eventually(lambda: states([pid, *usage.descendants(pid)]) <= {"T", "Z"})
            usage.thaw(stopped)


@pytest.mark.parametrize(
    ("settings", "key"), [(TimeSettings(clock="cpu"), "clock"), (TimeSettings(pondering=False), "pondering")]
)
def test_a_system_without_proc_is_recognised(settings, key, monkeypatch):
    usage.check_clock(settings)
    monkeypatch.setattr(usage, "is_measurable", lambda: False)
    usage.check_clock(TimeSettings())
    with pytest.raises(ConfigError, match=f"^time.{key}: .*needs Linux"):
        usage.check_clock(settings)

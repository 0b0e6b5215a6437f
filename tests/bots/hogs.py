"""Answers at once, and keeps every core busy all the time, in the way that its argument names."""

import ctypes
import os
import signal
import sys
import threading
import time

from base import Bot

PROCESSES, THREADS, LIMIT_S = 55, 50, 600
POLICIES = (os.SCHED_FIFO, os.SCHED_RR, 6)  # 6 is SCHED_DEADLINE


def spin():
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        pass


def start(work):
    """Start a child process that ends with its work, even if the work raises."""
    if not os.fork():
        try:
            work()
        finally:
            os._exit(0)


def leave_group_and_spin():
    """Try to leave the session and to gain priority in every way, then spin."""
    for attempt in (
        os.setsid,
        os.setpgrp,
        lambda: os.nice(-20),
        lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)),
        lambda: open("/proc/self/autogroup", "w").write("-20"),  # noqa: SIM115
        *(lambda policy=policy: os.sched_setscheduler(0, policy, os.sched_param(50)) for policy in POLICIES),
    ):
        try:
            attempt()
        except OSError:
            continue
    spin()


def spin_in_processes():
    for _ in range(PROCESSES):
        start(leave_group_and_spin)


def spin_in_threads():
    """Spin in threads of one process; ctypes releases the lock of the interpreter."""
    mix = ctypes.CDLL(None).memfrob
    block = ctypes.create_string_buffer(4 << 20)
    for _ in range(THREADS):
        threading.Thread(target=lambda: [mix(block, len(block)) for _ in iter(int, 1)], daemon=True).start()


def spin_in_storm():
    """Start short-lived processes without end; the kernel does not keep their time for a parent."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    def breed():
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            try:
                start(lambda: sum(range(10_000)))
            except OSError:  # too many processes
                time.sleep(0.001)

    for _ in range(4):
        start(breed)


def thrash():
    """Write to more memory than the caches hold."""
    fill = ctypes.CDLL(None).memset
    block = ctypes.create_string_buffer(64 << 20)
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        fill(block, 1, len(block))


def thrash_in_processes():
    for _ in range(4):
        start(thrash)


class Hogs(Bot):
    def start_game(self, message):
        super().start_game(message)
        {
            "processes": spin_in_processes,
            "threads": spin_in_threads,
            "storm": spin_in_storm,
            "thrash": thrash_in_processes,
        }[sys.argv[1]]()


if __name__ == "__main__":
    Hogs().run()

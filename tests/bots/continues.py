"""Ponders in a child process that tries to continue while it is stopped, in the way that its argument names.

It writes the processor time of the child to stderr.
"""

import ctypes
import os
import platform
import signal
import struct
import sys
import time

from base import Bot

LIMIT_S, SHOUTERS, ALARM_NS = 600, 20, 3_000_000
TIMER_CREATE, TIMER_SETTIME = (222, 223) if platform.machine() == "x86_64" else (107, 110)
libc = ctypes.CDLL(None)


def set_alarms():
    """Compute, and always set a timer that sends SIGCONT a little later: it only ends if this process is stopped."""
    event = ctypes.create_string_buffer(struct.pack("<Qii", 0, signal.SIGCONT, 0), 64)
    timer = ctypes.c_int()
    libc.syscall(TIMER_CREATE, 1, event, ctypes.byref(timer))
    alarm = struct.pack("<4q", 0, 0, 0, ALARM_NS)
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        libc.syscall(TIMER_SETTIME, timer, 0, alarm, None)


def shout():
    """Send SIGCONT to all processes without end, together with others."""
    for _ in range(SHOUTERS):
        if not os.fork():
            break
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        os.kill(-1, signal.SIGCONT)


class Continues(Bot):
    def start_game(self, start):
        super().start_game(start)
        self.child = os.fork()
        if not self.child:
            signal.signal(signal.SIGCONT, lambda *_: None)  # the kernel sends no signal of a timer that is ignored
            {"alarms": set_alarms, "shouts": shout}[sys.argv[1]]()
            os._exit(0)

    def end_game(self, message):
        used = time.clock_gettime(~self.child << 3 | 2)
        os.write(2, f"{used:.3f}\n".encode())


Continues().run()

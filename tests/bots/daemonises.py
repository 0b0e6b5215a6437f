"""Leaves a process behind that hides, and prints `here` when it runs; the arguments are the ways in which it hides, a number, and another mark."""

import ctypes
import os
import signal
import sys
import time

CLONE_PARENT = 0x8000
LIBC = ctypes.CDLL(None)

how, number, other = sys.argv[1].split("+"), sys.argv[2], sys.argv[3]
ready, running = os.pipe()


def fork_once():
    if "sibling" in how:  # a child of the arbiter
        return LIBC.syscall(56, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    return os.fork()


def hide():
    environment = {"kept": dict(os.environ), "cleared": {}, "forged": {"ARBITER_BOT": other}}[how[0]]
    if "detached" in how:
        os.chdir("/")
        os.closerange(0, running)
    if "deaf" in how:
        for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGCHLD):
            signal.signal(one, signal.SIG_IGN)
    if "stopped" in how:
        os.execve("/bin/sh", ["sh", "-c", f"kill -STOP $$; sleep 3600.{number}"], environment)
    os.execve("/bin/sleep", ["sleep", f"3600.{number}"], environment)


forks = {"double": 2, "triple": 3}.get(how[1], 1)
if fork_once() == 0:
    os.close(ready)
    if "group" in how:
        os.setpgid(0, 0)
    for _ in range(forks - 1):
        if "session" in how:
            os.setsid()
        if os.fork():
            os._exit(0)
    if "session" in how and forks == 1:
        os.setsid()
    if "late" in how:
        os.close(running)
        time.sleep(0.05)
    hide()
os.close(running)
os.read(ready, 1)
print("here", flush=True)
if "leaves" in how:
    sys.exit(0)
sys.stdin.buffer.read()

"""Leaves marks in every place that a later process of the same bot may see, and prints which of them it has found."""

import contextlib
import ctypes
import fcntl
import json
import os
import socket
import sys
from pathlib import Path

KEY = 0x5A17
LIBC = ctypes.CDLL(None, use_errno=True)
ADD_KEY, REQUEST_KEY, USER_KEYRING = 248, 249, -4  # numbers of x86-64
FOLDERS = ("/tmp", "/dev/shm", "/dev", "/run", "/var/tmp", "/", "/proc", os.environ.get("HOME", "/tmp"), ".")


def look_and_leave():
    found = []
    for folder in {os.path.realpath(folder) for folder in FOLDERS}:
        mark = Path(folder, "arbiter-mark")
        with contextlib.suppress(OSError):
            found += [str(mark)] * mark.exists()
            mark.write_text("mark")
    if LIBC.shmget(KEY, 4096, 0) >= 0:
        found.append("shared memory")
    LIBC.shmget(KEY, 4096, 0o1666)
    if LIBC.semget(KEY, 1, 0) >= 0:
        found.append("semaphores")
    LIBC.semget(KEY, 1, 0o1666)
    if LIBC.msgget(KEY, 0) >= 0:
        found.append("message queue")
    LIBC.msgget(KEY, 0o1666)
    if LIBC.syscall(REQUEST_KEY, b"user", b"arbiter-mark", None, 0) > 0:
        found.append("key")
    LIBC.syscall(ADD_KEY, b"user", b"arbiter-mark", b"1", 1, USER_KEYRING)
    try:
        held.append(socket.socket(socket.AF_UNIX))
        held[-1].bind("\0arbiter-mark")
        held[-1].listen()
    except OSError:
        found.append("socket")
    with open("/usr/bin/env", "rb") as file:
        held.append(os.dup(file.fileno()))
        try:
            fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except PermissionError:  # no bot may lock files
            pass
        except OSError:
            found.append("lock")
    found += [name for name in os.environ if name == "ARBITER_MARK"]
    os.environ["ARBITER_MARK"] = "mark"
    return found


held = []
print(json.dumps(look_and_leave()), flush=True)
if "twice" in sys.argv:
    print(json.dumps(look_and_leave()), flush=True)
sys.stdin.buffer.read()

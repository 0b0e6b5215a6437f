"""Attacks the processes of others when it is asked for its first move, then plays on; what it got is on stderr.

Its arguments: the attack, a word in the opponent's command line, the referee's number.
"""

import ctypes
import os
import resource
import signal
import sys
from pathlib import Path

from attacker import Attacker

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
FORGED = b'{"type":"act","ask":2,"action":{"type":"resign"}}\n'

_, ATTACK, WORD, REFEREE = sys.argv


def opponents():
    """Find the processes that have the opponent's word in their command line; bwrap has it too."""
    return [pid for pid in numbers() if is_opponent(pid)]


def numbers():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def is_opponent(pid):
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:  # gone meanwhile
        return False
    return pid != os.getpid() and WORD.encode() in words and any(b"python" in word for word in words[:1])


def strangers():
    """List all processes in sight that are neither this one nor the first."""
    return [pid for pid in numbers() if pid not in (1, os.getpid())]


def reads(name):
    return [pid for pid in opponents() if Path(f"/proc/{pid}/{name}").read_bytes()]


def opens_memory():
    for pid in opponents():
        os.open(f"/proc/{pid}/mem", os.O_RDWR)
    return opponents()


def forges():
    for pid in opponents():
        Path(f"/proc/{pid}/fd/1").write_bytes(FORGED)
    return opponents()


def signals(number):
    for pid in opponents():
        os.kill(pid, number)
    return opponents()


def limits():
    for pid in opponents():
        resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1))
        os.setpriority(os.PRIO_PROCESS, pid, 19)
        os.sched_setaffinity(pid, {0})
    return opponents()


def finds_referee():
    """Try whatever needs no more than the referee's number."""
    pid, found = int(REFEREE), []
    for attempt in (
        lambda: os.kill(pid, 0),
        lambda: os.kill(-pid, 0),
        lambda: os.kill(os.getppid(), signal.SIGKILL) if os.getppid() != 1 else os.kill(pid, 0),
        lambda: os.stat(f"/proc/{pid}"),
        lambda: os.pidfd_open(pid),
        lambda: resource.prlimit(pid, resource.RLIMIT_CPU),
        lambda: os.getpriority(os.PRIO_PROCESS, pid),
        lambda: os.sched_getaffinity(pid),
    ):
        try:
            attempt()
        except OSError:
            continue
        found.append(pid)
    return found


def takes_the_first():
    """Reach for the sandbox's first process: through its memory, through its descriptors, by tracing it."""
    libc = ctypes.CDLL(None)
    got = [
        name for name in ("mem", "environ", "maps", "fd/1", "task/1/mem", "root") if os.path.lexists(f"/proc/1/{name}")
    ]
    got += [request for request in (PTRACE_ATTACH, PTRACE_SEIZE) if libc.ptrace(request, 1, 0, 0) == 0]
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV):
        os.kill(1, number)  # may be sent, has no effect on the first process of a namespace
    return got


Attacker(
    {
        "sees": strangers,
        "environ": lambda: reads("environ"),
        "maps": lambda: reads("maps"),
        "memory": opens_memory,
        "forges": forges,
        "stops": lambda: signals(signal.SIGSTOP),
        "kills": lambda: signals(signal.SIGKILL),
        "limits": limits,
        "referee": finds_referee,
        "first": takes_the_first,
    }[ATTACK]
).run()

"""Attacks other processes when it is asked for its first move, and continues to play; the result is on stderr.

Its arguments: the attack, a word in the opponent's command line, the process ID of the referee.
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


def find_opponents():
    """Return the processes with the opponent's word in their command line; bwrap has it too."""
    return [pid for pid in list_processes() if is_opponent(pid)]


def list_processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def is_opponent(pid):
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:  # it has exited
        return False
    return pid != os.getpid() and WORD.encode() in words and any(b"python" in word for word in words[:1])


def find_others():
    """Return all visible processes except this one and the first."""
    return [pid for pid in list_processes() if pid not in (1, os.getpid())]


def read(name):
    return [pid for pid in find_opponents() if Path(f"/proc/{pid}/{name}").read_bytes()]


def open_memory():
    for pid in find_opponents():
        os.open(f"/proc/{pid}/mem", os.O_RDWR)
    return find_opponents()


def forge_action():
    for pid in find_opponents():
        Path(f"/proc/{pid}/fd/1").write_bytes(FORGED)
    return find_opponents()


def send_signal(number):
    for pid in find_opponents():
        os.kill(pid, number)
    return find_opponents()


def limit():
    for pid in find_opponents():
        resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1))
        os.setpriority(os.PRIO_PROCESS, pid, 19)
        os.sched_setaffinity(pid, {0})
    return find_opponents()


def find_referee():
    """Try everything that needs only the process ID of the referee."""
    pid = int(REFEREE)
    found = []
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


def attack_first_process():
    """Attack the first process of the sandbox: through its memory, its descriptors, and by tracing it."""
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
        "sees": find_others,
        "environ": lambda: read("environ"),
        "maps": lambda: read("maps"),
        "memory": open_memory,
        "forges": forge_action,
        "stops": lambda: send_signal(signal.SIGSTOP),
        "kills": lambda: send_signal(signal.SIGKILL),
        "limits": limit,
        "referee": find_referee,
        "first": attack_first_process,
    }[ATTACK]
).run()

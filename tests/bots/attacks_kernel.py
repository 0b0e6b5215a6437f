"""Uses system calls that no bot needs when it is asked for its first move; the result is on stderr.

Its argument: a file that others can read too.
"""

import ctypes
import errno
import fcntl
import os
import platform
import socket
import struct
import subprocess
import sys

from attacker import Attacker

_, SHARED = sys.argv
NEW_USER, NEW_NAMESPACE = 0x10000000, 0x00020000
AF_NETLINK, AF_ALG = 16, 38
NUMBERS = {
    "ptrace": (101, 117),
    "clone3": (435, 435),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "pidfd_getfd": (438, 438),
    "process_vm_readv": (310, 270),
    "mount_setattr": (442, 442),
    "open_tree": (428, 428),
    "inotify_init1": (294, 26),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "memfd_create": (319, 279),
    "mq_open": (240, 180),
    "io_setup": (206, 0),
    "vmsplice": (278, 75),
    "landlock_create_ruleset": (444, 444),
    "timer_create": (222, 107),
    "mincore": (27, 232),
    "cachestat": (451, 451),
}
CLONE = {"x86_64": 56, "aarch64": 220}
PR_SET_PDEATHSIG, SIGCONT, F_SETSIG, WALL = 1, 18, 10, 0x40000000
F_GET_RW_HINT, F_SET_RW_HINT = 1035, 1036
libc = ctypes.CDLL(None, use_errno=True)


def call(name, *words):
    """Make a system call by its number; return True if it was not blocked, whatever its result."""
    ctypes.set_errno(0)
    number = NUMBERS[name][platform.machine() == "aarch64"]
    libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, words))
    return ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS)


def succeeds(attempt):
    try:
        return attempt() is not False
    except OSError:
        return False


def lock(command, kind):
    with open(SHARED, "rb") as file:
        fcntl.fcntl(file, command, struct.pack("hhqqi4x", kind, 0, 0, 0, 0))


def in_child(attempt):
    """Try something in a child process; return True if it succeeds."""
    child = os.fork()
    if not child:
        os._exit(0 if succeeds(attempt) else 1)
    return os.waitpid(child, 0)[1] == 0


def leave_share():
    """Raise the share of the processor of this session back to that of others."""
    with open("/proc/self/autogroup", "r+") as file:
        file.write("0")


def change_cores():
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    return os.sched_getaffinity(0) != before


def clone_with_exit_signal():
    """Make a process whose end continues its parent."""
    child = libc.syscall(CLONE[platform.machine()], SIGCONT, 0, 0, 0, 0)
    if not child:
        os._exit(0)
    return child > 0 and os.waitpid(child, WALL)[0] == child


def list_successes():
    with open(SHARED, "rb") as file:
        attempts = {
            "new session": lambda: in_child(os.setsid),
            "new process group": lambda: in_child(os.setpgrp),
            "other cores": change_cores,
            "SCHED_RR": lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)),
            "higher priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -1),
            "share of the processor": leave_share,
            "terminal": os.openpty,
            "signal of a descriptor": lambda: fcntl.fcntl(0, F_SETSIG, SIGCONT),
            "signal at a parent's death": lambda: libc.prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0) == 0,
            "signal at a child's end": clone_with_exit_signal,
            "flock": lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB),
            "read lock": lambda: lock(fcntl.F_SETLK, fcntl.F_RDLCK),
            "ask for a lock": lambda: lock(fcntl.F_GETLK, fcntl.F_WRLCK),
            "lease": lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
            "see if data are in memory": lambda: os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT),
            "write a hint": lambda: fcntl.fcntl(file, F_SET_RW_HINT, struct.pack("Q", 2)),
            "read a hint": lambda: fcntl.fcntl(file, F_GET_RW_HINT, bytes(8)),
            "larger pipe": lambda: fcntl.fcntl(1, 1031, 1 << 20),
            "unshare user": lambda: libc.unshare(NEW_USER) == 0,
            "unshare mounts": lambda: libc.unshare(NEW_NAMESPACE) == 0,
            "unshare(1)": lambda: subprocess.run(["unshare", "-Ur", "true"], stderr=-3, check=False).returncode == 0,
            "mount": lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0,
            "unmount": lambda: libc.umount2(b"/proc/1", 2) == 0,
            "chroot": lambda: os.chroot("/tmp"),
            "netlink": lambda: socket.socket(AF_NETLINK, socket.SOCK_RAW),
            "crypto": lambda: socket.socket(AF_ALG, socket.SOCK_SEQPACKET),
            "setuid": lambda: os.setuid(0) if os.getuid() else False,
        }
        got = [name for name, attempt in attempts.items() if succeeds(attempt)]
    return got + [name for name in NUMBERS if call(name, 0, 0, 0, 0, 0)]


Attacker(list_successes).run()

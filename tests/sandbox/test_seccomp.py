"""The filter, run by a reader of classic BPF of a few lines: what it refuses on each machine."""

import errno
import platform
import struct
import sys
from pathlib import Path

import pytest

from arbiter.sandbox.isolation import Program
from arbiter.sandbox.seccomp import ARCHITECTURES, SESSIONS, seccomp_filter, system_calls

ALLOWED, KILLED, IGNORED, TESTED = "allowed", "killed", "ignored", "tested"
NEW_USER = 0x10000000
THREAD = 0x3D0F00  # the flags of a thread as glibc starts one


def answer(program, arch, number, *arguments):
    """Run a program of classic BPF on one call; return the kernel's answer."""
    data = struct.pack("<IIQ6Q", number, arch, 0, *arguments, *[0] * (6 - len(arguments)))
    code = list(struct.iter_unpack("<HBBI", program))
    at = 0
    value = 0
    while True:
        kind, yes, no, k = code[at]
        at += 1
        if kind == 0x20:
            (value,) = struct.unpack_from("<I", data, k)
        elif kind == 0x06:
            return {0x7FFF: ALLOWED, 0x8000: KILLED}.get(k >> 16) or errno.errorcode.get(k & 0xFFFF, IGNORED)
        elif kind == 0x54:
            value &= k
        else:
            at += yes if {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[kind] else no


# name, numbers on x86_64 and aarch64, arguments, answer
CALLS = [
    ("read", (0, 63), (), ALLOWED),
    ("write", (1, 64), (1,), ALLOWED),
    ("execve", (59, 221), (), ALLOWED),
    ("ptrace", (101, 117), (), "EPERM"),
    ("process_vm_writev", (311, 271), (), "EPERM"),
    ("mount", (165, 40), (), "EPERM"),
    ("unshare", (272, 97), (NEW_USER,), "EPERM"),
    ("flock", (73, 32), (), "EPERM"),
    ("keyctl", (250, 219), (), "EPERM"),
    ("io_uring_setup", (425, 425), (), "EPERM"),
    ("userfaultfd", (323, 282), (), "EPERM"),
    ("kexec_load", (246, 104), (), "EPERM"),
    ("shmget", (29, 194), (), "EPERM"),
    ("msgget", (68, 186), (), "EPERM"),
    ("semget", (64, 190), (), "EPERM"),
    ("fsetxattr", (190, 7), (), "EPERM"),
    ("memfd_create", (319, 279), (), "ENOSYS"),
    ("mq_open", (240, 180), (), "ENOSYS"),
    ("io_setup", (206, 0), (), "ENOSYS"),
    ("mmap, private and anonymous", (9, 222), (0, 4096, 3, 0x22), ALLOWED),
    ("mmap, a shared file", (9, 222), (0, 4096, 3, 0x01), ALLOWED),
    ("mmap, shared and anonymous", (9, 222), (0, 4096, 3, 0x21), "EPERM"),
    ("mmap, shared (validated) and anonymous", (9, 222), (0, 4096, 3, 0x23 | 0x4000), "EPERM"),
    ("readahead", (187, 213), (), IGNORED),
    ("openat2", (437, 437), (), "ENOSYS"),
    ("personality PER_LINUX", (135, 92), (0,), ALLOWED),
    ("personality, the present one", (135, 92), (0xFFFFFFFF,), ALLOWED),
    ("personality ADDR_NO_RANDOMIZE", (135, 92), (0x40000,), "EPERM"),
    ("personality READ_IMPLIES_EXEC", (135, 92), (0x400000,), "EPERM"),
    ("madvise, sequential", (28, 233), (0, 4096, 2), ALLOWED),
    ("madvise, load", (28, 233), (0, 4096, 3), IGNORED),
    ("madvise, evict", (28, 233), (0, 4096, 21), "EINVAL"),
    ("fcntl, not blocking", (72, 25), (0, 4, 0x800), ALLOWED),
    ("splice", (275, 76), (), "EINVAL"),
    ("tee", (276, 77), (), "EINVAL"),
    ("sendfile", (40, 71), (), "EINVAL"),
    ("mincore", (27, 232), (), "ENOSYS"),
    ("posix_fadvise", (221, 223), (0, 0, 0, 4), IGNORED),
    ("madvise MADV_PAGEOUT", (28, 233), (0, 4096, 21), "EINVAL"),
    ("madvise MADV_DONTNEED", (28, 233), (0, 4096, 4), ALLOWED),
    ("preadv2 RWF_NOWAIT", (327, 286), (0, 0, 1, 0, 0, 8), "ENOTSUP"),
    ("preadv2 RWF_DONTCACHE", (327, 286), (0, 0, 1, 0, 0, 0x80), "ENOTSUP"),
    ("preadv2 with a flag of a newer kernel", (327, 286), (0, 0, 1, 0, 0, 0x80000000), "ENOTSUP"),
    ("preadv2 RWF_HIPRI", (327, 286), (0, 0, 1, 0, 0, 1), ALLOWED),
    ("preadv2", (327, 286), (0, 0, 1, 0, 0, 0), ALLOWED),
    ("fcntl F_SET_RW_HINT", (72, 25), (1, 1036), "EPERM"),
    ("clone3", (435, 435), (), "ENOSYS"),
    ("clone a thread", (56, 220), (THREAD,), ALLOWED),
    ("clone a process", (56, 220), (0x1200011,), ALLOWED),
    ("clone a namespace", (56, 220), (NEW_USER | 17,), "EPERM"),
    ("clone a process whose end sends SIGCONT", (56, 220), (18,), "EPERM"),
    ("setsid", (112, 157), (), "EPERM"),
    ("setpgid", (109, 154), (), "EPERM"),
    ("timer_create", (222, 107), (), "ENOSYS"),
    ("sched_setaffinity", (203, 122), (), IGNORED),
    ("sched_setattr", (314, 274), (), "EPERM"),
    ("sched_setscheduler SCHED_OTHER", (144, 119), (0, 0), ALLOWED),
    ("sched_setscheduler SCHED_FIFO", (144, 119), (0, 1), "EPERM"),
    ("sched_setscheduler SCHED_RR, reset on fork", (144, 119), (0, 2 | 0x40000000), "EPERM"),
    ("sched_setscheduler SCHED_IDLE, reset on fork", (144, 119), (0, 5 | 0x40000000), ALLOWED),
    ("setpriority 19", (141, 140), (0, 0, 19), ALLOWED),
    ("setpriority -1", (141, 140), (0, 0, (1 << 64) - 1), "EPERM"),
    ("prctl PR_SET_PDEATHSIG SIGKILL", (157, 167), (1, 9), ALLOWED),
    ("prctl PR_SET_PDEATHSIG SIGCONT", (157, 167), (1, 18), "EPERM"),
    ("prctl PR_SET_NAME", (157, 167), (15, 18), ALLOWED),
    ("fcntl F_SETSIG", (72, 25), (1, 10, 18), "EPERM"),
    ("fcntl F_SETFL", (72, 25), (1, 4), ALLOWED),
    ("fcntl F_SETLK", (72, 25), (1, 6), "EPERM"),
    ("fcntl F_GETLK, upper half set", (72, 25), (1, 5 | 1 << 32), "EPERM"),
    ("fcntl F_OFD_SETLKW", (72, 25), (1, 38), "EPERM"),
    ("fcntl F_SETPIPE_SZ", (72, 25), (1, 1031), "EPERM"),
    ("ioctl TIOCSTI", (16, 29), (0, 0x5412), "EPERM"),
    ("ioctl FIONREAD", (16, 29), (0, 0x541B), ALLOWED),
    ("socket AF_UNIX", (41, 198), (1,), ALLOWED),
    ("socket AF_INET", (41, 198), (2,), "EAFNOSUPPORT"),
    ("socket AF_INET6", (41, 198), (10,), "EAFNOSUPPORT"),
    ("socket AF_NETLINK", (41, 198), (16,), "EAFNOSUPPORT"),
    ("socket AF_VSOCK", (41, 198), (40,), "EAFNOSUPPORT"),
]


PLACES = {machine: place for place, machine in enumerate(ARCHITECTURES)}


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize(("name", "numbers", "arguments", "expected"), CALLS)
def test_each_call_is_answered(machine, name, numbers, arguments, expected):
    number = numbers[PLACES[machine]]
    assert answer(seccomp_filter(machine), ARCHITECTURES[machine], number, *arguments) == expected


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_call_of_a_table_is_found_and_no_other_is_refused(machine):
    program = seccomp_filter(machine)
    answers = {number: answer(program, ARCHITECTURES[machine], number) for number in EXISTING[machine]}
    place = PLACES[machine]
    tables = {error: table.values() for error, table in system_calls().items()}
    expected = {numbers[place]: error for error, table in tables.items() for numbers in table if numbers[place:]}
    assert len(expected) > 90
    assert set(system_calls()) == {"EPERM", "ENOSYS", "EINVAL", IGNORED, TESTED}
    for number, got in answers.items():
        if expected.get(number) != TESTED:
            assert got == expected.get(number, ALLOWED), number


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_sessions_can_be_allowed(machine):
    program = seccomp_filter(machine, SESSIONS)
    numbers = {name: numbers[PLACES[machine]] for name, numbers, *_ in CALLS}
    assert {answer(program, ARCHITECTURES[machine], numbers[name]) for name in SESSIONS} == {ALLOWED}
    assert answer(program, ARCHITECTURES[machine], numbers["ptrace"]) == "EPERM"


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_calls_of_another_machine_kill(machine):
    i386 = 0x40000003
    assert answer(seccomp_filter(machine), i386, 0) == KILLED


# Those that a kernel has added since then are refused too; 0x40000000 and 512 to 547 are numbers of x32.
EXISTING = {"x86_64": {*range(335), *range(424, 467)}, "aarch64": {*range(244), *range(260, 295), *range(424, 467)}}
OTHERS = [*range(2000), 0x40000000, 0x40000000 | 101, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_calls_that_are_new_are_unknown(machine):
    program = seccomp_filter(machine)
    numbers = [number for number in OTHERS if number not in EXISTING[machine]]
    assert {answer(program, ARCHITECTURES[machine], number) for number in numbers} == {"ENOSYS"}


# Of the profile of Docker (moby/profiles, seccomp/default.json, June 2026), the calls with numbers on x86_64 that a
# container without privileges may not use.
CONTAINERS_REFUSE = """
acct bpf chroot clone3 delete_module fanotify_init finit_module fsconfig fsmount fsopen fspick get_mempolicy
init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load keyctl
add_key request_key lookup_dcookie lsm_get_self_attr lsm_list_modules lsm_set_self_attr mbind migrate_pages mount
mount_setattr move_mount move_pages open_by_handle_at open_tree perf_event_open pidfd_getfd pivot_root
process_madvise quotactl quotactl_fd reboot set_mempolicy set_mempolicy_home_node setdomainname sethostname setns
settimeofday clock_settime swapoff swapon _sysctl sysfs syslog umount2 unshare uselib userfaultfd ustat vhangup
"""


def test_a_bot_gets_no_call_that_is_new_or_that_containers_may_not_use(sandbox):
    known = system_calls()["EPERM"] | system_calls()["ENOSYS"]
    place = PLACES[platform.machine()]
    numbers = [
        *range(467, 500),
        *(known[name][place] for name in CONTAINERS_REFUSE.split() if place < len(known[name])),
    ]
    source = (
        "import ctypes, errno; libc = ctypes.CDLL(None, use_errno=True)\n"
        f"print([n for n in {numbers} if libc.syscall(n, *[-1] * 6) != -1 or ctypes.get_errno() not in "
        "([errno.ENOSYS] if n >= 467 else [errno.ENOSYS, errno.EPERM])])"
    )
    program = Program(name="caller", argv=(sys.executable, "-c", source), folder=Path("/usr"))
    trial = sandbox.try_out(program, program.argv)
    assert (trial.status, trial.out) == (0, "armed\n[]\n"), trial.err


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_it_is_short_enough_for_the_kernel(machine):
    assert len(seccomp_filter(machine)) <= 4096 * 8


def test_an_unknown_machine_has_none():
    with pytest.raises(KeyError):
        seccomp_filter("vax")


@pytest.mark.parametrize(("machine", "direct", "folder"), [("x86_64", 0x4000, 0x10000), ("aarch64", 0x10000, 0x4000)])
def test_files_are_not_read_past_the_page_cache(machine, direct, folder):
    program, arch = seccomp_filter(machine), ARCHITECTURES[machine]
    openat, fcntl = (257, 72) if machine == "x86_64" else (56, 25)
    answers = dict.fromkeys((0, 0x80000, folder), ALLOWED) | dict.fromkeys((direct, direct | 1), "EINVAL")
    for flags, expected in answers.items():
        assert answer(program, arch, openat, 0, 0, flags) == expected
        assert answer(program, arch, fcntl, 0, 4, flags) == expected
    if machine == "x86_64":
        assert answer(program, arch, 2, 0, direct) == "EINVAL"
